import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { purgePolicies } from '../../../src/policies/store.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import { createQuote, keepRates } from '../../support/money/quotes.ts'
import { makePolicyWorld, pay, refusedBy, setRules } from '../../support/policies/policy-world.ts'
import { openForTest } from '../../support/runner/database.ts'

/** Policies and business time, which stands still here until a test advances it. */
const world = await makePolicyWorld()
const { api, toBank, outside } = world
const worker = await api.app.startWorker()
await keepRates(api)
await worker.stop()
await api.post('/sandbox/clock', { freeze: true })
const advance = async (duration: string) => {
  expect((await api.post('/sandbox/clock', { advance: duration })).status).toBe(200)
}
const now = async () => new Date((await api.get('/sandbox/clock')).body.now)
const toMidnight = async () => {
  const left = 86_400_000 - ((await now()).getTime() % 86_400_000)
  await advance(`PT${left / 1_000}S`)
}

test('hours, days and months are those of UTC', async () => {
  await toMidnight()
  const limit = { kind: 'LIMIT', per: 'ORGANIZATION' }
  await setRules(api, [
    { ruleId: 'hour', ...limit, hourMax: '10.00' },
    { ruleId: 'day', ...limit, dayMax: '25.00' },
  ])
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  expect(await refusedBy(api, toBank('5'))).toBe('hour')
  await advance('PT59M59S')
  expect(await refusedBy(api, toBank('5'))).toBe('hour')
  await advance('PT1S')
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  await advance('PT1H')
  expect(await refusedBy(api, toBank('10'))).toBe('day')
  expect(await refusedBy(api, toBank('5'))).toBeUndefined()
  await toMidnight()
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
})

test('a transaction that is cancelled in a later hour gives back to the day alone', async () => {
  await toMidnight()
  await setRules(api, [{ ruleId: 'both', kind: 'LIMIT', per: 'ORGANIZATION', hourMax: '10.00', dayMax: '15.00' }])
  const { body } = await pay(api, toBank('10'))
  await advance('PT1H')
  expect(await refusedBy(api, toBank('5'))).toBeUndefined()
  expect(await refusedBy(api, toBank('5'))).toBe('both')
  await api.post(`/transactions/${body.transactionId}/cancel`)
  expect(await refusedBy(api, toBank('5.01'))).toBe('both')
  expect(await refusedBy(api, toBank('5'))).toBeUndefined()
})

test('quiet hours refuse from the first to the last minute, on the days on which they begin', async () => {
  await toMidnight()
  const weekday = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'][(await now()).getUTCDay()]
  await setRules(api, [
    { ruleId: 'night', kind: 'QUIET_HOURS', from: '22:00', to: '06:00', timeZone: 'UTC', days: [weekday] },
  ])
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  await advance('PT21H59M59S')
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  await advance('PT1S')
  expect(await refusedBy(api, toBank('10'))).toBe('night')
  await advance('PT7H59M59S')
  expect(await refusedBy(api, toBank('10'))).toBe('night')
  await advance('PT1S')
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  await advance('PT17H')
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  await setRules(api, [
    { ruleId: 'kolkata', kind: 'QUIET_HOURS', from: '04:00', to: '05:00', timeZone: 'Asia/Kolkata' },
  ])
  // 23:00 in UTC is 04:30 in Kolkata.
  expect(await refusedBy(api, toBank('10'))).toBe('kolkata')
  await advance('PT30M')
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
})

test('a time zone that the database does not know is refused, and one that it has lost is quiet all day', async () => {
  const rule = { ruleId: 'lost', kind: 'QUIET_HOURS', from: '00:00', to: '00:01' }
  // Processes know both; PostgreSQL has neither.
  for (const timeZone of ['SystemV/PST8', 'US/Pacific-New']) {
    const { status, body } = await api.call('PUT', '/policies', { body: { rules: [{ ...rule, timeZone }] } })
    expect([status, body.details]).toMatchObject([400, [{ field: 'rules[0].timeZone' }]])
  }
  await toMidnight()
  await advance('PT12H')
  await setRules(api, [{ ...rule, timeZone: 'UTC' }])
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  await api.app.database.query({
    text: `update svc.policy_rules set time_zone = 'Nowhere/None' where organization_id = $1`,
    values: [world.organizationId],
  })
  expect(await refusedBy(api, toBank('10'))).toBe('lost')
  await setRules(api, [])
})

