import { createHash, randomInt } from 'node:crypto'
import { Readable } from 'node:stream'
import { Refusal, unavailable } from '../../lib/refusal.ts'
import { type PayLocale, type PayParts, renderParts } from './html.ts'
import { isOver, stateOf, type Transfer } from './transfer.ts'

/** The limits of one process. */
export type PayStreamLimits = typeof defaultLimits

const defaultLimits = {
  streams: 1_000,
  streamsPerTransaction: 10,
  streamsPerAddress: 20,
  pollMs: 1_000,
  heartbeatMs: 15_000,
  /** A stream ends after this time. The page reconnects, and renews its session with that. */
  longestMs: 10 * 60_000,
  /** A reader that takes less than this is disconnected. */
  mostWaitingBytes: 256 * 1024,
  /** A reader that does not take the end of its stream for this long is disconnected. */
  stalledMs: 60_000,
}

export type PayStreamDeps = {
  readTransfers(transactionIds: readonly string[]): Promise<Transfer[]>
  onError(error: unknown): void
  limits?: Partial<PayStreamLimits>
}

/** The page that asks for a stream, and the state that it has. */
type OpenPage = { source: string; locale: PayLocale; lastId: string }

type Reader = {
  transactionId: string
  linkVersion: number
  source: string
  locale: PayLocale
  openedAtMs: number
  /** The last state that was sent. */
  id: string
  /** The last drawing; undefined before the first, when only the page knows what it shows. */
  drawn: Drawn | undefined
  /** The moment of real time at which the time to pay ends, as the page knows it. */
  deadlineMs: number | undefined
  stream: Readable
}

/** A rendered state, and the part of the transfer that decides it. */
type Drawn = { of: string; id: string; parts: PayParts }

/** Equal states have equal ids, also in another process. */
export function stateIdOf(parts: PayParts): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16)
}

/** The time to pay that is left; undefined when the payer has nothing to send. */
export function secondsLeftOf(transfer: Transfer): number | undefined {
  if (stateOf(transfer) !== 'WAITING') return undefined
  return Math.max(0, Math.round((transfer.expiresAt.getTime() - transfer.now.getTime()) / 1_000))
}

export type PayStreams = ReturnType<typeof createPayStreams>

/**
 * Tells open pages what changes. One statement a second reads all transactions that pages of this process watch; without
 * pages there is none. Any process can serve any page, because the database alone has the state.
 */
export function createPayStreams({ readTransfers, onError, ...deps }: PayStreamDeps) {
  const limits = { ...defaultLimits, ...deps.limits }
  const readers = new Set<Reader>()
  let isPolling = false
  let readAtMs = 0
  let beating: NodeJS.Timeout | undefined

  const poll = async () => {
    isPolling = readers.size > 0
    if (!isPolling) return
    try {
      const transfers = await readTransfers([...new Set([...readers].map(({ transactionId }) => transactionId))])
      const found = new Map(transfers.map((transfer) => [transfer.transactionId, transfer]))
      readAtMs = Date.now()
      const draw = createDrawings()
      for (const reader of [...readers]) {
        const transfer = found.get(reader.transactionId)
        if (transfer && tellOrDrop(reader, transfer, draw, onError)) finish(reader)
      }
    } catch (error) {
      onError(error) // the next poll may succeed
    }
    setTimeout(poll, limits.pollMs)
  }

  /** Tells pages that they are up to date. While the database is away they are not, and a comment keeps the connection. */
  const beat = () => {
    const isCurrent = Date.now() - readAtMs < 5 * limits.pollMs
    for (const reader of [...readers]) {
      if (reader.stream.readableLength > limits.mostWaitingBytes) reader.stream.destroy()
      else if (Date.now() - reader.openedAtMs > limits.longestMs) finish(reader)
      else reader.stream.push(isCurrent ? 'event: beat\ndata: 1\n\n' : ': still here\n\n')
    }
  }

  const leave = (reader: Reader) => {
    readers.delete(reader)
    if (readers.size > 0) return
    clearInterval(beating)
    beating = undefined
  }

  /** Ends a stream. Its reader is told nothing more. */
  const finish = (reader: Reader) => {
    leave(reader)
    end(reader.stream, limits.stalledMs)
  }

  return {
    count: () => readers.size,

    /** Opens the stream of a page. `lastId` is the state that the page has: the stream does not repeat it. */
    open: (transfer: Transfer, page: OpenPage): Readable => {
      requireRoom([...readers], limits, transfer.transactionId, page.source)
      const reader = createReader(transfer, page, leave)
      readers.add(reader)
      beating ??= setInterval(beat, limits.heartbeatMs)
      if (!isPolling) void poll()
      reader.stream.push(`retry: ${randomInt(1_000, 3_000)}\n\n`)
      if (tell(reader, transfer, createDrawings())) finish(reader)
      return reader.stream
    },

    /** Ends every stream. Pages reconnect to another process. */
    stop: () => {
      for (const reader of [...readers]) finish(reader)
    },
  }
}

