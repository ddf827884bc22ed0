import { expect, test } from 'vitest'
import { startHeard } from '../../support/money/money-listener.ts'
import {
  bankAccountOf,
  bankAccounts,
  createAccount,
  externalWalletOf,
  serviceWalletOf,
} from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive, type QuoteWish } from '../../support/money/quotes.ts'
import {
  availableIn,
  createTransaction,
  creditWallet,
  sendDeposit,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'

/** Every route of a payment, from the request to the last webhook. */
const { api, hears } = await startHeard()
const ada = await makeActive(api, 'US')
const bea = await makeActive(api, 'DE')
const { bank: ach, wallet, external } = await makeAccounts(api, ada)
await creditWallet(api, { organizationId: ada.organizationId, paymentAccountId: wallet, amount: 1_000_000_000n })

const idOf = async (body: object) => (await createAccount(api, body)).paymentAccountId
const outside = (chain: string) =>
  idOf(externalWalletOf(ada.customerId, { chain, currency: 'USDC', address: makeEvmAddress() }))
const [polygon, friend] = [await outside('POLYGON'), await outside('BASE')]
const [second, solana] = [
  await idOf(serviceWalletOf(ada.customerId, 'EVM')),
  await idOf(serviceWalletOf(ada.customerId, 'SOLANA')),
]
const wire = await idOf(bankAccountOf(bea.customerId, bankAccounts.WIRE()))
const sepa = await idOf(bankAccountOf(bea.customerId, bankAccounts.SEPA()))

type Row = [name: string, from: QuoteWish['from'], to: QuoteWish['to'], arrives: string]

// biome-ignore format: a table is read by column
const routes: Row[] = [
  ['a bank to a service wallet',                          [ach,      'USD',  'ACH',  '100.00'],  [second,   'USDC', 'BASE'],    '99.500000'],
  ['a bank to a service wallet on another kind of chain', [ach,      'USD',  'ACH',  '100.00'],  [solana,   'USDC', 'SOLANA'],  '99.500000'],
  ['a bank to an external wallet',                        [ach,      'USD',  'ACH',  '100.00'],  [external, 'USDC', 'BASE'],    '99.500000'],
  ['a bank to another bank',                              [wire,     'USD',  'WIRE', '1080.00'], [sepa,     'EUR',  'SEPA'],    '993.00'],
  ['a service wallet to a bank',                          [wallet,   'USDC', 'BASE', '100'],     [ach,      'USD',  'ACH'],     '99.50'],
  ['a service wallet straight to an external one',        [wallet,   'USDC', 'BASE', '10'],      [external, 'USDC', 'BASE'],    '9.950000'],
  ['a service wallet straight to another',                [wallet,   'USDC', 'BASE', '10'],      [second,   'USDC', 'BASE'],    '9.950000'],
  ['a service wallet, into another token',                [wallet,   'USDC', 'BASE', '10'],      [second,   'EURC', 'BASE'],    '9.194537'],
  ['a service wallet, to another network',                [wallet,   'USDC', 'BASE', '10'],      [polygon,  'USDC', 'POLYGON'], '9.950000'],
  ['a service wallet, to a wallet on another chain',      [wallet,   'USDC', 'BASE', '10'],      [solana,   'USDC', 'SOLANA'],  '9.950000'],
  ['an external wallet to a bank',                        [external, 'USDC', 'BASE', '25'],      [ach,      'USD',  'ACH'],     '24.87'],
  ['an external wallet to a service wallet',              [external, 'USDC', 'BASE', '25'],      [second,   'USDC', 'BASE'],    '24.875000'],
  ['an external wallet to another on the same network',   [external, 'USDC', 'BASE', '25'],      [friend,   'USDC', 'BASE'],    '24.875000'],
  ['an external wallet to one on another network',        [external, 'USDC', 'BASE', '25'],      [polygon,  'USDC', 'POLYGON'], '24.875000'],
]

test.each(routes)('from %s', async (_name, from, to, arrives) => {
  const [source, currency, method, amount] = from
  const { customerId } = source === wire ? bea : ada
  const [target, targetCurrency, network] = to
  const isToWallet = target === second || target === solana
  const balances = async () => [
    source === wallet ? await availableIn(api, wallet) : '0',
    isToWallet ? await availableIn(api, target, targetCurrency, network) : '0',
  ]
  const before = await balances()
  const created = await createTransaction(api, { customerId, from, to })
  const way = created.transferInstructions?.type === 'fiat' ? { rail: method } : { chain: method }
  if (source !== wallet) {
    const reference = transferReference(created)
    const sent = await sendDeposit(api, source, { amount, currency, ...way, reference })
    await hears.deposit(sent, ['APPLIED'])
  }
  await hears.transaction(created, [source === wallet ? 'CREATED' : 'AWAITING_TRANSFER', 'PROCESSING', 'COMPLETED'])
  const done = await waitForTransaction(api, created, { transactionStatus: 'COMPLETED', labels: [] })
  expect(done.destination).toMatchObject({ destinationAmount: arrives })
  expect(done.destination.destinationReferenceId).toMatch(/^sandbox-/)
  expect(done).not.toHaveProperty('refund')
  const after = await balances()
  const differences = after.map((text, at) => unitsOf(text) - unitsOf(before[at] ?? ''))
  const paid = source === wallet ? -unitsOf(`${amount}.000000`) : 0n
  expect(differences).toEqual([paid, isToWallet ? unitsOf(arrives) : 0n])
})

test.each([
  ['a service wallet', second, '199.000000'],
  ['an external wallet', external, '199.000000'],
])('automatically from an auto fiat account to %s', async (_name, destinationPaymentAccountId, arrives) => {
  const destination = { destinationCurrency: 'USDC', destinationPaymentMethod: 'BASE', destinationPaymentAccountId }
  const auto = await idOf({
    customerId: ada.customerId,
    paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
    svcAutoFiatAccount: { currency: 'USD', ...destination },
  })
  const sent = await sendDeposit(api, auto, { amount: '200.00', currency: 'USD', rail: 'WIRE' })
  const { transactionId = '' } = await waitForDeposit(api, sent, { depositStatus: 'APPLIED', appliedAmount: '200.00' })
  await hears.transaction({ transactionId }, ['AWAITING_TRANSFER', 'PROCESSING', 'COMPLETED'])
  await waitForTransaction(api, { transactionId }, { destination: { destinationAmount: arrives } })
  await hears.deposit(sent, ['APPLIED'])
})

/** The sum of amounts that have the same scale. */
function unitsOf(text: string): bigint {
  return BigInt(text.replace('.', ''))
}