test('a destination that is added and paid within the cooling period is refused', async () => {
  const rule = (allowed: string[], coolingHours: number) => [
    { ruleId: 'to', kind: 'DESTINATIONS', allowed, coolingHours },
  ]
  await setRules(api, rule([world.bank], 0))
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
  expect(await refusedBy(api, outside('10'))).toBe('to')
  await setRules(api, rule([world.bank, world.external], 24))
  await advance('PT23H59M59S')
  expect(await refusedBy(api, outside('10'))).toBe('to')
  await advance('PT1S')
  expect(await refusedBy(api, outside('10'))).toBeUndefined()
  // Listing it anew begins a new period; that of the account that stayed goes on.
  await setRules(api, rule([world.bank], 24))
  await setRules(api, rule([world.bank, world.external], 24))
  expect(await refusedBy(api, outside('10'))).toBe('to')
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
})

test('an account that is younger than its listing cools from its creation', async () => {
  const { paymentAccountId } = await createAccount(api, bankAccountOf(world.customerId, bankAccounts.WIRE()))
  const wish = { ...toBank('30'), to: [paymentAccountId, 'USD', 'WIRE'] as [string, string, string] }
  await setRules(api, [{ ruleId: 'to', kind: 'DESTINATIONS', allowed: [paymentAccountId], coolingHours: 2 }])
  await api.app.database.query({
    text: `update svc.policy_rules set listed_at = array[svc.now() - interval '1 year'] where organization_id = $1`,
    values: [world.organizationId],
  })
  expect(await refusedBy(api, wish)).toBe('to')
  await advance('PT2H')
  expect(await refusedBy(api, wish)).toBeUndefined()
})

test('an account that was listed before its form was filled in cools from then', async () => {
  const { pendingPaymentAccountId: id = '' } = await createAccount(api, {
    customerId: world.customerId,
    paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  })
  await setRules(api, [{ ruleId: 'to', kind: 'DESTINATIONS', allowed: [id], coolingHours: 2 }])
  await advance('PT3H')
  const externalBankAccount = bankAccounts.WIRE({ accountNumber: '000123450008' })
  const completed = await api.post(`/sandbox/payment-accounts/${id}/complete`, { externalBankAccount })
  expect(completed.status).toBe(200)
  const wish = { ...toBank('30'), to: [id, 'USD', 'WIRE'] as [string, string, string] }
  expect(await refusedBy(api, wish)).toBe('to')
  await advance('PT2H')
  expect(await refusedBy(api, wish)).toBeUndefined()
})

test('a preview tells what will happen, also at another time, and changes nothing', async () => {
  await toMidnight()
  await setRules(api, [
    { ruleId: 'day', kind: 'LIMIT', per: 'ORGANIZATION', dayMax: '25.00' },
    { ruleId: 'night', kind: 'QUIET_HOURS', from: '22:00', to: '23:00', timeZone: 'UTC' },
  ])
  for (const [amount, outcome] of [
    ['10', 'GO'],
    ['15.01', 'REFUSE'],
    ['15', 'GO'],
    ['5', 'REFUSE'],
  ] as const) {
    const { quoteId } = await createQuote(api, toBank(amount))
    const seen = await api.post('/policies/preview', { quoteId })
    expect([seen.status, seen.body.outcome]).toEqual([200, outcome])
    expect((await api.post('/policies/preview', { quoteId })).body).toEqual(seen.body)
    const described = {
      customerId: world.customerId,
      destinationPaymentAccountId: world.bank,
      amount,
      currency: 'USDC',
    }
    expect((await api.post('/policies/preview', described)).body).toEqual(seen.body)
    const answer = await api.post('/transactions', { quoteId }, { headers: { 'x-idempotency-key': newId() } })
    expect(answer.status).toBe(outcome === 'GO' ? 201 : 422)
  }
  const { quoteId } = await createQuote(api, toBank('5'))
  const at = async (seconds: number) => {
    const moment = new Date((await now()).getTime() + seconds * 1_000).toISOString()
    return (await api.post('/policies/preview', { quoteId, at: moment })).body
  }
  expect(await at(0)).toMatchObject({
    outcome: 'REFUSE',
    usdAmount: '5.00',
    rules: [
      { ruleId: 'day', owner: 'ORGANIZATION', outcome: 'REFUSE', window: 'DAY', limit: '25.00', remaining: '0.00' },
      { ruleId: 'night', kind: 'QUIET_HOURS', outcome: 'GO' },
    ],
  })
  expect(await at(86_400)).toMatchObject({ outcome: 'GO', rules: [{ used: '0.00' }, {}] })
  expect(await at(86_400 + 22 * 3_600)).toMatchObject({ outcome: 'REFUSE', rules: [{}, { outcome: 'REFUSE' }] })
})

