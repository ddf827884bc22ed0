import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createQuote } from '../../support/money/quotes.ts'
import { makePolicyWorld, refusedBy, setRules } from '../../support/policies/policy-world.ts'
import { actingWith, createKey } from '../../support/runner/api.ts'

const world = await makePolicyWorld()
const { api, toBank } = world
const put = (body: object) => api.call('PUT', '/policies', { body })
const limit = { ruleId: 'day', kind: 'LIMIT', per: 'ORGANIZATION', dayMax: '30.00' }

test.each([
  ['a rule twice', [limit, limit], 'rules[1].ruleId'],
  ['a limit without a maximum', [{ ...limit, dayMax: undefined }], 'rules[0].dayMax'],
  ['a limit without a subject', [{ ...limit, per: undefined }], 'rules[0].per'],
  ['a field of another kind', [{ ruleId: 'a', kind: 'KILL_SWITCH', dayMax: '1' }], 'rules[0].dayMax'],
  ['an amount with three decimals', [{ ...limit, dayMax: '1.001' }], 'rules[0].dayMax'],
  ['a number for an amount', [{ ...limit, dayMax: 5 }], 'rules[0].dayMax'],
  ['no destinations', [{ ruleId: 'a', kind: 'DESTINATIONS', coolingHours: 1 }], 'rules[0].allowed'],
  [
    'an unknown time zone',
    [{ ruleId: 'a', kind: 'QUIET_HOURS', from: '01:00', to: '02:00', timeZone: 'Mars/Phobos' }],
    'rules[0].timeZone',
  ],
  [
    'more approvals than approvers',
    [{ ruleId: 'a', kind: 'APPROVAL', above: '1', approvals: 2, approvers: [newId()], expiresInHours: 1 }],
    'rules[0].approvers',
  ],
  [
    'more than 5,000 ids in all its lists',
    Array.from({ length: 6 }, (_, at) => ({
      ruleId: `stop-${at}`,
      kind: 'KILL_SWITCH',
      appliesTo: { customerIds: Array.from({ length: at < 5 ? 1_000 : 1 }, () => newId()) },
    })),
    'rules[5].appliesTo.customerIds',
  ],
])('a policy with %s is refused, and changes nothing', async (_, rules, field) => {
  const before = (await api.get('/policies')).body
  const { status, body } = await put({ rules })
  expect([status, body.error, body.details?.map((each) => each.field)]).toEqual([400, 'BAD_REQUEST', [field]])
  expect((await api.get('/policies')).body).toEqual(before)
})

test('of two changes to the same version, the second is refused', async () => {
  const { version } = (await api.get('/policies')).body
  expect((await put({ rules: [limit], version })).body).toMatchObject({ version: version + 1, rules: [limit] })
  expect((await put({ rules: [], version })).body.error).toBe('CONFLICT')
  expect((await api.get('/policies')).body.rules).toEqual([limit])
})

test('a change is audited with the old and the new rules', async () => {
  await setRules(api, [limit])
  await setRules(api, [])
  const { entries } = (await api.get('/audit?act=policy.changed')).body
  expect(entries[0]).toMatchObject({
    act: 'policy.changed',
    details: { owner: 'ORGANIZATION', changes: { rules: { from: [limit], to: [] } } },
  })
})

test('a key without the scope neither reads nor changes the policy, but is bound by it', async () => {
  await setRules(api, [{ ruleId: 'stop', kind: 'KILL_SWITCH' }])
  const payer = actingWith(api, (await createKey(api, { name: 'payer', scopes: ['transactions:write'] })).apiKey)
  expect((await payer.get('/policies')).status).toBe(403)
  expect((await payer.call('PUT', '/policies', { body: { rules: [] } })).status).toBe(403)
  expect((await payer.post('/policies/preview', { quoteId: newId() })).status).toBe(403)
  expect(await refusedBy(payer, toBank('10'), api)).toBe('stop')
})

test('no organization sees, changes or previews what belongs to another', async () => {
  const create = (name: string, parentOrganizationId: string | null) =>
    api.app.organizations.create({ name, tier: 'BUILDER', parentOrganizationId })
  const other = await create('Other', null)
  const child = await create('Child', other.organizationId)
  const parent = actingWith(api, (await api.app.credentials.createFullKey('Other', other.organizationId)).apiKey)
  const own = actingWith(api, (await api.app.credentials.createFullKey('Child', child.organizationId)).apiKey)
  const of = (id: string) => `/policies?organizationId=${id}` as const
  const { quoteId } = await createQuote(api, toBank('10'))
  for (const stranger of [parent, own]) {
    expect((await stranger.get(of(world.organizationId))).status).toBe(404)
    expect((await stranger.call('PUT', of(world.organizationId), { body: { rules: [] } })).status).toBe(404)
    expect((await stranger.post('/policies/preview', { quoteId })).status).toBe(404)
    const described = {
      customerId: world.customerId,
      destinationPaymentAccountId: world.bank,
      amount: '1',
      currency: 'USD',
    }
    expect((await stranger.post('/policies/preview', described)).status).toBe(404)
    expect((await stranger.get('/policies')).body.rules).toEqual([])
  }
  expect((await own.get(of(other.organizationId))).status).toBe(404)
  expect((await parent.call('PUT', of(child.organizationId), { body: { rules: [limit] } })).status).toBe(200)
  expect((await own.get('/policies')).body).toMatchObject({ organizationId: child.organizationId, rules: [limit] })
  expect((await parent.get('/policies')).body.rules).toEqual([])
  expect((await api.get('/policies')).body.rules).toMatchObject([{ ruleId: 'stop' }])
})

test('a preview needs a quote, or all that describes a payment', async () => {
  const fields = async (body: object) =>
    (await api.post('/policies/preview', body)).body.details?.map(({ field }) => field)
  expect(await fields({})).toEqual(['customerId', 'destinationPaymentAccountId', 'amount', 'currency'])
  const { quoteId } = await createQuote(api, toBank('10'))
  expect(await fields({ quoteId, amount: '1' })).toEqual(['amount'])
  const described = {
    customerId: world.customerId,
    destinationPaymentAccountId: world.bank,
    amount: '1',
    currency: 'USD',
  }
  expect(await fields({ ...described, currency: 'XYZ' })).toEqual(['currency'])
  expect(await fields({ ...described, amount: '-1' })).toEqual(['amount'])
})
