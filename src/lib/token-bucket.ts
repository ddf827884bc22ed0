/** A token bucket that refills evenly and holds at most a minute's tokens. Counts requests, never money. */
export type Bucket = { tokens: number; refilledAtMs: number }

export function refill(bucket: Bucket, perMinute: number, nowMs: number): Bucket {
  // A clock that was set back must not empty the bucket.
  const elapsedMs = Math.max(0, nowMs - bucket.refilledAtMs)
  return { tokens: Math.min(perMinute, bucket.tokens + (elapsedMs * perMinute) / 60_000), refilledAtMs: nowMs }
}

/** The time until the bucket holds `wanted` tokens. */
export function secondsUntilNext(tokens: number, perMinute: number, wanted = 1): number {
  return Math.max(1, Math.ceil(((wanted - tokens) * 60) / perMinute))
}

const maxBuckets = 50_000

/** Keeps one bucket per key in the memory of this process, and drops the least recently used keys. */
export function createBuckets(perMinute: number) {
  const buckets = new Map<string, Bucket>()
  const current = (key: string, nowMs: number): Bucket =>
    refill(buckets.get(key) ?? { tokens: perMinute, refilledAtMs: nowMs }, perMinute, nowMs)
  return {
    isEmpty: (key: string, nowMs: number): boolean => perMinute > 0 && current(key, nowMs).tokens < 1,
    take: (key: string, nowMs: number): Bucket => {
      const { tokens, refilledAtMs } = current(key, nowMs)
      const bucket = { tokens: Math.max(0, tokens - 1), refilledAtMs }
      buckets.delete(key) // keeps the map in order of last use
      if (buckets.size >= maxBuckets) buckets.delete(buckets.keys().next().value ?? '')
      buckets.set(key, bucket)
      return bucket
    },
    release: (key: string): void => {
      const bucket = buckets.get(key)
      if (bucket) bucket.tokens = Math.min(perMinute, bucket.tokens + 1)
    },
  }
}
