import { isFiat } from '../catalog/currencies.ts'
import type { Audit } from '../db/audit/audit.ts'
import { expediteTransfers } from '../db/counterparty-memory.ts'
import type { Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { Refusal } from '../lib/refusal.ts'
import type { PayoutService } from '../transactions/payouts/service.ts'
import type { TransactionService } from '../transactions/service.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { presentTransaction } from '../transactions/wire.ts'

type SandboxTransactionDeps = { transactions: TransactionService; payouts: PayoutService; audit: Audit }

const allKinds = ['PAYOUT', 'REFUND', 'RETURN', 'REPAYMENT'] as const

export type SandboxTransactions = ReturnType<typeof createSandboxTransactionService>

/** Expedites the counterparties of a transaction. */
export function createSandboxTransactionService({ transactions, payouts, audit }: SandboxTransactionDeps) {
  const expedite = async (
    tx: Tx,
    { apiKeyId }: Caller,
    transaction: Transaction,
    step: 'settle' | 'return',
    action: string,
  ) => {
    const references = await payouts.expedite(tx, transaction, step === 'return' ? ['PAYOUT'] : allKinds)
    await expediteTransfers(tx, references, step)
    const { organizationId, transactionId: subjectId } = transaction
    await audit.append(tx, { organizationId, actor: `api_key:${apiKeyId}`, action, subjectId })
    return presentTransaction(transaction)
  }
  return {
    find: (caller: Caller, transactionId: string): Promise<Transaction> => transactions.find(caller, transactionId),

    advance: (tx: Tx, caller: Caller, transaction: Transaction) =>
      expedite(tx, caller, transaction, 'settle', 'sandbox.transaction_advanced'),

    returnFunds: (tx: Tx, caller: Caller, transaction: Transaction) => {
      if (transaction.status !== 'COMPLETED' || !isFiat(transaction.destinationAsset)) {
        throw new Refusal('CONFLICT', 'Only a COMPLETED transaction with a bank destination can be returned')
      }
      return expedite(tx, caller, transaction, 'return', 'sandbox.transaction_returned')
    },
  }
}
