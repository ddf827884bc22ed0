import { tellParent } from '../model/parent.ts'
import '../styles/styles.ts'
import { type Connection, follow } from './follow.ts'

/**
 * Improves the pay page, which is complete without it: follows the payment, counts down, copies and prints. The server
 * renders every part.
 */
type Said = Record<'copied' | 'selected' | 'timeLeft' | 'timeOver' | 'live' | 'notLive' | 'stale' | 'ended', string>

/** The digits of the page are Latin in every language. */
const locale = `${document.documentElement.lang}-u-nu-latn`

const shell = document.querySelector<HTMLElement>('.pay')
if (shell) start(shell)

function start(page: HTMLElement): void {
  const said = JSON.parse(page.dataset.texts ?? '{}') as Said
  const mayAsk = createPause(page, said)
  const setSecondsLeft = startCountdown(page, said, (isTimeOver) => mayAsk({ isTimeOver }))
  setSecondsLeft(page.dataset.secondsLeft === undefined ? undefined : Number(page.dataset.secondsLeft))
  page.addEventListener('click', (event) => void onClick(event, said))
  const print = page.querySelector<HTMLButtonElement>('[data-print]')
  if (print) print.hidden = false
  improve(page)
  const told = createTold(page.dataset.status ?? '')
  tellParent(told, () => told.status)
  const { stream, id = '' } = page.dataset
  if (stream === undefined) return
  follow(
    { stream, id },
    {
      onNews: (news) => {
        replaceParts(page, news.parts)
        setSecondsLeft(news.secondsLeft)
        improve(page)
        told.change({ status: news.status })
      },
      onConnection: (connection) => {
        const lines = { LIVE: said.live, LOST: said.notLive, STALE: said.notLive, ENDED: said.ended, OVER: '' }
        write(page.querySelector('[data-connection]'), lines[connection])
        mayAsk({ connection })
        told.change({ isEnded: connection === 'ENDED' })
      },
    },
  )
}

/** Keeps the status of the payment for the page around a frame. */
function createTold(status: string) {
  const listeners: (() => void)[] = []
  const told = {
    status,
    isEnded: false,
    listen: (listener: () => void) => {
      listeners.push(listener)
      return () => undefined
    },
    change: (change: { status?: string; isEnded?: boolean }) => {
      Object.assign(told, change)
      for (const listener of listeners) listener()
    },
  }
  return told
}

/** Writes a text that a screen reader tells, when it is new. */
function write(element: Element | null, text: string): void {
  if (element && element.textContent !== text) element.textContent = text
}

/** Hides the instructions behind a notice while the page cannot know whether the money is still awaited. */
function createPause(page: HTMLElement, said: Said) {
  const now: { connection: Connection; isTimeOver: boolean } = { connection: 'LIVE', isTimeOver: false }
  const transfer = page.querySelector<HTMLElement>('[data-part="transfer"]')
  const notice = page.querySelector<HTMLElement>('[data-pause]')
  const reasonOf = () => {
    if (now.isTimeOver) return said.timeOver
    return { LIVE: '', LOST: '', STALE: said.stale, ENDED: said.ended, OVER: '' }[now.connection]
  }
  return (change: Partial<typeof now>) => {
    Object.assign(now, change)
    if (!transfer || !notice) return
    const reason = transfer.childElementCount === 0 ? '' : reasonOf()
    transfer.hidden = reason !== ''
    notice.hidden = reason === ''
    write(notice, reason)
  }
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
  const title = titleOf(page)
  for (const [name, html] of Object.entries(parts)) {
    const part = page.querySelector(`[data-part="${name}"]`)
    if (part) part.innerHTML = html
  }
  if (titleOf(page) !== title) write(page.querySelector('[data-announce]'), titleOf(page))
  if (!focused || document.activeElement !== document.body) return
  improve(page)
  page.querySelector<HTMLElement>(`[aria-label="${CSS.escape(focused)}"]`)?.focus()
}

/** The state in words. */
function titleOf(page: HTMLElement): string {
  const said = [...page.querySelectorAll('[data-part="head"] :is(h1, h1 + .lead)')]
  return said.map(({ textContent }) => textContent).join('. ')
}

function startCountdown(
  page: HTMLElement,
  said: Said,
  onTime: (isOver: boolean) => void,
): (secondsLeft: number | undefined) => void {
  const shown = page.querySelector<HTMLElement>('[data-countdown]')
  let endsAtMs: number | undefined
  const show = () => {
    const leftMs = endsAtMs === undefined ? undefined : endsAtMs - Date.now()
    onTime(leftMs !== undefined && leftMs <= 0)
    if (!shown) return
    shown.hidden = leftMs === undefined || leftMs <= 0
    if (leftMs !== undefined) shown.textContent = `${said.timeLeft}: ${writeDuration(Math.max(0, leftMs))}`
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

/** The buttons that say for a moment what they did, with their own texts. */
const answering = new Map<Element, { text: string | null; label: string; timer?: ReturnType<typeof setTimeout> }>()

async function onClick(event: Event, said: Said): Promise<void> {
  const target = event.target as HTMLElement
  if (target.closest('[data-print]')) return print()
  const button = target.closest<HTMLButtonElement>('[data-copy]')
  if (!button) return
  const answer = (await copy(button)) ? said.copied : said.selected
  // A button that still answers an earlier press shows that answer, which is not its own text.
  const own = answering.get(button) ?? { text: button.textContent, label: button.getAttribute('aria-label') ?? '' }
  clearTimeout(own.timer)
  button.textContent = answer
  button.removeAttribute('aria-label')
  write(document.querySelector('[data-announce]'), `${answer}. ${own.label}`)
  const timer = setTimeout(() => {
    answering.delete(button)
    button.textContent = own.text
    button.setAttribute('aria-label', own.label)
  }, 2_000)
  answering.set(button, { ...own, timer })
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
