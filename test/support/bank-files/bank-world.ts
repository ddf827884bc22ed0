import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import {
  autoFiatAccountOf,
  bankAccountOf,
  bankAccounts,
  createAccount,
  postAccount,
  serviceWalletOf,
} from '../money/payment-accounts.ts'
import { makeActive } from '../money/quotes.ts'
import { createTransaction, creditWallet, startWithWorkers, type Transaction } from '../money/transactions.ts'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'
import { makeFolder } from '../runner/folder.ts'

export type Rail = keyof typeof bankAccounts

/** The currency of each rail, and the country of its customers. */
// biome-ignore format: a table is read by column
export const railFacts: Readonly<Record<Rail, { currency: string; country: string; account: string }>> = {
  ACH:               { currency: 'USD', country: 'US', account: 'usd-main' },
  WIRE:              { currency: 'USD', country: 'US', account: 'usd-main' },
  SEPA:              { currency: 'EUR', country: 'DE', account: 'eur-main' },
  CA_INTERAC:        { currency: 'CAD', country: 'CA', account: 'cad-main' },
  IN_NEFT_RTGS_IMPS: { currency: 'INR', country: 'IN', account: 'inr-main' },
}

export type BankWorld = Awaited<ReturnType<typeof startBankWorld>>

/** A service whose banks exchange files in a folder of the test. */
export async function startBankWorld(settings: Record<string, string> = {}) {
  const { folder, remove } = await makeFolder('svc bank ')
  const api = await startWithWorkers({ SVC_SANDBOX_BANK: 'files', SVC_BANK_DIR: folder, ...settings })
  afterAll(async () => {
    await api.stop()
    await remove()
  })
  return { api, folder: bankFolder(folder) }
}

export type BankFolder = ReturnType<typeof bankFolder>

/** The folder that Svc and its banks share. */
export function bankFolder(folder: string) {
  const list = async (part: string) => {
    const names = await readdir(path.join(folder, part)).catch(() => [])
    return names.filter((name) => !name.startsWith('.')).sort()
  }
  const read = async (part: string) =>
    Promise.all(
      (await list(part)).map(async (name) => ({
        name,
        text: await readFile(path.join(folder, part, name), 'latin1').catch(() => ''),
      })),
    )
  return {
    root: folder,
    list,
    read,
    /** Files of a part of the folder that contain a text. */
    having: async (part: string, text: string) => (await read(part)).filter((file) => file.text.includes(text)),
    /** Waits until so many files with a text are read. */
    arrived: (text: string, count = 1) =>
      eventually(async () => {
        const files = (await read('archive')).filter((file) => file.text.includes(text))
        expect(files.length).toBeGreaterThanOrEqual(count)
        expect([...(await list('incoming')), ...(await list('received'))]).toEqual([])
      }),
    /** Puts a whole file into a part of the folder, as a transfer agent does. */
    put: async (part: string, name: string, content: string | Buffer) => {
      await mkdir(path.join(folder, part), { recursive: true })
      const unfinished = path.join(folder, part, `.${newId()}.tmp`)
      await writeFile(unfinished, content)
      await rename(unfinished, path.join(folder, part, name))
    },
    /** Takes the only file out of outgoing/ once it is there. */
    take: (): Promise<{ name: string; text: string }> =>
      eventually(async () => {
        const [file] = await read('outgoing')
        if (!file) throw new Error('no file has left yet')
        await mkdir(path.join(folder, 'taken'), { recursive: true })
        await rename(path.join(folder, 'outgoing', file.name), path.join(folder, 'taken', file.name))
        return file
      }),
    /** Waits until Svc has read every file that has arrived. */
    settled: () =>
      eventually(async () => expect([...(await list('incoming')), ...(await list('received'))]).toEqual([])),
  }
}

export type Payer = { customerId: string; organizationId: string; rail: Rail; bank: string; wallet: string }

/** A customer with a bank account at a rail, and a service wallet with tokens. */
export async function makePayer(api: TestApi, rail: Rail, details: object = {}): Promise<Payer> {
  const { customerId, organizationId } = await makeActive(api, railFacts[rail].country)
  const bank = (await createAccount(api, bankAccountOf(customerId, bankAccounts[rail](details)))).paymentAccountId
  const wallet = (await createAccount(api, serviceWalletOf(customerId, 'EVM'))).paymentAccountId
  await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 10n ** 10n })
  return { customerId, organizationId, rail, bank, wallet }
}

/** Adds a bank account with other details to a customer. */
export async function addBank(api: TestApi, payer: Payer, details: object): Promise<Payer> {
  const account = bankAccountOf(payer.customerId, bankAccounts[payer.rail](details))
  return { ...payer, bank: (await createAccount(api, account)).paymentAccountId }
}

/** Asks for an auto fiat account that pays into the payer's wallet. */
export const askVirtual = (api: TestApi, { customerId, rail, wallet }: Payer) =>
  postAccount(api, autoFiatAccountOf(customerId, railFacts[rail].currency, wallet))

/** Begins a transaction that waits for a bank transfer. */
export function onRamp(
  api: TestApi,
  { customerId, rail, bank, wallet }: Payer,
  amount = '500.00',
): Promise<Transaction> {
  const from = [bank, railFacts[rail].currency, rail, amount] as const
  return createTransaction(api, { customerId, from, to: [wallet, 'USDC', 'BASE'] })
}

/** Begins a transaction that pays out by the rail. */
export function offRamp(api: TestApi, { customerId, rail, bank, wallet }: Payer, amount = '100'): Promise<Transaction> {
  const to = [bank, railFacts[rail].currency, rail] as const
  return createTransaction(api, { customerId, from: [wallet, 'USDC', 'BASE', amount], to })
}
