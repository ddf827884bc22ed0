import { expect, test } from 'vitest'
import { organizationAccount } from '../../../src/ledger/postings.ts'
import { createMany, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { advance, expectVerified, readTransaction, type Transaction } from '../../support/money/transactions.ts'
import { confirmedAs, type TestRail } from '../../support/rails/test-rail.ts'
import { openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'
import { runSvc } from '../../support/runner/process.ts'

/** Tokens of ours come from customers' addresses to our treasury as obligations of their own. */
const money = await startMoney()
const { api, rows, organizationId, offRamp } = money
const asset = 'USDC/BASE'

const positionOf = (kind: 'TREASURY' | 'CUSTODY') =>
  api.app.ledger.position(api.app.database, organizationId, organizationAccount(kind, asset))
const usable = async () => {
  const found = await rows<{ available: string; developer_fees: string }>(
    `select available, developer_fees from svc.liquidity where holding = 'TREASURY' and asset = '${asset}'`,
  )
  return { available: BigInt(found[0]?.available ?? 0), developerFees: BigInt(found[0]?.developer_fees ?? 0) }
}
const collectionOf = ({ transactionId }: Transaction) =>
  rows(`select status, amount, from_wallet_id from svc.payouts
         where transaction_id = '${transactionId}' and purpose = 'COLLECT' order by payout_id`)

type Fees = { ours: string; theirs: string }

/** A rail that pays, and keeps collections pending or refuses them until it may take them. */
function makeRail() {
  const state: { collections: 'PENDING' | 'REFUSED' | 'CONFIRMED'; addresses: string[] } = {
    collections: 'PENDING',
    addresses: [],
  }
  const rail: TestRail = {
    isForCollections: true,
    send: async ({ purpose, destination }) => {
      if (purpose === 'COLLECT' && destination.type === 'ADDRESS') state.addresses.push(destination.address)
      return { outcome: 'ACCEPTED' }
    },
    ask: async ({ purpose, amount, reference }) => {
      if (purpose === 'PAYOUT' || state.collections === 'CONFIRMED') return confirmedAs(`paid-${reference}`, amount)
      if (state.collections === 'REFUSED') return { state: 'REFUSED', reason: 'frozen' }
      return { state: 'PENDING' }
    },
  }
  return { rail, state }
}

async function pay(hands: ReturnType<typeof takeOver>): Promise<void> {
  await untilIdle(hands.advanceAll)
  for (let turn = 0; turn < 4; turn += 1) {
    await hands.payOut()
    await advance(api, 'PT10S')
  }
}

test('tokens of a paid transaction are liquidity once they have arrived at our treasury', async () => {
  const { rail, state } = makeRail()
  const hands = takeOver(money, { rail })
  const [custody, treasury, before] = [await positionOf('CUSTODY'), await positionOf('TREASURY'), await usable()]
  const made = first(await createMany(money, offRamp, 1))
  await pay(hands)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
  expect(await collectionOf(made)).toEqual([{ status: 'SENT', amount: '10000000', from_wallet_id: money.wallet }])
  expect([await positionOf('CUSTODY'), await positionOf('TREASURY'), await usable()]).toEqual([
    custody,
    treasury,
    before,
  ])
  expect(state.addresses).toEqual([await api.app.custody.findServiceAddress('EVM', 'TREASURY')])
  await expectVerified(api)

  state.collections = 'CONFIRMED'
  await pay(hands)
  expect(await collectionOf(made)).toMatchObject([{ status: 'CONFIRMED' }])
  expect(await positionOf('CUSTODY')).toBe(custody + 10_000_000n)
  expect(await positionOf('TREASURY')).toBe(treasury - 10_000_000n)
  expect(await usable()).toEqual({ ...before, available: before.available + 10_000_000n })
  await expectVerified(api)
})

test('a refused payout moves no tokens: the wallet is credited, and nothing is collected', async () => {
  const custody = await positionOf('CUSTODY')
  const made = first(await createMany(money, { ...offRamp, from: [money.wallet, 'USDC', 'BASE', '10.66'] }, 1))
  await pay(takeOver(money, {}))
  await expectVerified(api)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'FAILED' })
  expect(await collectionOf(made)).toEqual([])
  expect(await positionOf('CUSTODY')).toBe(custody)
})

test('a collection that the network refused is owed again by svc treasury collect, once', async () => {
  const { rail, state } = makeRail()
  state.collections = 'REFUSED'
  const hands = takeOver(money, { rail })
  const made = first(await createMany(money, offRamp, 1))
  await pay(hands)
  expect(await collectionOf(made)).toMatchObject([{ status: 'REFUSED' }])
  await expectVerified(api)
  const collect = () => runSvc(api, ['treasury', 'collect', '--organization', organizationId])
  const [collected, again] = [await collect(), await collect()]
  expect(collected).toMatchObject({ code: 0, output: `COLLECT  10.000000 ${asset}  from wallet ${money.wallet}\n` })
  expect(again).toMatchObject({ code: 0, output: 'There is nothing to collect.\n' })
  state.collections = 'CONFIRMED'
  await pay(hands)
  expect(await collectionOf(made)).toMatchObject([{ status: 'REFUSED' }, { status: 'CONFIRMED' }])
  await expectVerified(api)
})

test('fees of direct transfers are swept from the wallet, and the share of the integrator stays apart', async () => {
  const { customerId } = offRamp
  const from = [money.wallet, 'USDC', 'BASE', '100'] as const
  await createMany(money, { customerId, from, to: [money.external, 'USDC', 'BASE'], fee: ['USD', '1'] }, 2)
  const hands = takeOver(money, {})
  await pay(hands)
  const [custody, before] = [await positionOf('CUSTODY'), await usable()]
  const [{ ours, theirs }] = (await rows(`select sum(svc_fee) as ours, sum(developer_fee) as theirs
                                            from svc.transactions where source_amount = 100000000`)) as [Fees]
  const swept = BigInt(ours) + BigInt(theirs)
  const collect = (...more: string[]) => runSvc(api, ['treasury', 'collect', '--organization', organizationId, ...more])
  expect(await collect('--minimum', '1000')).toMatchObject({ code: 0, output: 'There is nothing to collect.\n' })
  expect(await collect('--minimum', 'much')).toMatchObject({ code: 2 })
  const collectAgain = () => api.app.collections.collect(organizationId)
  const both = await Promise.all(Array.from({ length: 8 }, collectAgain))
  expect(both.flat().map(({ purpose, amount }) => [purpose, BigInt(amount)])).toEqual([['SWEEP', swept]])
  await pay(hands)
  await expectVerified(api)
  expect(await usable()).toEqual({
    available: before.available + BigInt(ours),
    developerFees: before.developerFees + BigInt(theirs),
  })
  // The fees had left custody when they were earned.
  expect(await positionOf('CUSTODY')).toBe(custody)
  expect(await collect()).toMatchObject({ code: 0, output: 'There is nothing to collect.\n' })
})

// Last, because it halts payouts of this asset.
test('a total of uncollected fees that was changed is found', async () => {
  await api.app.ledger.fold()
  const owner = openForTest({ connection: api.database.owner })
  await owner.query({ text: `update svc.kind_totals set posted = posted + 1 where kind = 'UNCOLLECTED_FEES'` })
  const violated = (await api.app.verify()).checks.filter(({ ok }) => !ok)
  expect(violated.map(({ name }) => name).sort()).toEqual([
    'liquidity is what we hold less what we owe',
    'the totals of uncollected fees are the sums of their accounts',
  ])
})
