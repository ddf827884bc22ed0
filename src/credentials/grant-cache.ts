import type { Caller } from '../lib/caller.ts'

/** What a credential was found to allow, and until when that holds. Times are real time in milliseconds. */
export type Grant = {
  caller: Caller
  expiresAtMs: number
  allowedIps: readonly string[] | null
  /** Looked up again after this, whatever the revision says: somebody may have changed the database by hand. */
  staleAtMs: number
}

const most = 10_000

/**
 * Grants by the hash of their credential, so that a warm authentication asks no database. Only good credentials are
 * kept. Every process empties it when the revision of the credentials changes, and passes it by when it cannot tell.
 */
export function createGrantCache() {
  const grants = new Map<string, Grant>()
  // Hashes that were good once. They open nothing: they only tell a caller from a guesser.
  const goodBefore = new Set<string>()
  let generation = 0
  return {
    find: (hash: string): Grant | undefined => grants.get(hash),
    /** Take it before looking a credential up: what was found before a change must not be kept after it. */
    generation: (): number => generation,
    wasGood: (hash: string): boolean => goodBefore.has(hash),
    drop: (hash: string): void => {
      goodBefore.delete(hash)
      grants.delete(hash)
    },
    keep: (hash: string, grant: Grant, foundIn: number): void => {
      if (goodBefore.size >= most) goodBefore.clear()
      goodBefore.add(hash)
      if (foundIn !== generation) return
      // The oldest entry makes room: a Map keeps its order of insertion.
      if (grants.size >= most) grants.delete(grants.keys().next().value ?? '')
      grants.set(hash, grant)
    },
    clear: (): void => {
      generation += 1
      grants.clear()
    },
  }
}

export type GrantCache = ReturnType<typeof createGrantCache>
