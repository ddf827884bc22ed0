import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { makeAccounts, makeActive, type QuoteWish } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  creditWallet,
  isWithRail,
  readTransaction,
  type Transaction,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

const { api, hears } = await startHeard({ SVC_SANDBOX_LIQUIDITY: '0' })
const ada = await makeActive(api, 'US')
const { customerId, organizationId } = ada
const { bank, wallet } = await makeAccounts(api, ada)
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 10_000_000_000n })

const offRamp = (amount: string): QuoteWish => ({
  customerId,
  from: [wallet, 'USDC', 'BASE', amount],
  to: [bank, 'USD', 'ACH'],
})
const putIn = (amount: string) =>
  api.app.treasury.fund({ organizationId, holding: 'usd-main', asset: 'USD', amount, reason: 'a test' })
const waitForWaiting = (payouts: number) =>
  eventually(async () => expect((await api.app.payouts.count()).waiting).toBe(payouts))
const looksAt = async ({ transactionId }: Transaction) => {
  const text = 'select asks from svc.payouts where transaction_id = $1'
  return (await api.app.database.query<{ asks: number }>({ text, values: [transactionId] }))[0]?.asks
}
const withRail = async (transactions: Transaction[]) =>
  (await Promise.all(transactions.map((each) => isWithRail(api, each)))).filter((has) => has)

test('without liquidity at the bank a payout waits, and its transaction stays PROCESSING', async () => {
  const created = await createTransaction(api, offRamp('100'))
  await waitForWaiting(1)
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'PROCESSING' })
  expect(api.logs.some((line) => line.includes('NO_LIQUIDITY'))).toBe(true)
  await putIn('99.49')
  await advance(api, 'PT1M')
  await expect.poll(() => looksAt(created)).toBe(2)
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'PROCESSING' })
  await putIn('0.01')
  await advance(api, 'PT1M')
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await hears.transaction(created, ['CREATED', 'PROCESSING', 'COMPLETED'])
})

test('with liquidity for one of two payouts, only one is sent', async () => {
  const both = [await createTransaction(api, offRamp('50.99')), await createTransaction(api, offRamp('50.99'))]
  await waitForWaiting(2)
  await putIn('60.00')
  await advance(api, 'PT1M')
  await waitForWaiting(1)
  await expect.poll(() => withRail(both)).toHaveLength(1)
  await advance(api, 'PT1H5M')
  await eventually(async () => {
    const statuses = await Promise.all(both.map(async (each) => (await readTransaction(api, each)).transactionStatus))
    expect(statuses.sort()).toEqual(['COMPLETED', 'PROCESSING'])
  })
  await putIn('60.00')
  await advance(api, 'PT1M')
  await waitForWaiting(0)
  await expect.poll(() => withRail(both)).toHaveLength(2)
  await advance(api, 'PT1H5M')
  for (const each of both) await waitForTransaction(api, each, { transactionStatus: 'COMPLETED' })
})

test('no payout is sent while a broken ledger halts payouts; afterwards it is', async () => {
  await putIn('1000.00')
  const halt = { text: `insert into svc.payout_halts (halt_id, violated) values ($1, '{a test}')`, values: [newId()] }
  await api.app.database.query(halt)
  const created = await createTransaction(api, offRamp('100'))
  await waitForWaiting(1)
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'PROCESSING' })
  expect(api.logs.some((line) => line.includes('HALTED'))).toBe(true)
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
  await advance(api, 'PT1M')
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
})

test('a halt of one asset holds its payouts alone', async () => {
  await putIn('1000.00')
  const halt = (asset: string) =>
    api.app.database.query({
      text: `insert into svc.payout_halts (halt_id, asset, violated) values ($1, $2, '{a test}')`,
      values: [newId(), asset],
    })
  await halt('EUR')
  const free = await createTransaction(api, offRamp('100'))
  await waitForTransaction(api, free, { transactionStatus: 'COMPLETED' })
  await halt('USD')
  const held = await createTransaction(api, offRamp('100'))
  await waitForWaiting(1)
  expect(await readTransaction(api, held)).toMatchObject({ transactionStatus: 'PROCESSING' })
  expect(await api.app.ledger.resumePayouts({ reason: 'a test', force: true })).toEqual({
    outcome: 'RESUMED',
    ended: [
      { kind: 'VIOLATED', asset: 'EUR', checks: ['a test'] },
      { kind: 'VIOLATED', asset: 'USD', checks: ['a test'] },
    ],
  })
  await advance(api, 'PT1M')
  await waitForTransaction(api, held, { transactionStatus: 'COMPLETED' })
})
