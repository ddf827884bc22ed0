import { isFiat } from '../catalog/currencies.ts'
import type { Audit } from '../db/audit/audit.ts'
import { expediteTransfers } from '../db/counterparty-memory.ts'
import type { Tx } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { Refusal } from '../lib/refusal.ts'
import type { PayoutService } from '../transactions/payouts/service.ts'
import type { TransactionService } from '../transactions/service.ts'
import type { ShownTransaction } from '../transactions/transaction.ts'
import type { HeldAccount } from './bank/formats.ts'
import type { SandboxBank } from './bank/service.ts'

type SandboxTransactionDeps = {
  transactions: TransactionService
  payouts: PayoutService
  audit: Audit
  /** Undefined when the sandbox simulates its bank in memory. */
  bank: SandboxBank | undefined
}

/** A transaction, and our accounts at the bank that exchanges files. */
type Found = { transaction: ShownTransaction; accounts: readonly HeldAccount[] }

const allKinds = ['PAYOUT', 'REFUND', 'RETURN', 'REPAYMENT'] as const

export type SandboxTransactions = ReturnType<typeof createSandboxTransactionService>

/** Expedites the counterparties of a transaction. */
export function createSandboxTransactionService({ transactions, payouts, audit, bank }: SandboxTransactionDeps) {
  const expedite = async (
    tx: Tx,
    { apiKeyId }: Caller,
    { transaction, accounts }: Found,
    step: 'settle' | 'return',
    action: string,
  ) => {
    const expedited = await payouts.expedite(tx, transaction, step === 'return' ? ['PAYOUT'] : allKinds)
    const references = expedited.map(({ shortReference }) => shortReference)
    const ids = expedited.map(({ payoutId }) => payoutId)
    await expediteTransfers(tx, ids, step)
    if (step === 'settle') await bank?.settle(tx, accounts, references)
    else await bank?.returnPayments(tx, references)
    const { organizationId, transactionId: subjectId } = transaction
    await audit.append(tx, { organizationId, actor: `api_key:${apiKeyId}`, action, subjectId })
    return transactions.show(transaction)
  }
  return {
    find: async (caller: Caller, transactionId: string): Promise<Found> => ({
      transaction: await transactions.find(caller, transactionId),
      accounts: (await bank?.accounts()) ?? [],
    }),

    advance: (tx: Tx, caller: Caller, found: Found) =>
      expedite(tx, caller, found, 'settle', 'sandbox.transaction_advanced'),

    returnFunds: (tx: Tx, caller: Caller, found: Found) => {
      const { status, destinationAsset } = found.transaction
      if (status !== 'COMPLETED' || !isFiat(destinationAsset)) {
        throw new Refusal('CONFLICT', 'Only a COMPLETED transaction with a bank destination can be returned')
      }
      return expedite(tx, caller, found, 'return', 'sandbox.transaction_returned')
    },
  }
}
