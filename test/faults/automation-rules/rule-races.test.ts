import { expect, test } from 'vitest'
import * as thresholds from '../../../src/automation-rules/triggers/threshold-store.ts'
import { depositToWallet, walletOf } from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { startMoney } from '../../support/money/money-stories.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { advance, availableIn, creditWallet, expectVerified } from '../../support/money/transactions.ts'
import { makeRuleHands } from '../../support/rules/rule-hands.ts'
import { actOn, changeRule, createRule, type Rule, type RuleWish, runsOf } from '../../support/rules/rules.ts'

const money = await startMoney()
const { api, rows, organizationId, offRamp } = money
const { app } = api
const { customerId } = offRamp
await api.post('/sandbox/clock', { freeze: true })

const hands = makeRuleHands(app)

async function setUp(units = 100_000_000n) {
  const wallet = (await createAccount(api, serviceWalletOf(customerId, 'EVM'))).paymentAccountId
  const credit = (amount: bigint) => creditWallet(api, { organizationId, paymentAccountId: wallet, amount })
  if (units > 0n) await credit(units)
  const route = { customerId, from: [wallet, 'USDC', 'BASE'], to: [money.bank, 'USD', 'ACH'] } as const
  const everyMinute = (type: 'FLAT' | 'PCT', value: string): RuleWish => ({
    ...route,
    amount: [type, value],
    cron: '* * * * *',
  })
  const at = (threshold: string, type: 'FLAT' | 'PCT', value: string): RuleWish => ({
    ...route,
    amount: [type, value],
    threshold,
  })
  const transactionsOf = () =>
    rows(`select transaction_id from svc.transactions where source_payment_account_id = '${wallet}'`)
  return { wallet, credit, everyMinute, at, transactionsOf, available: () => availableIn(api, wallet) }
}

/** Resolves when a session waits for a lock that our database transaction holds. */
const waiting = `select pid from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`
const lockIsAwaited = () => expect.poll(() => rows(waiting), { interval: 10 }).not.toEqual([])

// biome-ignore format: a table is read by column
test.each([
  ['pause',      { runStatus: 'SKIPPED', reason: 'RULE_PAUSED' }],
  ['delete',     { runStatus: 'SKIPPED', reason: 'RULE_DELETED' }],
  ['deactivate', { runStatus: 'SKIPPED', reason: 'CUSTOMER_NOT_ACTIVE' }],
] as const)('a %s between a run’s quote and its transaction: nothing moves', async (act, expected) => {
  const { everyMinute, transactionsOf, available } = await setUp()
  const rule = await createRule(api, everyMinute('FLAT', '10'))
  await advance(api, 'PT1M')
  await hands().open()
  const toCustomer = (what: string) => api.post(`/customers/${customerId}/${what}`, { reason: 'Asked to' })
  await hands({ quoted: () => (act === 'deactivate' ? toCustomer(act) : actOn(api, rule, act)) }).fire()
  await hands().carryOut()
  expect(await runsOf(api, rule)).toMatchObject([expected])
  expect([await transactionsOf(), await available()]).toEqual([[], '100.000000'])
  if (act === 'deactivate') await toCustomer('reactivate').then(() => actOn(api, rule, 'delete'))
})

test('a PUT between a run’s quote and its transaction: the new amount moves', async () => {
  const { everyMinute, available } = await setUp()
  const rule = await createRule(api, everyMinute('FLAT', '10'))
  await advance(api, 'PT1M')
  await hands().open()
  await hands({ quoted: () => changeRule(api, rule, everyMinute('FLAT', '7')) }).fire()
  await hands().carryOut()
  expect(await runsOf(api, rule)).toMatchObject([{ runStatus: 'EXECUTED', sourceAmount: '7.000000' }])
  expect(await available()).toBe('93.000000')
  await actOn(api, rule, 'delete')
})

