import type { IpRange } from '../lib/addresses/ip-range.ts'
import type { Caller } from '../lib/caller.ts'

/** The rights of a credential, and until when they hold. Times are real time in milliseconds. */
export type Grant = {
  caller: Caller
  expiresAtMs: number
  /** True while the operator has suspended the organization: the credential is valid, and grants nothing. */
  isSuspended: boolean
  /** Lists of addresses, of the key and of its organization. An address must be in each. */
  allowedIps: readonly (readonly IpRange[])[]
  /** Re-read after this time even without a new revision: an operator may have changed the database by hand. */
  staleAtMs: number
}

const capacity = 10_000

/**
 * Caches grants by the hash of their credential, so that a warm authentication reads no database. It holds valid
 * credentials only. Every process clears it when the revision of the credentials changes, and ignores it while stale.
 */
export function createGrantCache() {
  const grants = new Map<string, Grant>()
  // Hashes that were valid once. They grant nothing: they only separate known callers from guessers.
  const validBefore = new Set<string>()
  let generation = 0
  return {
    find: (hash: string): Grant | undefined => grants.get(hash),
    /** Take it before reading a credential: a grant read before `clear` must not be cached after it. */
    generation: (): number => generation,
    wasValid: (hash: string): boolean => validBefore.has(hash),
    drop: (hash: string): void => {
      validBefore.delete(hash)
      grants.delete(hash)
    },
    keep: (hash: string, grant: Grant, foundIn: number): void => {
      if (validBefore.size >= capacity) validBefore.clear()
      validBefore.add(hash)
      if (foundIn !== generation) return
      // Evicts the oldest entry: a Map keeps insertion order.
      if (grants.size >= capacity) grants.delete(grants.keys().next().value ?? '')
      grants.set(hash, grant)
    },
    clear: (): void => {
      generation += 1
      grants.clear()
    },
  }
}

export type GrantCache = ReturnType<typeof createGrantCache>
