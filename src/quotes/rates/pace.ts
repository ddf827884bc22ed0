/** The last poll of a source, and the delay until the next one. */
export type Poll = { atMs: number; waitMs: number }

const firstRetryMs = 60_000

/**
 * Computes the delay until the next poll: the source's own pace, or after failures a minute, doubled for each further
 * failure, up to that pace. A random part of up to a half is taken off, so that processes do not retry together.
 */
export function pollDelayMs(failures: number, everyMs: number, random: () => number): number {
  if (failures === 0) return everyMs
  return Math.min(everyMs, firstRetryMs * 2 ** (failures - 1)) * (1 - random() / 2)
}

/** Tells whether a source is due. It is also due when the clock was set back, because the elapsed time is unknown. */
export function isDue({ atMs, waitMs }: Poll, nowMs: number): boolean {
  return nowMs >= atMs + waitMs || nowMs < atMs
}
