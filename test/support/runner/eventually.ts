import { vi } from 'vitest'
import { type Patience, patience } from './patience.ts'

const wakes = new Set<() => void>()

/** Makes these workers poll at once while a test waits, not at their next tick. Returns a function that ends this. */
export function wakeWhileWaiting({ wake }: { wake(): void }): () => void {
  wakes.add(wake)
  return () => void wakes.delete(wake)
}

/** Retries the check until it holds, and returns its result. */
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
