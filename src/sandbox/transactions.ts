import { isFiat } from '../catalog/currencies.ts'
import type { Audit } from '../db/audit/audit.ts'
import { hurryTransfers } from '../db/counterparty-memory.ts'
import type { Queryable } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { Refusal } from '../lib/refusal.ts'
import type { PayoutService } from '../transactions/payouts/service.ts'
import type { TransactionService } from '../transactions/service.ts'
import type { TransactionRow } from '../transactions/transaction.ts'
import { presentTransaction } from '../transactions/wire.ts'

type Options = { transactions: TransactionService; payouts: PayoutService; audit: Audit }

const everything = ['PAYOUT', 'REFUND', 'RETURN', 'REPAYMENT'] as const

export type SandboxTransactions = ReturnType<typeof makeSandboxTransactions>

/** Does to a transaction's counterparties what otherwise takes time. */
export function makeSandboxTransactions({ transactions, payouts, audit }: Options) {
  const hurry = async (
    transaction: Queryable,
    { apiKeyId }: Caller,
    row: TransactionRow,
    what: 'settle' | 'return',
    action: string,
  ) => {
    const references = await payouts.hurry(transaction, row, what === 'return' ? ['PAYOUT'] : everything)
    await hurryTransfers(transaction, references, what)
    const { organizationId, transactionId: subjectId } = row
    await audit.append(transaction, { organizationId, actor: `api_key:${apiKeyId}`, action, subjectId })
    return presentTransaction(row)
  }
  return {
    find: (caller: Caller, transactionId: string): Promise<TransactionRow> => transactions.find(caller, transactionId),

    advance: (transaction: Queryable, caller: Caller, row: TransactionRow) =>
      hurry(transaction, caller, row, 'settle', 'sandbox.transaction_advanced'),

    giveBack: (transaction: Queryable, caller: Caller, row: TransactionRow) => {
      if (row.status !== 'COMPLETED' || !isFiat(row.destinationAsset)) {
        throw new Refusal('CONFLICT', 'Only what was paid to a bank, and is COMPLETED, comes back')
      }
      return hurry(transaction, caller, row, 'return', 'sandbox.transaction_returned')
    },
  }
}
