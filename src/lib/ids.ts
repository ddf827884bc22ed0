import { randomFillSync } from 'node:crypto'

const canonicalUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The last 10 of a UUID's 16 bytes; the first 6 are the time. */
const randomLength = 10
/** The 12 bits after the version, rand_a in RFC 9562, count the ids of one millisecond. */
const counterLimit = 0x1000
/** Ids per call of the random generator. */
const poolIds = 1024

/** The organization of acts and money that belong to no integrator. */
export const platformOrganizationId = '00000000-0000-0000-0000-000000000000'

/** The ends of the order of ids; no row has one of them. */
export const lowestId = '00000000-0000-0000-0000-000000000000'
export const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Accepts any version in either case: callers may store ids of other systems in such fields. */
export function isUuid(text: string): boolean {
  return canonicalUuid.test(text)
}

/** RFC 9562, section 5.7: 48 bits of Unix milliseconds, version, 12 bits, variant, 62 bits. */
export function uuidv7(nowMs: number, random: Uint8Array): string {
  if (random.length !== randomLength) throw new RangeError(`A UUIDv7 needs exactly ${randomLength} random bytes`)
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(nowMs, 0, 6)
  bytes.set(random, 6)
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return formatUuid(bytes)
}

/** The two digits of each byte: a table costs less than a call of Buffer. */
const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export function formatUuid(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < 16; at += 1) {
    if (at === 4 || at === 6 || at === 8 || at === 10) text += '-'
    text += hexOf[bytes[at] as number]
  }
  return text
}

/**
 * Creates ids that never descend within the process (RFC 9562, section 6.2, method 1): a counter orders the ids of one
 * millisecond. When it is full, or the clock steps back, the ids run ahead of the clock instead of repeating.
 */
export function createIdSource(readClock: () => number, fillRandom: (bytes: Uint8Array) => void): () => string {
  const pool = new Uint8Array(poolIds * randomLength)
  let used = pool.length
  let lastMs = -1
  let counter = 0

  return () => {
    if (used === pool.length) {
      fillRandom(pool)
      used = 0
    }
    const random = pool.subarray(used, used + randomLength)
    used += randomLength

    const nowMs = readClock()
    counter += 1
    if (nowMs > lastMs || counter === counterLimit) {
      lastMs = Math.max(nowMs, lastMs + 1)
      // A random start below the middle keeps ids hard to guess and leaves room for 2,048 more.
      counter = ((random[0]! << 8) | random[1]!) & 0x7ff
    }
    random[0] = counter >> 8
    random[1] = counter & 0xff
    return uuidv7(lastMs, random)
  }
}

/**
 * Creates an id. The only function of this folder that reads a clock: an id is an identity, not business time, so it
 * follows the real clock even while the sandbox clock is frozen.
 */
export const newId: () => string = createIdSource(() => Date.now(), randomFillSync)
