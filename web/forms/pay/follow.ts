/** LOST for a moment. STALE: nothing was heard for so long that the page may be wrong. ENDED: the session has. */
export type Connection = 'LIVE' | 'LOST' | 'STALE' | 'ENDED' | 'OVER'

export type News = { parts: Record<string, string>; status: string; secondsLeft?: number; isOver: boolean }

type Heard = { onNews(news: News): void; onConnection(connection: Connection): void }

/** The server tells every 15 seconds that the page is up to date. */
const quietMs = 35_000
const staleMs = 45_000
const retryMs = 15_000
const answerMs = 8_000

const isHidden = () => document.visibilityState === 'hidden'

/**
 * Follows the stream until there will be no more news. While the server has no room for another stream, or a proxy holds
 * it back, it asks for the page instead. So does a page that is out of sight: a browser has few connections to a host, and
 * the streams of other windows would keep them all.
 */
export function follow(at: { stream: string; id: string }, { onNews, onConnection }: Heard): void {
  let { id } = at
  let connection: Connection | undefined
  let source: EventSource | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let heardAtMs = Date.now()
  let triedAtMs = Date.now()
  let isAsking = false

  const become = (next: Connection) => {
    connection = next
    onConnection(next)
  }
  const hear = (news?: News) => {
    heardAtMs = Date.now()
    if (news) onNews(news)
    if (news?.isOver) source?.close()
    become(news?.isOver ? 'OVER' : 'LIVE')
  }
  const rest = () => {
    clearTimeout(retry)
    source?.close()
  }
  const connect = () => {
    rest()
    triedAtMs = Date.now()
    const opened = new EventSource(addressOf(at.stream, id))
    source = opened
    opened.onmessage = ({ data, lastEventId }) => {
      id = lastEventId
      hear(JSON.parse(data as string) as News)
    }
    opened.addEventListener('beat', () => hear())
    opened.onerror = () => {
      if (connection === 'LIVE') become('LOST')
      if (opened.readyState === EventSource.CLOSED) void ask()
    }
  }
  const ask = async () => {
    if (isAsking) return
    isAsking = true
    rest()
    triedAtMs = Date.now()
    const answer = await readPage().catch(() => undefined)
    isAsking = false
    if (answer === 'ENDED') return become('ENDED')
    if (answer) {
      hear(answer.id === id ? { ...answer.news, parts: {} } : answer.news)
      id = answer.id
    }
    if (connection !== 'OVER' && !isHidden()) retry = setTimeout(connect, retryMs)
  }
  /** Timers stand still while a device sleeps, so this looks at the time that has passed. Asks before it warns. */
  const look = () => {
    if (connection === 'OVER' || connection === 'ENDED') return
    if (Date.now() - Math.max(heardAtMs, triedAtMs) > quietMs) void ask()
    if (!isAsking && connection !== 'STALE' && !isHidden() && Date.now() - heardAtMs > staleMs) become('STALE')
  }
  /** The payer comes back to the page, perhaps from a wallet, and perhaps after opening the link again. */
  const comeBack = () => {
    if (isHidden() || connection === 'OVER') return
    look()
    const isOpen = source !== undefined && source.readyState !== EventSource.CLOSED
    if ((connection !== 'LIVE' || !isOpen) && !isAsking) connect()
  }
  setInterval(look, 1_000)
  document.addEventListener('visibilitychange', () => (isHidden() ? rest() : comeBack()))
  addEventListener('pageshow', ({ persisted }) => persisted && comeBack())
  comeBack()
}

/** The address of the stream for a page that has the state of an id. */
function addressOf(stream: string, id: string): URL {
  const address = new URL(stream, location.href)
  address.searchParams.set('id', id)
  address.searchParams.set('lang', document.documentElement.lang)
  return address
}

/** Asks for the page itself. */
async function readPage(): Promise<'ENDED' | { id: string; news: News } | undefined> {
  const answer = await fetch(location.href, { signal: AbortSignal.timeout(answerMs) })
  // An organization may have taken the page around this frame back.
  if (answer.status === 401 || answer.status === 403) return 'ENDED'
  if (!answer.ok) return undefined
  const read = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const { secondsLeft, stream, id = '', status = '' } = read.querySelector<HTMLElement>('.pay')?.dataset ?? {}
  const found = [...read.querySelectorAll<HTMLElement>('[data-part]')]
  const parts = Object.fromEntries(found.map((part) => [part.dataset.part ?? '', part.innerHTML]))
  const left = secondsLeft === undefined ? {} : { secondsLeft: Number(secondsLeft) }
  return { id, news: { parts, status, ...left, isOver: stream === undefined } }
}
