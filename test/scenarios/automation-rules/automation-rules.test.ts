import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createCustomer } from '../../support/customers/customers.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import { startWithWorkers } from '../../support/money/transactions.ts'
import {
  actOn,
  createRule,
  type Rule,
  type RuleWish,
  readRule,
  ruleBody,
  type TimedWish,
} from '../../support/rules/rules.ts'

const api = await startWithWorkers()
afterAll(() => api.stop())
// Frozen, so that every schedule in this file is computed from the same instant.
await api.post('/sandbox/clock', { freeze: true })
const { now } = (await api.get('/sandbox/clock')).body
const ada = await makeActive(api)
const { customerId } = ada
const { bank, wallet, external } = await makeAccounts(api, ada)

const weekly: TimedWish = {
  customerId,
  from: [wallet, 'USDC', 'BASE'],
  to: [bank, 'USD', 'ACH'],
  amount: ['FLAT', '25.50'],
  cron: '0 9 * * mon',
}
const usdc = { label: 'USDC', chain: 'BASE', currencyDecimals: 6, contractAddress: expect.stringMatching(/^0x/) }

function nextMonday(after: string): string {
  const day = new Date(after)
  day.setUTCHours(9, 0, 0, 0)
  while (day.getUTCDay() !== 1 || day <= new Date(after)) day.setUTCDate(day.getUTCDate() + 1)
  return day.toISOString()
}

test('a rule is shown as sent, with currencies as objects and its next time', async () => {
  const answer = await api.post('/automation-rules', ruleBody({ ...weekly, fee: ['USD', '1.00'] }))
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    id: expect.any(String),
    ruleId: answer.body.id,
    name: 'A rule',
    customerId,
    transactionTemplate: {
      source: { sourcePaymentAccountId: wallet, sourcePaymentMethod: 'BASE', sourceCurrency: usdc },
      destination: {
        destinationPaymentAccountId: bank,
        destinationPaymentMethod: 'ACH',
        destinationCurrency: { label: 'USD' },
      },
      amount: { type: 'FLAT', value: '25.50' },
      developerFee: { developerFeeType: 'USD', developerFeeAmount: '1.00' },
    },
    trigger: { type: 'TIME_BASED', cronSchedule: '0 9 * * mon' },
    status: 'ACTIVE',
    ruleStatus: 'ACTIVE',
    nextRunAt: nextMonday(now),
    createdAt: now,
  })
  expect(await readRule(api, answer.body)).toEqual(answer.body)
})

test('a rule with a threshold has no next time', async () => {
  const { cron: _, ...rest } = weekly
  const rule = await createRule(api, { ...rest, threshold: '1000.0' })
  expect(rule).toMatchObject({ trigger: { type: 'THRESHOLD_BASED', thresholdAmount: '1000.0' } })
  expect(rule).not.toHaveProperty('nextRunAt')
})

test('a customer in any state may have rules', async () => {
  const bob = await createCustomer(api, { firstName: 'Bob', lastName: 'Example' })
  const accounts = await makeAccounts(api, bob)
  const wish: RuleWish = {
    ...weekly,
    customerId: bob.customerId,
    from: [accounts.wallet, 'USDC', 'BASE'],
    to: [accounts.bank, 'USD', 'ACH'],
  }
  expect(await createRule(api, wish)).toMatchObject({ status: 'ACTIVE', customerId: bob.customerId })
})

