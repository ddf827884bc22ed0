import { vi } from 'vitest'
import { type Patience, patience } from './patience.ts'

/** Tries until the check holds, and answers what it answered then. */
export function eventually<Found>(check: () => Found | Promise<Found>, longer: Patience = {}): Promise<Found> {
  return vi.waitFor(check, { ...patience, ...longer })
}
