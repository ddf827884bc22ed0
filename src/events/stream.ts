import { randomInt } from 'node:crypto'
import { Readable } from 'node:stream'
import { isDatabaseAway, type Queryable } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import type { EventType } from '../lib/event-types.ts'
import { createPageToken, readPageToken } from '../lib/page.ts'
import { badField, Refusal, unavailable } from '../lib/refusal.ts'
import type { OpenData } from './event.ts'
import { type Heads, pause, watchHeads } from './head.ts'
import { openAll } from './service.ts'
import * as store from './store.ts'
import { sayComment, sayEvent, sayPlace, sayRetry } from './stream-text.ts'
import { presentEvent } from './wire.ts'

export type StreamDeps = {
  database: Queryable
  openData: OpenData
  cursorKey: Buffer
  onError(error: unknown): void
  limits?: Partial<StreamLimits>
}

/** Numbers of one process. */
export type StreamLimits = typeof defaultLimits

const defaultLimits = {
  streams: 1_000,
  streamsPerOrganization: 50,
  pollMs: 200,
  heartbeatMs: 15_000,
  checkMs: 2_000,
  /** A reader that takes nothing for that long is cut off: it comes back and goes on where it was. */
  stalledMs: 60_000,
  eventsPerRead: 50,
}

export type StreamRequest = {
  organizationId?: string
  types?: readonly EventType[]
  /** Opaque; the place after which to go on. */
  cursor?: string
  from?: 'beginning' | 'end'
}

type Reader = {
  callerId: string
  /** Whose events were asked for; when that is none of the caller's own there are none to be told. */
  organizationId: string
  isOwn: boolean
  types: readonly EventType[] | undefined
  stopped: AbortController
  /** When it was handed a text that it has not taken yet. */
  handedAtMs: number | undefined
  stream: Readable | undefined
  findCaller(): Promise<Caller | undefined>
}

export type EventStreams = ReturnType<typeof createEventStreamService>

/** Events as they come. Readers ask for what they can take, so a slow one holds one page of events and no more. */
export function createEventStreamService(deps: StreamDeps) {
  const limits = { ...defaultLimits, ...deps.limits }
  const readHeads = (organizationIds: readonly string[]) => store.readHeads(deps.database, organizationIds)
  const heads = watchHeads({ readHeads, everyMs: limits.pollMs, onError: deps.onError })
  const follow = createFollow(deps, heads, limits)
  const readers = new Set<Reader>()
  let checking: NodeJS.Timeout | undefined

  const leave = (reader: Reader) => {
    readers.delete(reader)
    reader.stopped.abort()
    if (readers.size > 0) return
    clearInterval(checking)
    checking = undefined
  }

  const check = async (reader: Reader) => {
    const isStalled = reader.handedAtMs !== undefined && Date.now() - reader.handedAtMs > limits.stalledMs
    if (isStalled || !(await mayGoOn(reader))) end(reader)
  }

  const join = (reader: Reader) => {
    const ofCaller = [...readers].filter(({ callerId }) => callerId === reader.callerId).length
    if (ofCaller >= limits.streamsPerOrganization) throw tooManyStreams(limits.streamsPerOrganization)
    if (readers.size >= limits.streams) throw unavailable('Too many streams here at once; try again shortly', 5)
    readers.add(reader)
    checking ??= setInterval(() => {
      for (const each of readers) check(each).catch(deps.onError)
    }, limits.checkMs)
  }

  return {
    count: () => readers.size,

    open: async (caller: Caller, findCaller: Reader['findCaller'], request: StreamRequest): Promise<Readable> => {
      const { organizationId = caller.organizationId, types, cursor } = request
      const isOwn = caller.organizationIds.includes(organizationId)
      const after = cursor === undefined ? undefined : readCursor(deps.cursorKey, organizationId, cursor)
      const reader: Reader = {
        ...{ callerId: caller.organizationId, organizationId, isOwn, types, findCaller },
        ...{ stopped: new AbortController(), handedAtMs: undefined, stream: undefined },
      }
      join(reader)
      try {
        const head = isOwn ? await heads.follow(organizationId, reader.stopped.signal) : 0n
        // A number that was never given is one of a database that has since been set back: its events are others now.
        if (after !== undefined && after > head) throw badField('cursor', 'is ahead of the last event')
        const start = after ?? (request.from === 'beginning' ? 0n : head)
        reader.stream = toStream(reader, follow(reader, start), () => leave(reader))
        return reader.stream
      } catch (error) {
        leave(reader)
        throw error
      }
    },

    /** Ends every stream; their readers come back to another process, or to the next one here. */
    stop: () => {
      for (const reader of readers) end(reader)
    },
  }
}

