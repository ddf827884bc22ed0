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
  source: string
  locale: PayLocale
  openedAtMs: number
  /** The last state that was sent. */
  id: string
  parts: PayParts
  /** The part of the transfer that decides what is shown. */
  seen: string
  /** The moment of real time at which the time to pay ends, as the page knows it. */
  deadlineMs: number | undefined
  stream: Readable
}

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
  let beating: NodeJS.Timeout | undefined

  const poll = async () => {
    isPolling = readers.size > 0
    if (!isPolling) return
    try {
      const transfers = await readTransfers([...new Set([...readers].map(({ transactionId }) => transactionId))])
      const found = new Map(transfers.map((transfer) => [transfer.transactionId, transfer]))
      for (const reader of [...readers]) {
        const transfer = found.get(reader.transactionId)
        if (transfer && tell(reader, transfer)) finish(reader)
      }
    } catch (error) {
      onError(error) // the next poll may succeed
    }
    setTimeout(poll, limits.pollMs)
  }

  const beat = () => {
    for (const reader of [...readers]) {
      if (reader.stream.readableLength > limits.mostWaitingBytes) reader.stream.destroy()
      else if (Date.now() - reader.openedAtMs > limits.longestMs) finish(reader)
      else reader.stream.push(': still here\n\n')
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
    reader.stream.push(': come again\n\n')
    reader.stream.push(null)
    setTimeout(() => reader.stream.destroy(), limits.stalledMs).unref()
  }

  const join = (reader: Reader) => {
    readers.add(reader)
    beating ??= setInterval(beat, limits.heartbeatMs)
    if (!isPolling) void poll()
  }

  return {
    count: () => readers.size,

    /** Opens the stream of a page. `lastId` is the state that the page has: the stream does not repeat it. */
    open: (transfer: Transfer, page: OpenPage): Readable => {
      requireRoom([...readers], limits, transfer.transactionId, page.source)
      const reader = createReader(transfer, page, leave)
      join(reader)
      reader.stream.push(`retry: ${randomInt(1_000, 3_000)}\n\n`)
      if (tell(reader, transfer)) finish(reader)
      return reader.stream
    },

    /** Ends every stream. Pages reconnect to another process. */
    stop: () => {
      for (const reader of [...readers]) finish(reader)
    },
  }
}

const nothing: PayParts = { head: '', progress: '', transfer: '' }

function createReader({ transactionId }: Transfer, page: OpenPage, onGone: (reader: Reader) => void): Reader {
  const { source, locale, lastId: id } = page
  const stream = new Readable({
    read() {},
    destroy: (error, done) => {
      onGone(reader)
      done(error)
    },
  })
  const since = { openedAtMs: Date.now(), deadlineMs: undefined }
  const reader: Reader = { transactionId, source, locale, id, parts: nothing, seen: '', stream, ...since }
  return reader
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

/** Sends the parts that changed, and the time that is left when it moved. Tells whether the transaction is over. */
function tell(reader: Reader, transfer: Transfer): boolean {
  const seen = JSON.stringify([
    stateOf(transfer),
    transfer.received,
    transfer.held,
    transfer.seen,
    transfer.confirmations,
  ])
  const isSame = seen === reader.seen
  // Drawing a code takes milliseconds, so a state is drawn once.
  const parts = isSame ? reader.parts : renderParts(transfer, reader.locale)
  const id = isSame ? reader.id : stateIdOf(parts)
  const secondsLeft = secondsLeftOf(transfer)
  const deadlineMs = secondsLeft === undefined ? undefined : Date.now() + secondsLeft * 1_000
  if (id !== reader.id || hasMoved(reader.deadlineMs, deadlineMs)) {
    const changed = Object.entries(parts).filter(([name, html]) => reader.parts[name as keyof PayParts] !== html)
    const news = { parts: id === reader.id ? {} : Object.fromEntries(changed), secondsLeft, isOver: isOver(transfer) }
    reader.stream.push(`id: ${id}\ndata: ${JSON.stringify(news)}\n\n`)
    reader.deadlineMs = deadlineMs
  }
  Object.assign(reader, { id, parts, seen })
  return isOver(transfer)
}

/** The sandbox can move its clock. A second more or less is the way of the message. */
function hasMoved(before: number | undefined, now: number | undefined): boolean {
  if (before === undefined || now === undefined) return before !== now
  return Math.abs(before - now) > 3_000
}
