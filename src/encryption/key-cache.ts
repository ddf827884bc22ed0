import type { KeyObject } from 'node:crypto'

export type KeyCacheOptions = { most: number; lifeMs: number; now(): number }

/**
 * Unwrapped keys, the ones used longest ago leaving first. Keys are never wiped here, only let go: somebody may be
 * sealing with one right now.
 */
export function createKeyCache({ most, lifeMs, now }: KeyCacheOptions) {
  const entries = new Map<string, { key: KeyObject; until: number }>()
  let generation = 0
  return {
    find: (name: string): KeyObject | undefined => {
      const entry = entries.get(name)
      if (!entry) return undefined
      entries.delete(name)
      if (entry.until <= now()) return undefined
      entries.set(name, entry) // a Map keeps its order of insertion: this one is the youngest again
      return entry.key
    },
    /** Take it before reading a key: what was read before a change must not be kept after it. */
    generation: (): number => generation,
    keep: (name: string, key: KeyObject, readIn: number): void => {
      if (readIn !== generation) return
      entries.delete(name)
      if (entries.size >= most) entries.delete(entries.keys().next().value ?? '')
      entries.set(name, { key, until: now() + lifeMs })
    },
    clear: (): void => {
      generation += 1
      entries.clear()
    },
  }
}
