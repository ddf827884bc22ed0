import { randomInt } from 'node:crypto'
import { Readable } from 'node:stream'
import { isDatabaseUnavailable, type Queryable } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { type EventType, eventTypes, isReadable } from '../lib/event-types.ts'
import { createPageToken, readPageToken } from '../lib/page.ts'
import { badField, Refusal, unavailable } from '../lib/refusal.ts'
import type { OpenData } from './event.ts'
import { createHeadPoller, type Heads, pause } from './head.ts'
import { openAll, visibleTypes } from './service.ts'
import * as store from './store.ts'
import { writeComment, writeEvent, writePosition, writeRetry } from './stream-text.ts'
import { presentEvent } from './wire.ts'

export type StreamDeps = {
  database: Queryable
  openData: OpenData
  cursorKey: Buffer
  onError(error: unknown): void
  limits?: Partial<StreamLimits>
}

/** The limits of one process. */
export type StreamLimits = typeof defaultLimits

const defaultLimits = {
  streams: 1_000,
  streamsPerOrganization: 50,
  pollMs: 200,
  heartbeatMs: 15_000,
  checkMs: 500,
  /** A reader that takes nothing for this long is disconnected; it reconnects and continues at its position. */
  stalledMs: 60_000,
  eventsPerRead: 50,
}

export type StreamRequest = {
  organizationId?: string
  types?: readonly EventType[]
  /** Opaque: the position after which the stream continues. */
  cursor?: string
  from?: 'beginning' | 'end'
}

type Reader = {
  callerId: string
  /** The requested organization. */
  organizationId: string
  /** False for a foreign organization, whose stream stays empty. */
  isOwn: boolean
  /** The types that the stream shows; undefined shows all. */
  types: readonly EventType[] | undefined
  stopped: AbortController
  /** The time since which a text waits for the reader. */
  waitingSinceMs: number | undefined
  stream: Readable | undefined
  findCaller(): Promise<Caller | undefined>
}

export type EventStreams = ReturnType<typeof createEventStreamService>

/** Streams events as they happen. Readers pull, so a slow reader holds at most one page of events in memory. */
export function createEventStreamService(deps: StreamDeps) {
  const limits = { ...defaultLimits, ...deps.limits }
  const readHeads = (organizationIds: readonly string[]) => store.readHeads(deps.database, organizationIds)
  const heads = createHeadPoller({ readHeads, everyMs: limits.pollMs, onError: deps.onError })
  const follow = createFollow(deps, heads, limits)
  const readers = new Set<Reader>()
  let checkTimer: NodeJS.Timeout | undefined

  const leave = (reader: Reader) => {
    readers.delete(reader)
    reader.stopped.abort()
    if (readers.size > 0) return
    clearInterval(checkTimer)
    checkTimer = undefined
  }

  const check = async (reader: Reader) => {
    const isStalled = reader.waitingSinceMs !== undefined && Date.now() - reader.waitingSinceMs > limits.stalledMs
    if (isStalled || !(await isStillAllowed(reader))) end(reader)
  }

  const join = (reader: Reader) => {
    const callerStreams = [...readers].filter(({ callerId }) => callerId === reader.callerId).length
    if (callerStreams >= limits.streamsPerOrganization) throw tooManyStreams(limits.streamsPerOrganization)
    if (readers.size >= limits.streams)
      throw unavailable('This server has too many open streams; try again in 5 seconds', 5)
    readers.add(reader)
    checkTimer ??= setInterval(() => {
      for (const each of readers) check(each).catch(deps.onError)
    }, limits.checkMs)
  }

  return {
    count: () => readers.size,

    open: async (caller: Caller, findCaller: Reader['findCaller'], request: StreamRequest): Promise<Readable> => {
      const { organizationId = caller.organizationId, cursor } = request
      const isOwn = caller.organizationIds.includes(organizationId)
      const after = cursor === undefined ? undefined : readCursor(deps.cursorKey, organizationId, cursor)
      const reader: Reader = {
        callerId: caller.organizationId,
        organizationId,
        isOwn,
        types: visibleTypes(caller, request.types),
        findCaller,
        stopped: new AbortController(),
        waitingSinceMs: undefined,
        stream: undefined,
      }
      join(reader)
      try {
        const head = isOwn ? await heads.follow(organizationId, reader.stopped.signal) : 0n
        // A cursor ahead of the head was issued before a database restore: its sequence means another event now.
        if (after !== undefined && after > head)
          throw badField('cursor', 'is ahead of the last event; start again without a cursor')
        const start = after ?? (request.from === 'beginning' ? 0n : head)
        reader.stream = toStream(reader, follow(reader, start), () => leave(reader))
        return reader.stream
      } catch (error) {
        leave(reader)
        throw error
      }
    },

    /** Ends every stream. Readers reconnect to another process. */
    stop: () => {
      for (const reader of readers) end(reader)
    },
  }
}

/** Ends a stream. A reader that takes nothing would not notice the end, so its stream is destroyed. */
function end({ stopped, waitingSinceMs, stream }: Reader): void {
  stopped.abort()
  if (waitingSinceMs !== undefined) stream?.destroy()
}