// biome-ignore format: a table is read by column
test.each([
  ['its percentage applies to the full balance', ['PCT', '50'],  ['PCT', '10'],   '10.000000'],
  ['the balance suffices for its fixed amount',  ['PCT', '100'], ['FLAT', '10'],  '10.000000'],
  ['it moves the full balance',                  ['FLAT', '30'], ['PCT', '100'], '100.000000'],
] as const)('when the earlier rule is paused after both runs got quotes, %s', async (_what, paused, amount, moved) => {
  const { everyMinute, available } = await setUp()
  const before = await createRule(api, everyMinute(paused[0], paused[1]))
  const rule = await createRule(api, everyMinute(amount[0], amount[1]))
  await advance(api, 'PT1M')
  await hands().open()
  await hands({ quoted: () => actOn(api, before, 'pause') }).fire()
  await hands().carryOut()
  expect(await runsOf(api, before)).toMatchObject([{ runStatus: 'SKIPPED', reason: 'RULE_PAUSED' }])
  expect(await runsOf(api, rule)).toMatchObject([{ runStatus: 'EXECUTED', sourceAmount: moved }])
  expect(await available()).toBe(moved === '100.000000' ? '0.000000' : '90.000000')
  await actOn(api, rule, 'delete')
})

test('the same holds when a lost lease in the batch makes the worker retry the runs one by one', async () => {
  const [here, elsewhere] = [await setUp(), await setUp()]
  const before = await createRule(api, here.everyMinute('PCT', '50'))
  const rule = await createRule(api, here.everyMinute('PCT', '10'))
  const lost = await createRule(api, elsewhere.everyMinute('FLAT', '1'))
  await advance(api, 'PT1M')
  await hands().open()
  const quoted = async () => {
    await actOn(api, before, 'pause')
    await rows(`update svc.rule_runs set fence = fence + 1, lease_until = null where rule_id = '${lost.id}'`)
  }
  await hands({ quoted }).fire()
  await hands().carryOut()
  expect(await runsOf(api, rule)).toMatchObject([{ runStatus: 'EXECUTED', sourceAmount: '10.000000' }])
  expect(await runsOf(api, lost)).toMatchObject([{ runStatus: 'EXECUTED', sourceAmount: '1.000000' }])
  for (const each of [rule, lost]) await actOn(api, each, 'delete')
})

test.each(['PUT', 'pause', 'delete'] as const)(
  'a %s during the creation of the transaction waits for it, and then sees the run',
  async (act) => {
    const { everyMinute } = await setUp()
    const rule = await createRule(api, everyMinute('FLAT', '10'))
    await advance(api, 'PT1M')
    await hands().open()
    let answered: Promise<Rule> | undefined
    let runsThen: unknown
    const made = async () => {
      const acted = act === 'PUT' ? changeRule(api, rule, everyMinute('FLAT', '7')) : actOn(api, rule, act)
      answered = acted.then(async (answer) => {
        runsThen = await runsOf(api, rule)
        return answer
      })
      await lockIsAwaited()
    }
    await hands({ made }).fire()
    await answered
    expect(runsThen).toMatchObject([{ runStatus: 'EXECUTED', sourceAmount: '10.000000' }])
    if (act !== 'delete') await actOn(api, rule, 'delete')
  },
)

// biome-ignore format: a table is read by column
test.each([
  ['a percentage applies to the rest', 'PCT',  '100', { runStatus: 'EXECUTED', sourceAmount: '70.000000' },         '0.000000'],
  ['a fixed amount is skipped',        'FLAT', '80',  { runStatus: 'SKIPPED', reason: 'INSUFFICIENT_BALANCE' }, '70.000000'],
] as const)('when a balance is spent between quote and transaction, %s', async (_what, type, value, expected, left) => {
  const { everyMinute, wallet, available } = await setUp()
  const rule = await createRule(api, everyMinute(type, value))
  await advance(api, 'PT1M')
  await hands().open()
  const reserve = { organizationId, reference: `test:${newId()}`, account: walletOf(wallet, 'USDC/BASE') }
  await hands({ quoted: () => app.ledger.reserve(asTx(app.database), [{ ...reserve, amount: 30_000_000n }]) }).fire()
  await hands().carryOut()
  expect(await runsOf(api, rule)).toMatchObject([expected])
  expect(await available()).toBe(left)
  await actOn(api, rule, 'delete')
})

test('with many concurrent schedulers and workers each rule has one run and one transaction per minute', async () => {
  const { everyMinute, transactionsOf, available } = await setUp()
  const rules = []
  for (let at = 0; at < 12; at += 1) rules.push(await createRule(api, everyMinute('FLAT', '1')))
  await advance(api, 'PT1M')
  const competing = Array.from({ length: 5 }, () => hands({}, 1))
  await Promise.all(competing.map(({ open }) => open()))
  // Leases of a millisecond: the workers constantly take over each other's runs.
  await Promise.all(competing.map(({ carryOut }) => carryOut()))
  await hands().carryOut()
  for (const rule of rules) expect(await runsOf(api, rule)).toMatchObject([{ runStatus: 'EXECUTED' }])
  expect([(await transactionsOf()).length, await available()]).toEqual([12, '88.000000'])
  for (const rule of rules) await actOn(api, rule, 'delete')
})

