import type { Duty } from '../../db/duties.ts'
import { type AgedCount, agedDuty, agedEveryMs, pauseAfter, type ReconciliationService } from './service.ts'

const hourMs = 3_600_000

/**
 * The duties of reconciliation. Each is its own: differences are counted also while names cannot be kept, from the whole
 * history if need be.
 */
export function reconciliationDuties(reconciliation: ReconciliationService): Duty[] {
  const pauseMs = (outcome: unknown) => pauseAfter(outcome as AgedCount)
  return [
    { name: 'keep names of banks', everyMs: agedEveryMs, run: () => reconciliation.keepNames(), pauseMs },
    { name: agedDuty, everyMs: agedEveryMs, run: reconciliation.countAged, pauseMs },
    { name: 'prove kept names', everyMs: hourMs, due: reconciliation.unprovedDue, run: reconciliation.proveUnproved },
  ]
}
