import { Refusal } from '../../lib/refusal.ts'
import { createBuckets, secondsUntilNext } from '../../lib/token-bucket.ts'
import { sourceOf } from './address.ts'
import { describeLimit } from './rate-limit.ts'

/**
 * Limits the requests of an address without a credential, in each process; throws when the limit is reached. A refused
 * request takes nothing: otherwise a crowd slightly above the limit would never get through again.
 */
export function createPublicLimit(perMinute: number): (address: string) => void {
  const requests = createBuckets(perMinute)
  return (address) => {
    const source = sourceOf(address)
    if (!requests.isEmpty(source, Date.now())) return void requests.take(source, Date.now())
    const retryAfter = String(secondsUntilNext(0, perMinute))
    throw new Refusal(
      'RATE_LIMITED',
      `The limit of an address is ${perMinute} requests per minute without a credential`,
      {
        headers: { 'retry-after': retryAfter, ...describeLimit('address', perMinute, 0) },
      },
    )
  }
}