test('a worker that lost its lease after the quote creates no second transaction', async () => {
  const { everyMinute, transactionsOf } = await setUp()
  const rule = await createRule(api, everyMinute('FLAT', '10'))
  await advance(api, 'PT1M')
  await hands().open()
  await hands({ quoted: () => hands().carryOut() }, 1).fire()
  await hands().carryOut()
  expect(await runsOf(api, rule)).toMatchObject([{ runStatus: 'EXECUTED' }])
  expect(await transactionsOf()).toHaveLength(1)
  await actOn(api, rule, 'delete')
})

test('a worker that lost its lease to a worker that skipped the run moves nothing', async () => {
  const { everyMinute, wallet, transactionsOf, available } = await setUp()
  const rule = await createRule(api, everyMinute('FLAT', '80'))
  await advance(api, 'PT1M')
  await hands().open()
  const reserve = { organizationId, reference: `test:${newId()}` }
  const account = walletOf(wallet, 'USDC/BASE')
  const quoted = async () => {
    await app.ledger.reserve(asTx(app.database), [{ ...reserve, account, amount: 50_000_000n }])
    await hands().carryOut()
    await app.database.inTx((tx) => app.ledger.release(tx, [reserve]))
  }
  await hands({ quoted }, 1).fire()
  expect(await runsOf(api, rule)).toMatchObject([{ runStatus: 'SKIPPED', reason: 'INSUFFICIENT_BALANCE' }])
  expect([await transactionsOf(), await available()]).toEqual([[], '100.000000'])
  await actOn(api, rule, 'delete')
})

test('a credit committed during the threshold check is checked as well', async () => {
  const { at, wallet } = await setUp(0n)
  const rule = await createRule(api, at('50', 'PCT', '100'))
  await hands().carryOut()
  await actOn(api, rule, 'pause')
  await actOn(api, rule, 'resume')
  const claimed = await thresholds.claimWatches(app.database, { limit: 100, leaseMs: 30_000 })
  let comparing: Promise<number> | undefined
  await app.database.inTx(async (tx) => {
    const posting = depositToWallet({ paymentAccountId: wallet, asset: 'USDC/BASE', amount: 60_000_000n })
    await app.ledger.post(tx, [{ organizationId, reference: `test:${newId()}`, ...posting }])
    comparing = thresholds.compareBalances(app.database, claimed)
    await lockIsAwaited()
  })
  await comparing
  await hands().carryOut()
  expect(await runsOf(api, rule)).toMatchObject([{ runStatus: 'EXECUTED', sourceAmount: '60.000000' }])
})

test('a credit in flight when the rule is created is checked after its commit', async () => {
  const { at, wallet } = await setUp(0n)
  const { compare, carryOut } = hands()
  const made = await app.database.inTx(async (tx) => {
    const posting = depositToWallet({ paymentAccountId: wallet, asset: 'USDC/BASE', amount: 60_000_000n })
    await app.ledger.post(tx, [{ organizationId, reference: `test:${newId()}`, ...posting }])
    const rule = await createRule(api, at('50', 'PCT', '100'))
    for (let times = 0; times < 3; times += 1) await compare()
    return rule
  })
  await carryOut()
  expect(await runsOf(api, made)).toMatchObject([{ runStatus: 'EXECUTED', sourceAmount: '60.000000' }])
})

test('a credit that arrives during a run is checked once after the run ends', async () => {
  const { at, credit, available } = await setUp()
  const rule = await createRule(api, at('50', 'FLAT', '10'))
  await hands().compare()
  const late = {
    quoted: async () => {
      await credit(1_000_000n)
      await credit(1_000_000n)
      // A run is in flight: no threshold check happens now.
      await hands().compare()
    },
  }
  await hands(late).fire()
  expect(await runsOf(api, rule)).toMatchObject([{ runStatus: 'EXECUTED' }])
  await hands().carryOut()
  expect(await runsOf(api, rule)).toMatchObject([{ runStatus: 'EXECUTED' }, { runStatus: 'EXECUTED' }])
  expect(await available()).toBe('82.000000')
})

test('after all races every invariant holds', () => expectVerified(api))