/** Tells whether the credential still reads what the stream shows. A reader that lost some of it reconnects. */
async function isStillAllowed({ findCaller, organizationId, isOwn, types }: Reader): Promise<boolean> {
  try {
    const caller = await findCaller()
    if (!caller?.scopes.has('events:read')) return false
    const hasTypes = (types ?? eventTypes).every((type) => isReadable(caller.scopes, type))
    return hasTypes && (!isOwn || caller.organizationIds.includes(organizationId))
  } catch (error) {
    // While the database is unavailable the credential cannot be checked, and no events are read either.
    if (isDatabaseUnavailable(error)) return true
    throw error
  }
}

/** Pulls the next text when the reader has taken the last one. `onGone` is called when the connection ends. */
function toStream(reader: Reader, texts: AsyncGenerator<string>, onGone: () => void): Readable {
  return new Readable({
    read() {
      reader.waitingSinceMs = undefined
      texts.next().then(
        ({ value, done }) => {
          reader.waitingSinceMs = Date.now()
          this.push(done ? null : value)
        },
        (error: Error) => this.destroy(error),
      )
    },
    destroy: (error, done) => {
      onGone()
      done(error)
    },
  })
}

type Read = { texts: string[]; upTo: bigint }

function createFollow({ database, openData, cursorKey }: StreamDeps, heads: Heads, limits: StreamLimits) {
  // Readers at the same position share one read. Nothing is cached after it.
  const pendingReads = new Map<string, Promise<Read>>()

  const read = async (organizationId: string, after: bigint, types: Reader['types']): Promise<Read> => {
    const upTo = heads.headOf(organizationId)
    const limit = limits.eventsPerRead
    const stored = await store.listEventsAfter(database, organizationId, { after, upTo, types, limit })
    const events = (await openAll(stored, openData)).map(presentEvent)
    const texts = events.map((event) => writeEvent(createCursor(cursorKey, organizationId, event.sequence), event))
    const last = events.at(-1)
    return { texts, upTo: last && events.length === limit ? BigInt(last.sequence) : upTo }
  }

  const readShared = (organizationId: string, after: bigint, types: Reader['types']): Promise<Read> => {
    const same = [organizationId, after, types].join(' ')
    const found = pendingReads.get(same) ?? read(organizationId, after, types).finally(() => pendingReads.delete(same))
    pendingReads.set(same, found)
    return found
  }

  return async function* follow(reader: Reader, start: bigint): AsyncGenerator<string> {
    const { organizationId, types } = reader
    const { signal } = reader.stopped
    const hasMore = () => reader.isOwn && position < heads.headOf(organizationId)
    let position = start
    let isCaughtUp = false
    let spokeAtMs = performance.now()
    const sinceSpoken = () => performance.now() - spokeAtMs
    const writeHere = (comment: string) => writePosition(createCursor(cursorKey, organizationId, position), comment)
    yield writeRetry(randomInt(1_000, 3_000))
    while (!signal.aborted) {
      if (hasMore()) {
        // A credential that was revoked or suspended since the last check sees nothing that has happened.
        if (!(await isStillAllowed(reader))) break
        const found = await readShared(organizationId, position, types).catch(undefinedIfAway)
        for (const text of found?.texts ?? []) {
          if (signal.aborted) break
          spokeAtMs = performance.now()
          yield text
        }
        if (found) position = found.upTo
        else await pause(limits.checkMs, signal)
        continue
      }
      if (!isCaughtUp || sinceSpoken() >= limits.heartbeatMs) {
        spokeAtMs = performance.now()
        yield writeHere(isCaughtUp ? 'still here' : 'caught up')
        isCaughtUp = true
        continue
      }
      // Events that the reader may not see end this wait, but put no heartbeat off: it neither stalls nor tells of them.
      const waitMs = limits.heartbeatMs - sinceSpoken()
      // A stream of a foreign organization does not even reveal when events happen there.
      if (reader.isOwn) await heads.waitForHead(organizationId, position, waitMs, signal)
      else await pause(waitMs, signal)
    }
    yield writeComment('come again')
  }
}

function undefinedIfAway(error: unknown): undefined {
  if (!isDatabaseUnavailable(error)) throw error
}

function createCursor(key: Buffer, organizationId: string, sequence: bigint | number): string {
  return createPageToken(key, { ...cursorScope(organizationId), after: [String(sequence)] })
}

function readCursor(key: Buffer, organizationId: string, cursor: string): bigint {
  const found = readPageToken(key, cursor, cursorScope(organizationId))
  if (!found.ok) throw badField('cursor', 'is not an id of this stream; pass the id of an event that this stream sent')
  return BigInt(found.after[0] ?? 0)
}

function cursorScope(organizationId: string) {
  return { list: 'event stream', filters: { organizationId } }
}

function tooManyStreams(limit: number): Refusal {
  return new Refusal('RATE_LIMITED', `An organization has at most ${limit} open streams; close one first`, {
    headers: { 'retry-after': '5' },
  })
}
