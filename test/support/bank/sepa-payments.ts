import { afterAll } from 'vitest'
import { makeAccounts, makeActive } from '../money/quotes.ts'
import { createTransaction, creditWallet, startWithWorkers } from '../money/transactions.ts'
import { openDesk, waitForFile, waitUntilRead } from './bank-desk.ts'

/** A service whose customer pays by SEPA, and the desk of its bank. */
export async function startSepaPayments() {
  const desk = await openDesk()
  const api = await startWithWorkers({ ...desk.settings, SVC_BANK_FILE_VALID: '600' })
  afterAll(api.stop)
  const ada = await makeActive(api, 'DE')
  const { bank, wallet } = await makeAccounts(api, ada, 'SEPA')
  const { customerId, organizationId } = ada
  await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 1_000_000_000_000n })
  return {
    desk,
    api,
    /** Begins a transaction, and waits until its payment has left in a file. */
    pay: async (amount = '10.00') => {
      const from = [wallet, 'USDC', 'BASE', amount] as const
      const { transactionId } = await createTransaction(api, { customerId, from, to: [bank, 'EUR', 'SEPA'] })
      return { transactionId, sent: await waitForFile(api, transactionId) }
    },
    /** Waits until Svc has read these files. */
    reads: async (...delivered: readonly Promise<string>[]): Promise<void> => {
      await Promise.all(delivered)
      await waitUntilRead(api, desk)
    },
  }
}
