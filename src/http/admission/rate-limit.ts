import type { Caller } from '../../lib/caller.ts'
import { Refusal } from '../../lib/refusal.ts'
import { secondsUntilNext } from '../../lib/token-bucket.ts'

/** Takes up to `wanted` tokens out of the bucket that all processes share. */
export type GrabTokens = (
  organizationId: string,
  wanted: number,
  perMinute: number,
) => Promise<{ granted: number; remaining: number }>

type Share = {
  tokens: number
  size: number
  remaining: number
  grabbedAtMs: number
  grabbing: Promise<void> | undefined
}

// A share that was not used is not kept: it would be missing where the caller goes next.
const shareLivesMs = 1_000
// At most a quarter of a second's worth at a time keeps the database out of nearly every request of a busy caller.
const sharesPerMinute = 240

/**
 * How fast an organization may call, whatever the number of processes. Each process takes a small share of the common
 * bucket and spends it in memory. Returns the headers that tell the caller; throws when the bucket is empty.
 */
export function createRateLimit(grab: GrabTokens) {
  const shares = new Map<string, Share>()

  const grabMore = async (share: Share, organizationId: string, perMinute: number) => {
    // One token for a trickle, doubled while shares are spent within their life: idle processes hoard nothing.
    const isBusy = Date.now() - share.grabbedAtMs < shareLivesMs
    share.size = isBusy ? Math.min(share.size * 2, Math.max(1, Math.floor(perMinute / sharesPerMinute))) : 1
    const { granted, remaining } = await grab(organizationId, share.size, perMinute)
    share.tokens += granted
    share.remaining = remaining
    share.grabbedAtMs = Date.now()
  }

  return async ({ organizationId, requestsPerMinute }: Caller): Promise<Record<string, string>> => {
    if (requestsPerMinute === 0) return {}
    const share = shares.get(organizationId) ?? {
      tokens: 0,
      size: 1,
      remaining: 0,
      grabbedAtMs: 0,
      grabbing: undefined,
    }
    shares.set(organizationId, share)
    if (Date.now() - share.grabbedAtMs > shareLivesMs && !share.grabbing) share.tokens = 0
    while (share.tokens < 1) {
      const isFirst = share.grabbing === undefined
      share.grabbing ??= grabMore(share, organizationId, requestsPerMinute).finally(() => {
        share.grabbing = undefined
      })
      await share.grabbing
      // Those who waited may find the share spent by others; only an empty bucket refuses.
      if (share.tokens < 1 && (isFirst || share.remaining < 1)) throw tooFast(requestsPerMinute, share.remaining)
    }
    share.tokens -= 1
    return describeLimit('organization', requestsPerMinute, share.remaining + share.tokens)
  }
}

/** The fields of draft-ietf-httpapi-ratelimit-headers: the policy, what is left, and seconds until it is full again. */
export function describeLimit(policy: string, perMinute: number, left: number): Record<string, string> {
  const remaining = Math.max(0, Math.floor(left))
  const seconds = Math.ceil(((perMinute - remaining) * 60) / perMinute)
  return { 'ratelimit-policy': `"${policy}";q=${perMinute};w=60`, ratelimit: `"${policy}";r=${remaining};t=${seconds}` }
}

function tooFast(perMinute: number, remaining: number): Refusal {
  const retryAfter = String(secondsUntilNext(remaining, perMinute))
  return new Refusal('RATE_LIMITED', `More than ${perMinute} requests a minute; try again after ${retryAfter} s`, {
    headers: { 'retry-after': retryAfter, ...describeLimit('organization', perMinute, remaining) },
  })
}