/** One that is not taking its texts would never hear that it is over. */
function end({ stopped, handedAtMs, stream }: Reader): void {
  stopped.abort()
  if (handedAtMs !== undefined) stream?.destroy()
}

async function mayGoOn({ findCaller, organizationId, isOwn }: Reader): Promise<boolean> {
  try {
    const caller = await findCaller()
    return caller !== undefined && (!isOwn || caller.organizationIds.includes(organizationId))
  } catch (error) {
    // While the database is away nobody knows, and there is nothing to be told either.
    if (isDatabaseAway(error)) return true
    throw error
  }
}

/** Asked for more only when what was handed over has been taken, and told at once when nobody listens any more. */
function toStream(reader: Reader, texts: AsyncGenerator<string>, onGone: () => void): Readable {
  return new Readable({
    read() {
      reader.handedAtMs = undefined
      texts.next().then(
        ({ value, done }) => {
          reader.handedAtMs = Date.now()
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
  // Whoever is at the same place at the same time is shown the same read. Nothing is kept once it is there.
  const reading = new Map<string, Promise<Read>>()

  const read = async (organizationId: string, after: bigint, types: Reader['types']): Promise<Read> => {
    const upTo = heads.headOf(organizationId)
    const limit = limits.eventsPerRead
    const stored = await store.listEventsAfter(database, organizationId, { after, upTo, types, limit })
    const events = (await openAll(stored, openData)).map(presentEvent)
    const texts = events.map((event) => sayEvent(createCursor(cursorKey, organizationId, event.sequence), event))
    const last = events.at(-1)
    return { texts, upTo: last && events.length === limit ? BigInt(last.sequence) : upTo }
  }

  const readTogether = (organizationId: string, after: bigint, types: Reader['types']): Promise<Read> => {
    const same = [organizationId, after, types].join(' ')
    const found = reading.get(same) ?? read(organizationId, after, types).finally(() => reading.delete(same))
    reading.set(same, found)
    return found
  }

  return async function* follow(reader: Reader, start: bigint): AsyncGenerator<string> {
    const { organizationId, types } = reader
    const { signal } = reader.stopped
    const hasMore = () => reader.isOwn && place < heads.headOf(organizationId)
    let place = start
    let isCaughtUp = false
    const sayWhere = (comment: string) => sayPlace(createCursor(cursorKey, organizationId, place), comment)
    yield sayRetry(randomInt(1_000, 3_000))
    while (!signal.aborted) {
      if (hasMore()) {
        const found = await readTogether(organizationId, place, types).catch(undefinedIfAway)
        for (const text of found?.texts ?? []) {
          if (signal.aborted) break
          yield text
        }
        if (found) place = found.upTo
        else await pause(limits.checkMs, signal)
        continue
      }
      if (!isCaughtUp) yield sayWhere('caught up')
      isCaughtUp = true
      // Who has no part in an organization is not even told when something happens there.
      if (reader.isOwn) await heads.waitForNews(organizationId, place, limits.heartbeatMs, signal)
      else await pause(limits.heartbeatMs, signal)
      if (!signal.aborted && !hasMore()) yield sayWhere('still here')
    }
    yield sayComment('come again')
  }
}

function undefinedIfAway(error: unknown): undefined {
  if (!isDatabaseAway(error)) throw error
}

function createCursor(key: Buffer, organizationId: string, sequence: bigint | number): string {
  return createPageToken(key, { ...cursorScope(organizationId), after: [String(sequence)] })
}

function readCursor(key: Buffer, organizationId: string, cursor: string): bigint {
  const found = readPageToken(key, cursor, cursorScope(organizationId))
  if (!found.ok) throw badField('cursor', 'is not an id of this stream')
  return BigInt(found.after[0] ?? 0)
}

function cursorScope(organizationId: string) {
  return { list: 'event stream', filters: { organizationId } }
}

function tooManyStreams(most: number): Refusal {
  return new Refusal('RATE_LIMITED', `At most ${most} streams of one organization at a time`, {
    headers: { 'retry-after': '5' },
  })
}
