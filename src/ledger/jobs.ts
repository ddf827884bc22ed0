import type { Duty } from '../db/duties.ts'
import type { LedgerService } from './service.ts'

const foldEveryMs = 5_000

/** Keeps what accounts without a kept balance stand at cheap to read. */
export function foldDuty(ledger: LedgerService): Duty {
  return { name: 'fold ledger entries', everyMs: foldEveryMs, run: ledger.fold }
}