test('rules are listed by customer and by wallet, all at once or page by page', async () => {
  const cleo = await makeActive(api)
  const accounts = await makeAccounts(api, cleo)
  const second = (await createAccount(api, serviceWalletOf(cleo.customerId))).paymentAccountId
  const of = (from: string): RuleWish => ({
    ...weekly,
    customerId: cleo.customerId,
    from: [from, 'USDC', 'BASE'],
    to: [accounts.bank, 'USD', 'ACH'],
  })
  const made: string[] = []
  for (const from of [...Array<string>(11).fill(accounts.wallet), second])
    made.unshift((await createRule(api, of(from))).id)
  const list = async (query: string) => (await api.get(`/automation-rules?${query}`)).body
  const idsOf = ({ automationRules }: { automationRules: Rule[] }) => automationRules.map(({ id }) => id)

  const all = await list(`customerId=${cleo.customerId.toUpperCase()}`)
  expect(idsOf(all)).toEqual(made)
  expect(all.nextPageToken).toBe('')
  expect(idsOf(await list(`sourcePaymentAccountId=${second}`))).toEqual(made.slice(0, 1))
  expect(idsOf(await list(`customerId=${customerId}&sourcePaymentAccountId=${second}`))).toEqual([])
  expect(idsOf(await list(`customerId=${newId()}`))).toEqual([])
  expect(idsOf(await list('sourcePaymentAccountId=wallet_1'))).toEqual([])
  expect(idsOf(await list('sourcePaymentAccountId='))).toEqual([])
  expect(idsOf(await list(''))).toEqual(expect.arrayContaining(made))

  const first = await list(`customerId=${cleo.customerId}&pageSize=7`)
  const rest = await list(`customerId=${cleo.customerId}&pageSize=7&pageToken=${first.nextPageToken}`)
  expect([...idsOf(first), ...idsOf(rest)]).toEqual(made)
  expect(rest.nextPageToken).toBe('')
  const strange = await api.get(`/automation-rules?customerId=${customerId}&pageToken=${first.nextPageToken}`)
  expect(strange.body).toMatchObject({ error: 'BAD_REQUEST', details: [{ field: 'pageToken' }] })
})

test('a client can read a rule, change it and PUT it', async () => {
  const rule = await createRule(api, { ...weekly, fee: ['USD', '1.00'] })
  const read = await readRule(api, rule)
  const unchanged = await api.call('PUT', `/automation-rules/${rule.id}`, { body: read })
  expect([unchanged.status, unchanged.body]).toEqual([200, read])

  const { developerFee: _, ...template } = read.transactionTemplate
  const destination = {
    destinationPaymentAccountId: external,
    destinationPaymentMethod: 'BASE',
    destinationCurrency: 'USDC',
  }
  const transactionTemplate = { ...template, destination, amount: { type: 'PCT', value: '33.3333' } }
  const changed = await api.call('PUT', `/automation-rules/${rule.id}`, { body: { ...read, transactionTemplate } })
  expect([changed.status, changed.body]).toEqual([
    200,
    {
      ...read,
      transactionTemplate: { ...transactionTemplate, destination: { ...destination, destinationCurrency: usdc } },
    },
  ])
  expect(await readRule(api, rule)).toEqual(changed.body)
})

test('a PUT may write the same values differently', async () => {
  const { cron: _, ...rest } = weekly
  const waiting = await createRule(api, { ...rest, threshold: '100' })
  const timed = await createRule(api, weekly)
  const put = (id: string, wish: RuleWish) =>
    api.call('PUT', `/automation-rules/${id.toUpperCase()}`, { body: { id: id.toUpperCase(), ...ruleBody(wish) } })
  const shouted: RuleWish = { ...rest, threshold: '100.000', customerId: customerId.toUpperCase() }
  expect((await put(waiting.id, shouted)).body).toMatchObject({ id: waiting.id, trigger: { thresholdAmount: '100' } })
  const spelt = { ...weekly, cron: '00  9 * 1-12 1' }
  expect((await put(timed.id, spelt)).body).toMatchObject({ id: timed.id, trigger: { cronSchedule: '0 9 * * mon' } })
  expect((await put(timed.id, { ...weekly, cron: '0 9 * * tue' })).body).toMatchObject({
    error: 'BAD_REQUEST',
    details: [{ field: 'trigger.cronSchedule' }],
  })
})

test('a paused rule has no next time, and a resumed one continues from now', async () => {
  const rule = await createRule(api, weekly)
  const paused = await actOn(api, rule, 'pause')
  expect(paused).toMatchObject({ id: rule.id, status: 'PAUSED' })
  expect(paused).not.toHaveProperty('nextRunAt')
  expect(await actOn(api, rule, 'pause')).toEqual(paused)
  expect(await actOn(api, rule, 'resume')).toEqual(rule)
  expect(await actOn(api, rule, 'resume')).toEqual(rule)
})

test('a deleted rule is shown and can no longer be changed', async () => {
  const rule = await createRule(api, weekly)
  const { nextRunAt: _, ...gone } = rule
  const deleted = await actOn(api, rule, 'delete')
  expect(deleted).toEqual({ ...gone, status: 'PAUSED', ruleStatus: 'PAUSED', deletedAt: expect.any(String) })
  expect(await readRule(api, rule)).toEqual(deleted)
  const body = { id: rule.id, ...ruleBody(weekly) }
  for (const [method, path] of [
    ['PUT', ''],
    ['POST', '/pause'],
    ['POST', '/resume'],
  ] as const) {
    const options = method === 'PUT' ? { body } : {}
    const answer = await api.call(method, `/automation-rules/${rule.id}${path}`, options)
    expect([method, path, answer.status]).toEqual([method, path, 404])
  }
  const { body: list } = await api.get(`/automation-rules?customerId=${customerId}`)
  expect(JSON.stringify(list)).not.toContain(rule.id)
  expect((await api.get(`/automation-rules/${rule.id}/runs`)).body).toEqual({ runs: [], nextPageToken: '' })
})

