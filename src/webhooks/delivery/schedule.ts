import { createHash } from 'node:crypto'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The delay of each attempt after the previous one: ten attempts within slightly more than three days. */
const delaysMs = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** The longest delay that a receiver can request. */
const longestDelayMs = 24 * hour

/** Adds up to a tenth to each delay, so that deliveries that failed together spread out. */
const jitter = 0.1

/**
 * The delay after `attemptsMade` failed attempts of this schedule; undefined after the last. A receiver can lengthen
 * the delay with Retry-After, never shorten it.
 */
export function nextDelayMs(
  attemptsMade: number,
  deliveryId: string,
  retryAfterMs: number | undefined,
): number | undefined {
  const planned = delaysMs[attemptsMade]
  if (planned === undefined) return undefined
  const requested = Math.min(retryAfterMs ?? 0, longestDelayMs)
  return Math.max(Math.round(planned * (1 + jitter * jitterOf(deliveryId, attemptsMade))), requested)
}

/** A fraction from 0 to 1, derived from the delivery so that its schedule is predictable. */
function jitterOf(deliveryId: string, attemptsMade: number): number {
  return createHash('sha256').update(`${deliveryId} ${attemptsMade}`).digest().readUInt32BE(0) / 2 ** 32
}

/** Reads seconds or an HTTP date (RFC 9110, section 10.2.3). Any other value is ignored. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d+$/.test(header)) return Number(header) * second
  const isHttpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(header)
  const at = isHttpDate ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
