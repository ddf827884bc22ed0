import { isIPv6 } from 'node:net'
import type { Caller } from '../../lib/caller.ts'
import { Refusal } from '../../lib/refusal.ts'
import { createBuckets, secondsUntilNext } from '../../lib/token-bucket.ts'
import { describeLimit } from './rate-limit.ts'

export type AuthenticatorOptions = {
  /** Who a credential belongs to, or undefined. */
  findCaller(credential: string, address: string): Promise<Caller | undefined>
  /** Whether this process has seen the credential to be good just now. */
  isKnown(credential: string): boolean
  failuresPerMinute: number
}

/** Answers who is asking, or refuses: every bad credential alike, and an address that keeps guessing for a while. */
export type Authenticator = (credential: string, address: string) => Promise<Caller>

export function createAuthenticator({ findCaller, isKnown, failuresPerMinute }: AuthenticatorOptions): Authenticator {
  // In this process's memory by design: a guesser who spreads over processes meets the same limit in each.
  const failures = createBuckets(failuresPerMinute)
  const asking = new Map<string, Promise<Caller>>()

  const lookUp: Authenticator = async (credential, address) => {
    const source = sourceOf(address)
    if (failures.isEmpty(source, Date.now()) && !isKnown(credential)) throw tooManyFailures(failuresPerMinute)
    // Counted before it is looked up, so that many at once count as many.
    const { tokens } = failures.take(source, Date.now())
    const caller = await findCaller(credential, address).catch((error: unknown) => {
      failures.release(source)
      throw error
    })
    if (caller) {
      failures.release(source)
      return caller
    }
    const limit = failuresPerMinute === 0 ? {} : describeLimit('failed-authentication', failuresPerMinute, tokens)
    throw new Refusal('UNAUTHORIZED', 'A valid credential is needed: Authorization: Bearer <key or token>', {
      headers: { 'www-authenticate': 'Bearer', ...limit },
    })
  }

  // A caller who opens with many requests at once is one caller, looked up and counted once, not a crowd of guessers.
  return (credential, address) => {
    const same = `${address} ${credential}`
    const answer = asking.get(same) ?? lookUp(credential, address).finally(() => asking.delete(same))
    asking.set(same, answer)
    return answer
  }
}

/** Who holds one IPv6 address usually holds the 2^64 around it. */
function sourceOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail?.split(':').filter(Boolean) ?? []
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}

function tooManyFailures(perMinute: number): Refusal {
  const retryAfter = String(secondsUntilNext(0, perMinute))
  return new Refusal('RATE_LIMITED', 'Too many failed authentications from this address; try again later', {
    headers: { 'retry-after': retryAfter, ...describeLimit('failed-authentication', perMinute, 0) },
  })
}
