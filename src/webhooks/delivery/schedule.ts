import { createHash } from 'node:crypto'

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** How long after the attempt before it each attempt comes. Ten attempts in all, over a little more than three days. */
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

/** No receiver can put an event off for longer than this. */
const longestWaitMs = 24 * hour

/** Up to a tenth later than the schedule says, so that what failed together does not come back together. */
const jitter = 0.1

/**
 * How long to wait after `made` attempts of this schedule have failed; undefined when that was the last. A receiver may
 * ask for more time than the schedule gives, never for less.
 */
export function nextDelayMs(made: number, deliveryId: string, retryAfterMs: number | undefined): number | undefined {
  const planned = delaysMs[made]
  if (planned === undefined) return undefined
  const wanted = Math.min(retryAfterMs ?? 0, longestWaitMs)
  return Math.max(Math.round(planned * (1 + jitter * spread(deliveryId, made))), wanted)
}

/** From 0 to 1, and the same each time it is asked: a delivery's times can be told in advance. */
function spread(deliveryId: string, made: number): number {
  return createHash('sha256').update(`${deliveryId} ${made}`).digest().readUInt32BE(0) / 2 ** 32
}

/** RFC 9110, section 10.2.3: seconds, or a date of HTTP. Anything else is as if it was not sent. */
export function readRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d+$/.test(header)) return Number(header) * second
  const isHttpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(header)
  const at = isHttpDate ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
