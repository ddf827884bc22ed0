import type { Duty } from '../../db/duties.ts'
import { agedDuty, agedEveryMs, type ReconciliationService } from './service.ts'

/** Counts the differences that should have ended by now, for the gauge. */
export function agedDutyOf(reconciliation: ReconciliationService): Duty {
  return { name: agedDuty, everyMs: agedEveryMs, run: reconciliation.countAged }
}
