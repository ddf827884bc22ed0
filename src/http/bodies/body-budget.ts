import { type Refusal, unavailable } from '../../lib/refusal.ts'

/** The largest body of a request. */
export const maxBodyBytes = 104_857_600

/** The bytes of one body in the budget. */
export type HeldBody = {
  /** Counts the body as this long. Throws when its owner or the process holds too much. */
  grow(bytes: number): void
  /** Says that the body has arrived: from now on its request is worked on, and keeps it. */
  arrived(): void
  release(): void
}

type Entry = { owner: string; bytes: number; isArriving: boolean; heardAt: number; giveWay(refusal: Refusal): void }

const retryAfterSeconds = 2

/**
 * Limits the bytes of request bodies in this process. Each owner, which is an organization or else an address, holds at
 * most half of it, and one body in any case. When the rest is used up, an owner that holds less makes one that holds
 * more give way: the body of which nothing has come for longest is refused. So an owner that holds less gets no 503
 * because of bodies that still arrive, stalled or not.
 */
export class BodyBudget {
  readonly #limit: number
  readonly #share: number
  readonly #entries = new Set<Entry>()
  readonly #useOf = new Map<string, number>()
  #used = 0
  #clock = 0

  constructor(limit: number) {
    this.#limit = limit
    this.#share = Math.max(limit / 2, maxBodyBytes)
  }

  get used(): number {
    return this.#used
  }

  /**
   * Checks early whether a body of this size can fit, without reserving it: bytes count as they arrive, so a slow
   * sender delays no other caller. Bodies that still arrive are no reason to refuse it: they may end or give way before
   * it needs their room.
   */
  requireRoom(owner: string, bytes: number): void {
    if (this.#heldBy(owner) + bytes > this.#share) throw ownShareUsed()
    if (this.#arrivedBytes() + bytes > this.#limit) throw processFull()
  }

  /** `giveWay` ends the reading of the body with a refusal. */
  open(owner: string, giveWay: (refusal: Refusal) => void): HeldBody {
    const entry: Entry = { owner, bytes: 0, isArriving: true, heardAt: 0, giveWay }
    return {
      grow: (bytes) => {
        this.#clock += 1
        entry.heardAt = this.#clock
        if (bytes > entry.bytes) this.#take(entry, bytes - entry.bytes)
      },
      arrived: () => {
        entry.isArriving = false
      },
      release: () => this.#release(entry),
    }
  }

  #take(entry: Entry, bytes: number): void {
    const wanted = this.#heldBy(entry.owner) + bytes
    if (wanted > this.#share) throw ownShareUsed()
    while (this.#used + bytes > this.#limit) this.#makeRoom(wanted)
    this.#entries.add(entry)
    this.#add(entry, bytes)
  }

  /** Refuses the body that was silent for longest among those of the owner that holds most, if that is more. */
  #makeRoom(wanted: number): void {
    let found: Entry | undefined
    for (const entry of this.#entries) {
      const held = this.#heldBy(entry.owner)
      if (!entry.isArriving || held <= wanted) continue
      const most = found ? this.#heldBy(found.owner) : 0
      if (!found || held > most || (held === most && entry.heardAt < found.heardAt)) found = entry
    }
    if (!found) throw processFull()
    this.#release(found)
    found.giveWay(roomNeeded())
  }

  #release(entry: Entry): void {
    this.#entries.delete(entry)
    this.#add(entry, -entry.bytes)
  }

  #add(entry: Entry, bytes: number): void {
    entry.bytes += bytes
    this.#used += bytes
    const held = this.#heldBy(entry.owner) + bytes
    if (held === 0) this.#useOf.delete(entry.owner)
    else this.#useOf.set(entry.owner, held)
  }

  #arrivedBytes(): number {
    let bytes = 0
    for (const entry of this.#entries) if (!entry.isArriving) bytes += entry.bytes
    return bytes
  }

  #heldBy(owner: string): number {
    return this.#useOf.get(owner) ?? 0
  }
}

function ownShareUsed(): Refusal {
  const message = `Too many of your large requests are processed at once; try again in ${retryAfterSeconds} seconds`
  return unavailable(message, retryAfterSeconds)
}

function processFull(): Refusal {
  const message = `The server is processing too many large requests; try again in ${retryAfterSeconds} seconds`
  return unavailable(message, retryAfterSeconds)
}

function roomNeeded(): Refusal {
  const message = `The server needs the room for requests of others; try again in ${retryAfterSeconds} seconds`
  return unavailable(message, retryAfterSeconds)
}
