import { afterAll } from 'vitest'
import type { AccountName } from '../../../src/transactions/bank-files/formats.ts'
import { autoFiatAccountOf, createAccount } from '../money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../money/quotes.ts'
import { createTransaction, startWithWorkers, transferReference } from '../money/transactions.ts'
import { openDesk } from './bank-desk.ts'

/** A service whose bank the test plays, and a customer in the euro area with a bank account and a wallet. */
export async function startEuroWorld() {
  const desk = await openDesk()
  const api = await startWithWorkers(desk.settings)
  afterAll(api.stop)
  const ada = await makeActive(api, 'DE')
  const { customerId } = ada
  const { bank, wallet } = await makeAccounts(api, ada, 'SEPA')
  return {
    desk,
    api,
    ada,
    customerId,

    /** Orders tokens, and answers the message that the payment must carry. */
    order: async (amount: string, source = bank) => {
      const from = [source, 'EUR', 'SEPA', amount] as const
      const transaction = await createTransaction(api, { customerId, from, to: [wallet, 'USDC', 'BASE'] })
      const { transactionId } = transaction
      return { transaction, transactionId, message: transferReference(transaction) ?? '' }
    },

    /** Opens an auto fiat account of the customer, and answers how a bank names it. */
    openAutoAccount: async (): Promise<AccountName & { iban: string }> => {
      const { svcAutoFiatAccount } = await createAccount(api, autoFiatAccountOf(customerId, 'EUR', wallet))
      return { iban: svcAutoFiatAccount?.iban ?? '' }
    },
  }
}