type Draw = ReturnType<typeof createDrawings>

/** Draws each state once, for all readers of one poll and for those that have it already. */
function createDrawings() {
  const drawings = new Map<string, Drawn>()
  return (transfer: Transfer, { locale, drawn }: Reader): Drawn => {
    const { transactionId, received, seen, confirmations, refundStatus, refundAmount } = transfer
    const decisive = [stateOf(transfer), received, seen, confirmations, refundStatus, refundAmount]
    const of = JSON.stringify([transactionId, locale, ...decisive])
    const known = drawn?.of === of ? drawn : drawings.get(of)
    if (known) return known
    const parts = renderParts(transfer, locale)
    const fresh = { of, id: stateIdOf(parts), parts }
    drawings.set(of, fresh)
    return fresh
  }
}

function createReader(
  { transactionId, linkVersion }: Transfer,
  page: OpenPage,
  onGone: (reader: Reader) => void,
): Reader {
  const { source, locale, lastId: id } = page
  const stream = new Readable({
    read() {},
    destroy: (error, done) => {
      onGone(reader)
      done(error)
    },
  })
  const since = { openedAtMs: Date.now(), deadlineMs: undefined }
  const reader: Reader = { transactionId, linkVersion, source, locale, id, drawn: undefined, stream, ...since }
  return reader
}

function end(stream: Readable, stalledMs: number): void {
  stream.push(': come again\n\n')
  stream.push(null)
  setTimeout(() => stream.destroy(), stalledMs).unref()
}

/** Refuses a page when this process, its transaction or its network has too many open. */
function requireRoom(all: readonly Reader[], limits: PayStreamLimits, transactionId: string, source: string): void {
  if (all.length >= limits.streams) throw unavailable('This server has too many open pages; try again in 5 seconds', 5)
  const ofTransaction = all.filter((each) => each.transactionId === transactionId).length
  const ofSource = all.filter((each) => each.source === source).length
  if (ofTransaction < limits.streamsPerTransaction && ofSource < limits.streamsPerAddress) return
  const headers = { 'retry-after': '15' }
  throw new Refusal('RATE_LIMITED', 'Too many pages are open; close one first', { headers })
}

/** Sends the parts that changed, and the time that is left when it moved; at first, that the page is up to date. Tells whether there will be no more news. */
function tell(reader: Reader, transfer: Transfer, draw: Draw): boolean {
  const drawn = draw(transfer, reader)
  const { id, parts } = drawn
  const before = reader.drawn?.parts
  const secondsLeft = secondsLeftOf(transfer)
  const deadlineMs = secondsLeft === undefined ? undefined : Date.now() + secondsLeft * 1_000
  if (!before || id !== reader.id || hasMoved(reader.deadlineMs, deadlineMs)) {
    // A page with another state than this gets every part: also an empty one, which takes old instructions away.
    const changed = Object.entries(parts).filter(([name, html]) => before?.[name as keyof PayParts] !== html)
    const shown = id === reader.id ? {} : Object.fromEntries(changed)
    const news = { parts: shown, status: transfer.status, secondsLeft, isOver: isOver(transfer) }
    reader.stream.push(`id: ${id}\ndata: ${JSON.stringify(news)}\n\n`)
    reader.deadlineMs = deadlineMs
  }
  Object.assign(reader, { id, drawn })
  return isOver(transfer)
}

/**
 * Disconnects a reader whose page cannot be drawn, so that it does not keep the others from their news. A reader whose link
 * was revoked hears nothing more.
 */
function tellOrDrop(reader: Reader, transfer: Transfer, draw: Draw, onError: PayStreamDeps['onError']): boolean {
  if (transfer.linkVersion !== reader.linkVersion) return true
  try {
    return tell(reader, transfer, draw)
  } catch (error) {
    reader.stream.destroy()
    onError(error)
    return false
  }
}

/** The sandbox can move its clock. A second more or less is the way of the message. */
function hasMoved(before: number | undefined, now: number | undefined): boolean {
  if (before === undefined || now === undefined) return before !== now
  return Math.abs(before - now) > 3_000
}
