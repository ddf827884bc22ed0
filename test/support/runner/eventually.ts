import { vi } from 'vitest'
import { type Patience, patience } from './patience.ts'

const wakes = new Set<() => void>()

/** While a test waits, these workers look for work at once and not at their next tick. Answers how to end that. */
export function wakeWhileWaiting({ wake }: { wake(): void }): () => void {
  wakes.add(wake)
  return () => void wakes.delete(wake)
}

/** Tries until the check holds, and answers what it answered then. */
export function eventually<Found>(check: () => Found | Promise<Found>, longer: Patience = {}): Promise<Found> {
  const tryOnce = async () => {
    try {
      return await check()
    } catch (error) {
      for (const wake of wakes) wake()
      throw error
    }
  }
  return vi.waitFor(tryOnce, { ...patience, ...longer })
}