test('a repeated request creates one rule', async () => {
  const headers = { 'x-idempotency-key': newId() }
  const first = await api.post('/automation-rules', ruleBody(weekly), { headers })
  const again = await api.post('/automation-rules', ruleBody(weekly), { headers })
  expect([again.status, again.body]).toEqual([200, first.body])
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const other = await api.post('/automation-rules', ruleBody({ ...weekly, amount: ['FLAT', '1'] }), { headers })
  expect(other.body).toMatchObject({ error: 'IDEMPOTENCY_KEY_REUSED' })
})

test('an account that an active rule uses cannot be deleted, and a rule without its account cannot be resumed', async () => {
  const dan = await makeActive(api)
  const accounts = await makeAccounts(api, dan)
  const rule = await createRule(api, {
    ...weekly,
    customerId: dan.customerId,
    from: [accounts.wallet, 'USDC', 'BASE'],
    to: [accounts.external, 'USDC', 'BASE'],
  })
  for (const account of [accounts.wallet, accounts.external]) {
    const refused = await api.delete(`/payment-accounts/${account}`)
    expect(refused.body).toMatchObject({ error: 'PAYMENT_ACCOUNT_IN_USE', message: expect.stringContaining(rule.id) })
  }
  await actOn(api, rule, 'pause')
  expect((await api.delete(`/payment-accounts/${accounts.external}`)).status).toBe(200)
  const resumed = await api.post(`/automation-rules/${rule.id}/resume`)
  expect(resumed.body).toMatchObject({
    error: 'CONFLICT',
    message: 'The destination payment account is DEACTIVATED, and must be ACTIVE',
  })
  const body = {
    id: rule.id,
    ...ruleBody({
      ...weekly,
      customerId: dan.customerId,
      from: [accounts.wallet, 'USDC', 'BASE'],
      to: [accounts.bank, 'USD', 'ACH'],
    }),
  }
  expect((await api.call('PUT', `/automation-rules/${rule.id}`, { body })).status).toBe(200)
  expect(await actOn(api, rule, 'resume')).toMatchObject({ status: 'ACTIVE', nextRunAt: nextMonday(now) })
})

test('a customer is not erased before their rules are deleted', async () => {
  const eve = await makeActive(api)
  const accounts = await makeAccounts(api, eve)
  const rule = await createRule(api, {
    ...weekly,
    customerId: eve.customerId,
    from: [accounts.wallet, 'USDC', 'BASE'],
    to: [accounts.bank, 'USD', 'ACH'],
  })
  await actOn(api, rule, 'pause')
  for (const account of Object.values(accounts)) await api.delete(`/payment-accounts/${account}`)
  await api.post(`/customers/${eve.customerId}/deactivate`, { reason: 'Asked to' })
  await api.post('/sandbox/clock', { advance: 'P20Y' })
  const erase = () => api.post(`/customers/${eve.customerId}/erase`)
  expect((await erase()).body).toMatchObject({
    error: 'CONFLICT',
    message: expect.stringContaining('automation rules'),
  })
  await actOn(api, rule, 'delete')
  expect((await erase()).status).toBe(200)
})

test('the audit log names the actor who created, changed, paused and deleted a rule', async () => {
  const rule = await createRule(api, weekly)
  await api.call('PUT', `/automation-rules/${rule.id}`, { body: rule })
  await actOn(api, rule, 'pause')
  await actOn(api, rule, 'resume')
  const { body: deleted } = await api.delete(`/automation-rules/${rule.id}`)
  expect(await api.delete(`/automation-rules/${rule.id}`)).toMatchObject({ status: 200, body: deleted })
  const acts = await api.app.database.query<{ action: string }>({
    text: `select action from svc.audit where subject_id = $1 order by audit_id`,
    values: [rule.id],
  })
  const names = ['created', 'changed', 'paused', 'resumed', 'deleted'].map((name) => `automation_rule.${name}`)
  expect(acts.map(({ action }) => action)).toEqual(names)
})
