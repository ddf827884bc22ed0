import type { Duty } from '../../db/duties.ts'
import { type AgedCount, agedDuty, agedEveryMs, pauseAfter, type ReconciliationService } from './service.ts'

/** Counts the differences that should have ended by now, for the gauge. */
export function agedDutyOf(reconciliation: ReconciliationService): Duty {
  return {
    name: agedDuty,
    everyMs: agedEveryMs,
    run: reconciliation.countAged,
    pauseMs: (outcome) => pauseAfter(outcome as AgedCount),
  }
}
