import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { makeBlock, watchChain } from '../../support/deposits/sightings.ts'
import { createMany, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import {
  advance,
  availableIn,
  expectVerified,
  readTransaction,
  transferReference,
} from '../../support/money/transactions.ts'
import { openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'
import { readMetric } from '../../support/runner/metrics.ts'

/** Token transfers that are too small for a deposit of their own. */
const money = await startMoney()
const { api, rows } = money
const { customerId } = money.onRamp
const { report, orphan } = watchChain(api)
const workers = takeOver(money, {})
afterAll(() => expectVerified(api))

async function makeWallet() {
  const { paymentAccountId, svcCryptoWallet } = await createAccount(api, serviceWalletOf(customerId))
  return { wallet: paymentAccountId, address: svcCryptoWallet?.address.address ?? '' }
}
const eventsOf = (wallet: string) => rows(`select 1 from svc.deposits where payment_account_id = '${wallet}'`)

test('a small transfer waits without a deposit until those of its address are enough together', async () => {
  const [one, other] = [await makeWallet(), await makeWallet()]
  for (const units of ['4000', '5999']) await report({ address: one.address, amount: units })
  await report({ address: other.address, amount: '9999' })
  await untilIdle(workers.receive)
  expect([await eventsOf(one.wallet), await eventsOf(other.wallet)]).toEqual([[], []])
  expect(await readMetric(api, 'svc_sightings_dust')).toBe('3')
  await report({ address: one.address, amount: '1', asset: 'EURC/BASE' })
  await untilIdle(workers.receive)
  expect(await eventsOf(one.wallet)).toEqual([])
  await report({ address: one.address, amount: '1' })
  await untilIdle(workers.receive)
  expect(await eventsOf(one.wallet)).toHaveLength(3)
  expect(await availableIn(api, one.wallet)).toBe('0.010000')
  expect(await availableIn(api, other.wallet)).toBe('0.000000')
  expect(await readMetric(api, 'svc_sightings_dust')).toBe('2')
})

test('a transfer of the limit is a deposit at once, and a transfer of nothing is ignored', async () => {
  const { wallet, address } = await makeWallet()
  await report({ address, amount: '10000' })
  const externalId = `0x${newId()}:0`
  expect(await report({ address, amount: '0', externalId })).toBe('IGNORED')
  await untilIdle(workers.receive)
  expect(await availableIn(api, wallet)).toBe('0.010000')
  expect(await rows(`select 1 from svc.sightings where external_id = '${externalId}'`)).toEqual([])
})

test('only final transfers count, and an orphaned one no longer does', async () => {
  const { wallet, address } = await makeWallet()
  const [externalId, block] = [`0x${newId()}:0`, makeBlock()]
  await report({ address, amount: '6000', state: 'SEEN', externalId, block })
  await report({ address, amount: '6000' })
  await untilIdle(workers.receive)
  expect(await eventsOf(wallet)).toEqual([])
  await orphan(externalId, block.hash)
  await report({ address, amount: '3000' })
  await untilIdle(workers.receive)
  expect(await eventsOf(wallet)).toEqual([])
  await report({ address, amount: '6000', externalId })
  await untilIdle(workers.receive)
  expect(await availableIn(api, wallet)).toBe('0.015000')
})

test('dust whose final block the chain drops is neither counted nor owed', async () => {
  const { wallet, address } = await makeWallet()
  const [externalId, block] = [`0x${newId()}:0`, makeBlock()]
  await report({ address, amount: '6000', externalId, block })
  await untilIdle(workers.receive)
  expect(await orphan(externalId, block.hash)).toBe('CONTRADICTED')
  await report({ address, amount: '6000' })
  await untilIdle(workers.receive)
  expect([await eventsOf(wallet), await api.app.depositReversals.list()]).toEqual([[], []])
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
})

test('dust at the address of a transaction neither stops its cancellation nor its expiry', async () => {
  const wish = { customerId, from: [money.external, 'USDC', 'BASE', '25'], to: [money.bank, 'USD', 'ACH'] } as const
  const [cancelled, expired] = await createMany(money, wish, 2)
  for (const made of [cancelled, expired]) {
    await report({ address: transferReference(made ?? first([])) ?? '', amount: '1' })
  }
  await untilIdle(workers.receive)
  expect((await api.post(`/transactions/${cancelled?.transactionId}/cancel`)).status).toBe(200)
  await advance(api, 'PT61M')
  await untilIdle(workers.advanceAll)
  expect(await readTransaction(api, expired ?? first([]))).toMatchObject({ transactionStatus: 'EXPIRED' })
})

test('concurrent workers release all of it, whichever comes first', async () => {
  const wallets = await Promise.all(Array.from({ length: 6 }, makeWallet))
  await Promise.all(
    wallets.flatMap(({ address }) => ['4000', '4000', '4000'].map((amount) => report({ address, amount }))),
  )
  await Promise.all(Array.from({ length: 4 }, () => untilIdle(workers.receive)))
  await untilIdle(workers.receive)
  for (const { wallet } of wallets) expect(await availableIn(api, wallet)).toBe('0.012000')
})

test('a transfer is written a fixed number of times, however many reach the limit together', async () => {
  const owner = openForTest({ connection: api.database.owner, connections: 1 })
  for (const text of [
    'create sequence public.written',
    `create function public.count_written() returns trigger language plpgsql security definer as
       'begin perform nextval(''public.written''); return new; end'`,
    `create trigger count_written before update on svc.sightings for each row execute function public.count_written()`,
  ]) {
    await owner.query({ text })
  }
  const written = async () =>
    Number(first(await owner.query<{ at: string }>({ text: `select nextval('public.written') as at` })).at)
  const { wallet, address } = await makeWallet()
  const before = await written()
  for (let place = 0; place < 50; place++) await report({ address, amount: '200' })
  await untilIdle(workers.receive)
  expect(await eventsOf(wallet)).toHaveLength(50)
  // Claimed, set aside, released, claimed again, finished.
  expect((await written()) - before - 1).toBeLessThanOrEqual(50 * 5)
  await owner.query({ text: 'drop trigger count_written on svc.sightings' })
})
