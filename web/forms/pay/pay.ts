import '../styles/styles.ts'

/**
 * Improves the pay page, which is complete without it: follows the payment, counts down, copies and prints. The server
 * renders every part.
 */
type News = { parts: Record<string, string>; secondsLeft?: number; isOver: boolean }
type Said = Record<'copied' | 'selected' | 'timeLeft' | 'live' | 'notLive' | 'ended', string>

const retryMs = 15_000
/** The digits of the page are Latin in every language. */
const locale = `${document.documentElement.lang}-u-nu-latn`

const shell = document.querySelector<HTMLElement>('.pay')
if (shell) start(shell)

function start(page: HTMLElement): void {
  const said = JSON.parse(page.dataset.texts ?? '{}') as Said
  const setSecondsLeft = startCountdown(page, said)
  setSecondsLeft(page.dataset.secondsLeft === undefined ? undefined : Number(page.dataset.secondsLeft))
  page.addEventListener('click', (event) => void onClick(event, said))
  const print = page.querySelector<HTMLButtonElement>('[data-print]')
  if (print) print.hidden = false
  improve(page)
  const { stream, id = '' } = page.dataset
  if (stream === undefined) return
  follow(page, said, { stream, id }, (news) => {
    replaceParts(page, news.parts)
    setSecondsLeft(news.secondsLeft)
    improve(page)
  })
}

/** Shows what needs a script, in parts that the server has just rendered. */
function improve(page: HTMLElement): void {
  for (const button of page.querySelectorAll<HTMLButtonElement>('[data-copy]')) button.hidden = false
  const day = { year: 'numeric', month: 'long', day: 'numeric' } as const
  const moment = { ...day, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const
  for (const time of page.querySelectorAll('time')) {
    time.textContent = new Intl.DateTimeFormat(locale, moment).format(new Date(time.dateTime))
  }
}

/** Replaces what changed. A button that has the focus gets it back. */
function replaceParts(page: HTMLElement, parts: Record<string, string>): void {
  const focused = (document.activeElement as HTMLElement | null)?.getAttribute('aria-label')
  for (const [name, html] of Object.entries(parts)) {
    const part = page.querySelector(`[data-part="${name}"]`)
    if (part) part.innerHTML = html
  }
  if (!focused || document.activeElement !== document.body) return
  improve(page)
  page.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus()
}

function startCountdown(page: HTMLElement, said: Said): (secondsLeft: number | undefined) => void {
  const shown = page.querySelector<HTMLElement>('[data-countdown]')
  let endsAtMs: number | undefined
  const show = () => {
    if (!shown) return
    shown.hidden = endsAtMs === undefined
    if (endsAtMs === undefined) return
    shown.textContent = `${said.timeLeft}: ${writeDuration(Math.max(0, endsAtMs - Date.now()))}`
  }
  setInterval(show, 1_000)
  return (secondsLeft) => {
    endsAtMs = secondsLeft === undefined ? undefined : Date.now() + secondsLeft * 1_000
    show()
  }
}

/** Writes the two largest units of a duration, as the language of the page does. */
function writeDuration(ms: number): string {
  const seconds = Math.floor(ms / 1_000)
  const units = [
    ['day', Math.floor(seconds / 86_400)],
    ['hour', Math.floor(seconds / 3_600) % 24],
    ['minute', Math.floor(seconds / 60) % 60],
    ['second', seconds % 60],
  ] as const
  const first = Math.max(
    0,
    Math.min(
      units.findIndex(([, count]) => count > 0),
      units.length - 2,
    ),
  )
  const from = units.some(([, count]) => count > 0) ? first : units.length - 2
  const write = ([unit, count]: readonly [string, number]) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
  return new Intl.ListFormat(locale, { type: 'unit' }).format(units.slice(from, from + 2).map(write))
}

async function onClick(event: Event, said: Said): Promise<void> {
  const target = event.target as HTMLElement
  if (target.closest('[data-print]')) return print()
  const button = target.closest<HTMLButtonElement>('[data-copy]')
  if (!button) return
  const before = button.textContent
  button.textContent = (await copy(button)) ? said.copied : said.selected
  const label = button.getAttribute('aria-label')
  button.removeAttribute('aria-label')
  setTimeout(() => {
    button.textContent = before
    if (label !== null) button.setAttribute('aria-label', label)
  }, 2_000)
}

/** Copies the text of a line. Where the browser forbids it, the text is selected for the payer. */
async function copy(button: HTMLButtonElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? '')
    return true
  } catch {
    const line = button.parentElement?.querySelector('.value')
    if (line) getSelection()?.selectAllChildren(line)
    return false
  }
}

/**
 * Follows the stream until the transaction is over. When the server has no room for another one, or the session has
 * ended, it asks for the page instead, and tries again.
 */
function follow(page: HTMLElement, said: Said, at: { stream: string; id: string }, onNews: (news: News) => void): void {
  const connection = page.querySelector<HTMLElement>('[data-connection]')
  let { id } = at
  const tell = (text: string) => {
    if (connection && connection.textContent !== text) connection.textContent = text
  }
  const connect = () => {
    const source = new EventSource(`${at.stream}?id=${encodeURIComponent(id)}&lang=${document.documentElement.lang}`)
    source.onopen = () => tell(said.live)
    source.onmessage = ({ data, lastEventId }) => {
      const news = JSON.parse(data as string) as News
      id = lastEventId
      onNews(news)
      if (!news.isOver) return
      source.close()
      tell('')
    }
    source.onerror = () => {
      tell(said.notLive)
      if (source.readyState === EventSource.CLOSED) void askForPage()
    }
  }
  const askForPage = async () => {
    const answer = await fetch(location.href).catch(() => undefined)
    if (answer?.status === 401) return tell(said.ended)
    if (answer?.ok) {
      const read = new DOMParser().parseFromString(await answer.text(), 'text/html')
      const found = [...read.querySelectorAll<HTMLElement>('[data-part]')]
      const { secondsLeft, stream, id: newId = '' } = read.querySelector<HTMLElement>('.pay')?.dataset ?? {}
      const parts = Object.fromEntries(found.map((part) => [part.dataset.part ?? '', part.innerHTML]))
      const left = secondsLeft === undefined ? {} : { secondsLeft: Number(secondsLeft) }
      if (newId !== id) onNews({ parts, ...left, isOver: stream === undefined })
      id = newId
      if (stream === undefined) return tell('')
    }
    setTimeout(connect, retryMs)
  }
  connect()
}
