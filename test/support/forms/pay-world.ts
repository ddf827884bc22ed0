import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { makePayer, onRamp } from '../bank-files/bank-world.ts'
import { startBrowser } from '../browser/browser.ts'
import { openOutsideWallet } from '../chains/outside-wallet.ts'
import { startScanned } from '../chains/scanned-world.ts'
import { bankAccountOf, bankAccounts, createAccount, externalWalletOf } from '../money/payment-accounts.ts'
import { createTransaction, type Transaction, transferReference } from '../money/transactions.ts'
import { makeFolder } from '../runner/folder.ts'
import { openForm, type Visitor } from './form-visitor.ts'
import { readQrCode } from './qr-code.ts'

/** The instructions of a transaction that awaits tokens, or a bank transfer. */
export type InstructionsOf<Type> = Extract<Transaction['transferInstructions'], { type: Type }>

/** A service with local chains and a bank of files, a browser, a payer of each kind and a stranger's wallet. */
export async function startPayWorld() {
  const { folder, remove } = await makeFolder('svc bank ')
  afterAll(remove)
  const settings = async () => ({ SVC_SANDBOX_BANK: 'files', SVC_BANK_DIR: folder })
  const { api, chains, customerId, until } = await startScanned({ settings })
  const browser = await startBrowser()
  const stranger = await openOutsideWallet(chains, 'BASE')
  const bank = await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH()))
  const wallet = { chain: 'BASE', currency: 'USDC', address: stranger.address }
  const source = await createAccount(api, externalWalletOf(customerId, wallet))
  const european = await makePayer(api, 'SEPA')
  return {
    api,
    chains,
    until,
    stranger,
    /** A transaction that awaits a SEPA transfer. */
    buy: async (amount = '100.00') => {
      await api.app.rates.refresh()
      return onRamp(api, european, amount)
    },
    /** A transaction that awaits tokens on Base. */
    sell: async (amount = '100') => {
      await api.app.rates.refresh()
      const from = [source.paymentAccountId, 'USDC', 'BASE', amount] as const
      return createTransaction(api, { customerId, from, to: [bank.paymentAccountId, 'USD', 'ACH'] })
    },
    /** The payer's bank tells ours of a transfer. */
    transfer: async (transaction: Transaction, amount: string) => {
      const reference = transferReference(transaction)
      const body = { bankAccountId: 'eur-main', amount, reference, senderName: 'Ada Example' }
      expect((await api.post('/sandbox/bank/deposits', body)).status).toBe(200)
    },
    /** Opens the pay page of a transaction as its payer does. */
    visit: ({ transferLink = '' }: Transaction, options: BrowserContextOptions = {}): Promise<Visitor> =>
      openForm(browser, transferLink, options),
    /** Opens another address in the browser. */
    open: (address: string, options: BrowserContextOptions = {}) => openForm(browser, address, options),
    /** Waits until the page says something, while workers and scanners look at once. */
    says: (page: Page, text: string) =>
      until(async () => expect(await page.locator('main').textContent()).toContain(text)),
  }
}

/** The text of the code on a page. */
export async function codeOn(page: Page): Promise<string> {
  return readQrCode(await page.locator('.qr svg').evaluate((svg) => svg.outerHTML))
}

/** The labels and values of the instructions on a page. */
export async function linesOn(page: Page): Promise<Record<string, string>> {
  const labels = await page.locator('.lines dt').allTextContents()
  const values = await page.locator('.lines .value').allTextContents()
  return Object.fromEntries(labels.map((label, at) => [label, values[at] ?? '']))
}
