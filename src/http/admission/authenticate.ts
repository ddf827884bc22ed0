import type { Caller } from '../../lib/caller.ts'
import { Refusal } from '../../lib/refusal.ts'
import { createBuckets, secondsUntilNext } from '../../lib/token-bucket.ts'
import { sourceOf } from './address.ts'
import { describeLimit } from './rate-limit.ts'

export type AuthenticatorOptions = {
  /** Finds the caller of a credential; undefined when it is not valid. */
  findCaller(credential: string, address: string): Promise<Caller | undefined>
  /** True for a credential that is known to be good without a look-up of its own. Asked for a blocked address only. */
  isKnown(credential: string): Promise<boolean>
  /** Tells the holder of a key that we stored why it does not work; undefined for everyone else. */
  explain(credential: string, address: string): Promise<string | undefined>
  failuresPerMinute: number
}

/** Finds the caller, or refuses: all bad credentials alike, and for a while an address that keeps guessing. */
export type Authenticator = (credential: string, address: string) => Promise<Caller>

export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { findCaller, isKnown, explain, failuresPerMinute } = options
  // In the memory of this process by design: a guesser meets the same limit in every process.
  const failures = createBuckets(failuresPerMinute)
  const pendingLookUps = new Map<string, Promise<Caller>>()

  const lookUp: Authenticator = async (credential, address) => {
    const source = sourceOf(address)
    if (failures.isEmpty(source, Date.now())) {
      // Neighbours share an address: guesses of one do not lock out another. No success makes room for a further guess.
      const caller = (await isKnown(credential)) ? await findCaller(credential, address) : undefined
      if (!caller) throw tooManyFailures(failuresPerMinute)
      return caller
    }
    // Counts before the look-up, so that concurrent guesses all count. A success takes back this count alone.
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
    throw new Refusal('UNAUTHORIZED', 'Send a valid credential: Authorization: Bearer <API key or token>', {
      headers: { 'www-authenticate': challenge(await explain(credential, address)), ...limit },
    })
  }

  // Concurrent requests with the same credential share one look-up, and count as one.
  return (credential, address) => {
    const same = `${address} ${credential}`
    const answer = pendingLookUps.get(same) ?? lookUp(credential, address).finally(() => pendingLookUps.delete(same))
    pendingLookUps.set(same, answer)
    return answer
  }
}

/** The header of a 401 (RFC 6750, section 3). The body is the same for all. */
function challenge(reason: string | undefined): string {
  return reason === undefined ? 'Bearer' : `Bearer error="invalid_token", error_description="${reason}"`
}

function tooManyFailures(perMinute: number): Refusal {
  const retryAfter = String(secondsUntilNext(0, perMinute))
  return new Refusal(
    'RATE_LIMITED',
    'Too many failed authentications from this address; try again after the time in retry-after',
    {
      headers: { 'retry-after': retryAfter, ...describeLimit('failed-authentication', perMinute, 0) },
    },
  )
}
