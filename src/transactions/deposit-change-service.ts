import type { Queryable } from '../db/database.ts'
import type { PayoutRow } from './payout.ts'

/** What was to go back has arrived. */
export async function finishReturn(_transaction: Queryable, _payout: PayoutRow): Promise<void> {}
