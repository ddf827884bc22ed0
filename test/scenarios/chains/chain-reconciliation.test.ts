import { expect, test } from 'vitest'
import { describeReport } from '../../../src/commands/verify.ts'
import { newId } from '../../../src/lib/ids.ts'
import { openOutsideWallet } from '../../support/chains/outside-wallet.ts'
import { startPaying } from '../../support/chains/paying-world.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import {
  availableIn,
  createTransaction,
  creditWallet,
  type Transaction,
  waitForTransaction,
} from '../../support/money/transactions.ts'

/** `svc verify --chains`: every difference is named, and none is invented, also while money moves. */
const network = 'BASE'
const world = await startPaying()
const { api, chains, customerId, organizationId, until, makeWallet, makeExternal, rows } = world
const { control } = chains
const { paymentAccountId: bank } = await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH()))
const stranger = await openOutsideWallet(chains, network)
const [spending, resting] = [await makeWallet(), await makeWallet()]
for (const { address } of [spending, resting]) await stranger.transfer(address, 100_000_000n)
await until(async () => expect(await availableIn(api, resting.wallet, 'USDC', network)).toBe('100.000000'))
const treasury = (await api.app.custody.findServiceAddress('EVM', 'TREASURY')) ?? ''
const relayer = (await api.app.custody.findServiceAddress('EVM', 'RELAYER')) ?? ''

const reconcile = async () => {
  const report = (await api.app.chainPayouts.reconcile()).find((each) => each.network === network)
  if (!report?.block) throw new Error(report?.problem ?? 'there is no report')
  return report
}
/** The differences as an operator reads them. */
const lines = async () =>
  describeReport(await reconcile())
    .slice(1)
    .map((line) => line.trim())

const send = (to: string, currency: string, method: string) =>
  createTransaction(api, { customerId, from: [spending.wallet, 'USDC', network, '10'], to: [to, currency, method] })
const complete = (transaction: Transaction) => waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })

test('while payments of every kind are on their way, no comparison invents a difference', async () => {
  const { external } = await makeExternal(network)
  await complete(await send(external, 'USDC', network))
  // The sandbox has given the relayer its coins.
  await until(async () => expect(await lines()).toEqual([]))
  const sent = await Promise.all([
    send(external, 'USDC', network),
    send(resting.wallet, 'USDC', network),
    send(bank, 'USD', 'ACH'),
  ])
  const done = Promise.all(sent.map(complete))
  let [isDone, comparisons] = [false, 0]
  const ended = done.then(() => (isDone = true))
  while (!isDone) {
    expect(await lines()).toEqual([])
    comparisons += 1
  }
  await ended
  expect(comparisons).toBeGreaterThan(0)
  // The source of the sale is collected.
  await until(async () => {
    expect(await lines()).toEqual([])
    expect(await rows(`select from svc.payouts where status <> 'CONFIRMED'`)).toEqual([])
  })
})

test('known transfers explain a surplus', async () => {
  await stranger.transfer(resting.address, 7n)
  await stranger.transfer(treasury, 5_000_000n)
  await until(async () => expect((await reconcile()).explained).toHaveLength(2))
  expect((await reconcile()).differences).toEqual([])
  expect(await lines()).toEqual([
    expect.stringContaining(`explained: treasury ${treasury} has 5.000000 USDC more than the ledger`),
    expect.stringContaining(`explained: wallet ${resting.address} has 0.000007 USDC more than the ledger`),
  ])
  const causes = (await lines()).map((line) => line.split('known: ')[1])
  expect(causes).toEqual(['5.000000 USDC received, and not recorded', '0.000007 USDC dust'])
})

test('money that leaves, comes or is booked in another way is named, each with its address', async () => {
  const give = { key: newId(), currency: 'USDC', address: stranger.address, amount: '1000000' }
  await control.faucet(network, { ...give, from: spending.address })
  const burnt = { key: newId(), currency: 'USDC', act: 'burn', account: treasury, amount: '2' } as const
  await control.administer(network, burnt)
  await control.faucet(network, { key: newId(), address: relayer, currency: 'NATIVE', amount: '3' })
  await creditWallet(api, { organizationId, paymentAccountId: resting.wallet, amount: 50_000_000n })
  await until(async () => {
    const found = (await reconcile()).differences
    const named = found.map(({ about, place, ledger, chain }) => [about, place, chain - ledger])
    expect(named).toEqual([
      // Less than what is known to have come: a part is missing.
      ['CHAIN', `treasury ${treasury}`, 4_999_998n],
      ['CHAIN', `wallet ${spending.address}`, -1_000_000n],
      ['BALANCES', `wallet ${resting.address}`, expect.any(BigInt)],
      ['BOOKS', 'all wallets', -50_000_000n],
      ['CHAIN', `relayer ${relayer}`, 3n],
    ])
  })
  expect((await lines()).join('\n')).toContain(`wallet ${spending.address} has 1.000000 USDC less than the ledger`)
})
