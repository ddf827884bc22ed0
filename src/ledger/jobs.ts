import type { Duty } from '../db/duties.ts'
import type { LedgerService } from './service.ts'

const foldEveryMs = 1_000

/** Folds entries into the system accounts, so that reading their positions stays cheap. */
export function foldDuty(ledger: LedgerService): Duty {
  return { name: 'fold ledger entries', everyMs: foldEveryMs, due: ledger.hasUnfolded, run: ledger.fold }
}
