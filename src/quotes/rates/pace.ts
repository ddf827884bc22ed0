/** When a source was asked, and for how long it is left alone from then on. */
export type Asked = { atMs: number; waitMs: number }

const firstRetryMs = 60_000

/**
 * How long a source is left alone after an answer, or after so many failures in a row: a minute, then twice as long each
 * time, up to its own pace, and less by up to a half, so that those who failed together do not come back together.
 */
export function waitAfter(failures: number, everyMs: number, random: () => number): number {
  if (failures === 0) return everyMs
  return Math.min(everyMs, firstRetryMs * 2 ** (failures - 1)) * (1 - random() / 2)
}

/** Also when the clock was set back: the time since is not known then. */
export function isDue({ atMs, waitMs }: Asked, nowMs: number): boolean {
  return nowMs >= atMs + waitMs || nowMs < atMs
}
