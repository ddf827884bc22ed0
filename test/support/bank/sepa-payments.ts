import { afterAll, expect } from 'vitest'
import type { TestChains } from '../chains/local-chains.ts'
import { openOutsideWallet } from '../chains/outside-wallet.ts'
import { makeAccounts, makeActive } from '../money/quotes.ts'
import { availableIn, createTransaction, creditWallet, startWithWorkers } from '../money/transactions.ts'
import { eventually } from '../runner/eventually.ts'
import { openDesk, waitForFile, waitUntilRead } from './bank-desk.ts'

/** A service whose customer pays by SEPA, and the desk of its bank. With chains, the customer’s tokens are on BASE. */
export async function startSepaPayments(chains?: TestChains) {
  const desk = await openDesk()
  const settings = { ...desk.settings, ...chains?.settings, SVC_BANK_FILE_VALID: '600' }
  const api = await startWithWorkers(settings, undefined, chains)
  afterAll(api.stop)
  const ada = await makeActive(api, 'DE')
  const { bank, wallet, external } = await makeAccounts(api, ada, 'SEPA')
  const { customerId, organizationId } = ada
  const { body: account } = await api.get(`/payment-accounts/${wallet}`)
  const address: string = account.svcCryptoWallet?.address.address ?? ''
  if (chains) {
    await (await openOutsideWallet(chains, 'BASE')).transfer(address, 900_000_000_000n)
    await eventually(async () => {
      api.app.chains.wake()
      expect(await availableIn(api, wallet, 'USDC', 'BASE')).toBe('900000.000000')
    })
  } else await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 1_000_000_000_000n })
  const from = (amount: string) => [wallet, 'USDC', 'BASE', amount] as const
  return {
    desk,
    api,
    customerId,
    organizationId,
    /** The customer's address. */
    address,
    /** Begins a transaction, and waits until its payment has left in a file. */
    pay: async (amount = '10.00') => {
      const to = [bank, 'EUR', 'SEPA'] as const
      const { transactionId } = await createTransaction(api, { customerId, from: from(amount), to })
      return { transactionId, sent: await waitForFile(api, transactionId) }
    },
    /** Begins a transaction to a wallet outside on BASE. */
    send: (amount: string) =>
      createTransaction(api, { customerId, from: from(amount), to: [external, 'USDC', 'BASE'] }),
    /** Waits until Svc has read these files. */
    reads: async (...delivered: readonly Promise<string>[]): Promise<void> => {
      await Promise.all(delivered)
      await waitUntilRead(api, desk)
    },
  }
}
