import type { Caller } from '../../lib/caller.ts'
import { Refusal } from '../../lib/refusal.ts'
import { secondsUntilNext } from '../../lib/token-bucket.ts'

/**
 * Takes up to `wanted` tokens from the bucket that all processes share, and none if it has fewer than `least`: a request
 * that is refused takes nothing, so that a caller that keeps asking for much is served in the end.
 */
export type TakeTokens = (
  organizationId: string,
  tokens: { wanted: number; least: number },
  perMinute: number,
) => Promise<{ granted: number; remaining: number }>

type Share = {
  tokens: number
  size: number
  remaining: number
  refilledAtMs: number
  refilling: Promise<void> | undefined
}

// An unused share expires, because the caller may need its tokens at another process.
const shareLifetimeMs = 1_000
// Shares of up to a quarter of a second's tokens spare nearly every request of a busy caller the database.
const sharesPerMinute = 240

/**
 * Limits the requests of an organization across all processes. Each process takes a small share of the common bucket
 * and spends it in memory, without a promise. Returns the rate-limit headers; throws when the bucket is empty.
 */
export function createRateLimit(takeTokens: TakeTokens) {
  const shares = new Map<string, Share>()

  const refillShare = async (share: Share, units: number, organizationId: string, perMinute: number) => {
    // Starts with one token and doubles while shares are used up within their lifetime, so that idle processes hold
    // few.
    const isBusy = Date.now() - share.refilledAtMs < shareLifetimeMs
    share.size = isBusy ? Math.min(share.size * 2, Math.max(1, Math.floor(perMinute / sharesPerMinute))) : 1
    const least = units - share.tokens
    const tokens = { wanted: Math.max(share.size, least), least }
    const { granted, remaining } = await takeTokens(organizationId, tokens, perMinute)
    share.tokens += granted
    share.remaining = remaining
    share.refilledAtMs = Date.now()
  }

  const takeShare = async (share: Share, units: number, { organizationId, requestsPerMinute }: Caller) => {
    while (share.tokens < units) {
      const isFirst = share.refilling === undefined
      share.refilling ??= refillShare(share, units, organizationId, requestsPerMinute).finally(() => {
        share.refilling = undefined
      })
      await share.refilling
      // Other requests may have used up the share while this one waited; only an empty bucket refuses.
      const isEmpty = isFirst || share.remaining + share.tokens < units
      if (share.tokens < units && isEmpty) throw rateLimited(requestsPerMinute, units, share)
    }
    share.tokens -= units
    return describeLimit('organization', requestsPerMinute, share.remaining + share.tokens)
  }

  return (
    caller: Caller,
    /** The work of the request, in small requests. No request costs more than a full bucket. */
    work = 1,
  ): Record<string, string> | Promise<Record<string, string>> => {
    const { organizationId, requestsPerMinute } = caller
    if (requestsPerMinute === 0) return {}
    const units = Math.min(work, requestsPerMinute)
    const share = shares.get(organizationId) ?? {
      tokens: 0,
      size: 1,
      remaining: 0,
      refilledAtMs: 0,
      refilling: undefined,
    }
    shares.set(organizationId, share)
    if (Date.now() - share.refilledAtMs > shareLifetimeMs && !share.refilling) share.tokens = 0
    if (share.tokens < units) return takeShare(share, units, caller)
    share.tokens -= units
    return describeLimit('organization', requestsPerMinute, share.remaining + share.tokens)
  }
}

/**
 * Writes the headers of draft-ietf-httpapi-ratelimit-headers: the policy, the remaining requests, and the reset time.
 */
export function describeLimit(policy: string, perMinute: number, left: number): Record<string, string> {
  const remaining = Math.max(0, Math.floor(left))
  const seconds = Math.ceil(((perMinute - remaining) * 60) / perMinute)
  return { 'ratelimit-policy': `"${policy}";q=${perMinute};w=60`, ratelimit: `"${policy}";r=${remaining};t=${seconds}` }
}

function rateLimited(perMinute: number, units: number, { remaining, tokens }: Share): Refusal {
  const retryAfter = String(secondsUntilNext(remaining, perMinute, units - tokens))
  const counts = units === 1 ? '' : `, of which this one counts as ${units}`
  const message = `The limit is ${perMinute} requests per minute${counts}; try again after ${retryAfter} s`
  return new Refusal('RATE_LIMITED', message, {
    headers: { 'retry-after': retryAfter, ...describeLimit('organization', perMinute, remaining + tokens) },
  })
}
