import type { KeyObject } from 'node:crypto'

export type KeyCacheOptions = { capacity: number; lifeMs: number; now(): number }

/** An LRU cache of unwrapped keys. It drops keys without wiping them: a request may still be sealing with one. */
export function createKeyCache({ capacity, lifeMs, now }: KeyCacheOptions) {
  const entries = new Map<string, { key: KeyObject; until: number }>()
  let generation = 0
  return {
    find: (name: string): KeyObject | undefined => {
      const entry = entries.get(name)
      if (!entry) return undefined
      entries.delete(name)
      if (entry.until <= now()) return undefined
      entries.set(name, entry) // a Map keeps insertion order: this entry becomes the newest
      return entry.key
    },
    /** Take it before reading a key: a key read before `clear` must not be cached after it. */
    generation: (): number => generation,
    keep: (name: string, key: KeyObject, readIn: number): void => {
      if (readIn !== generation) return
      entries.delete(name)
      if (entries.size >= capacity) entries.delete(entries.keys().next().value ?? '')
      entries.set(name, { key, until: now() + lifeMs })
    },
    clear: (): void => {
      generation += 1
      entries.clear()
    },
  }
}