test('rules that have ended and counters of former months are purged, and those of this month are not', async () => {
  const limit = { kind: 'LIMIT', per: 'DESTINATION', monthMax: '20.00' }
  await setRules(api, [{ ruleId: 'former', ...limit }])
  expect(await refusedBy(api, toBank('20'))).toBeUndefined()
  await setRules(api, [{ ruleId: 'kept', ...limit }])
  await advance('P32D')
  expect(await refusedBy(api, toBank('20'))).toBeUndefined()
  await setRules(api, [
    { ruleId: 'kept', ...limit },
    { ruleId: 'recent', kind: 'KILL_SWITCH' },
  ])
  await setRules(api, [{ ruleId: 'kept', ...limit }])
  // Only rows of this test are counted: others of this file are gone with the first batch.
  expect(await purgePolicies(api.app.database, 1)).toBe(2)
  while ((await purgePolicies(api.app.database, 100)) > 0);
  const left = await api.app.database.query({
    text: `select rule_id as "ruleId", counter.month_used::text as used from svc.policy_rules as rule
             left join svc.policy_counters as counter using (organization_id, counter_id)
            where rule.organization_id = $1 order by rule_id`,
    values: [world.organizationId],
  })
  expect(left).toEqual([
    { ruleId: 'kept', used: '2000' },
    { ruleId: 'recent', used: null },
  ])
  expect(await refusedBy(api, toBank('5'))).toBe('kept')
})

test('an account cools from its creation and its last bank details under a rule of the platform for the parent, too', async () => {
  const parent = await api.app.organizations.create({ name: 'Parent', tier: 'BUILDER', parentOrganizationId: null })
  await api.app.database.query({
    text: 'update svc.organizations set parent_organization_id = $2 where organization_id = $1',
    values: [world.organizationId, parent.organizationId],
  })
  await setRules(api, [])
  const { paymentAccountId } = await createAccount(
    api,
    bankAccountOf(world.customerId, bankAccounts.ACH({ accountNumber: '000123450009' })),
  )
  const rule = { ruleId: 'to', kind: 'DESTINATIONS' as const, allowed: [paymentAccountId], coolingHours: 2 }
  await api.app.policies.replaceAsPlatform(parent.organizationId, { rules: [rule], reason: 'A test' })
  const owner = openForTest({ connection: api.database.owner })
  await owner.query({
    text: `update svc.policy_rules set listed_at = array[svc.now() - interval '1 year'] where organization_id = $1`,
    values: [parent.organizationId],
  })
  const wish = { ...toBank('30'), to: [paymentAccountId, 'USD', 'ACH'] as [string, string, string] }
  expect(await refusedBy(api, wish)).toBe('to')
  await advance('PT2H')
  expect(await refusedBy(api, wish)).toBeUndefined()
  await owner.query({
    text: `insert into svc.former_bank_details
             (organization_id, payment_account_id, details_version, sealed_details, seal, replaced_at)
           values ($1, $2, 1, '', '', svc.now())`,
    values: [world.organizationId, paymentAccountId],
  })
  expect(await refusedBy(api, wish)).toBe('to')
  await advance('PT2H')
  expect(await refusedBy(api, wish)).toBeUndefined()
  await api.app.policies.replaceAsPlatform(parent.organizationId, { rules: [], reason: 'A test' })
})
