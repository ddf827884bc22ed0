import { type SlicePart, sliceByKeys } from '../../db/checks/slices.ts'
import type { Check } from '../../db/verify.ts'
import { heldTransactionsHaveApprovals } from './approval-store.ts'
import { clearingHasItsTransaction, clearingIsNotBelowZero, finishedTransactionsAreCleared } from './clearing-store.ts'
import {
  depositsAreWhereTheySay,
  receivedAmountsAreApplied,
  returnsAreCounted,
  reversalsAreCounted,
  suspenseIsNotBelowZero,
} from './deposit-store.ts'
import {
  completedTransactionsArePaid,
  finishedTransactionsAreSettled,
  obligationsArePaidOnce,
  repaymentsAreReturned,
  sourcesAreCollected,
} from './payout-store.ts'

/** Creates a check of money. Each statement reads one snapshot, so payments in progress raise no false alarm. */
function check(name: string, ...parts: readonly SlicePart[]): Check {
  return { name, isMoney: true, ...sliceByKeys(parts) }
}

/** Invariants of all transactions, payouts and deposits. */
export const transactionChecks: readonly Check[] = [
  check('a transaction is COMPLETED exactly when its payout is confirmed and posted', completedTransactionsArePaid),
  check('a finished transaction has no open reserve and no open payout', finishedTransactionsAreSettled),
  check('no obligation is paid twice, and no quote is used twice', ...obligationsArePaidOnce),
  check('a transaction waits, and pays nothing, exactly while its approval is open', heldTransactionsHaveApprovals),
  check('the tokens of a paid transaction are collected once', sourcesAreCollected),
  check('repayments do not exceed returned funds, and are reserved until they are confirmed', repaymentsAreReturned),
  check('the ledger holds every deposit where its status says', depositsAreWhereTheySay),
  check('a deposit counts exactly its live returns', returnsAreCounted),
  check('a deposit counts exactly its reversals', reversalsAreCounted),
  check('suspense is never below zero for a deposit', suspenseIsNotBelowZero),
  check('the received amount of a transaction is the sum of its applied deposits', receivedAmountsAreApplied),
  check('clearing is never below zero for a transaction', clearingIsNotBelowZero),
  check(
    'clearing holds only the money of unfinished transactions',
    finishedTransactionsAreCleared,
    clearingHasItsTransaction,
  ),
]
