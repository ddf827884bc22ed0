import { expect, test } from 'vitest'
import { platformOrganizationId } from '../../../src/lib/ids.ts'
import { createQuote, makeAccounts, makeActive, waitForRates } from '../../support/money/quotes.ts'
import { creditWallet, expectVerified } from '../../support/money/transactions.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import { createRule, runsOf } from '../../support/rules/rules.ts'
import { startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'
import { prompt } from '../../support/runner/patience.ts'
import { runSvc } from '../../support/runner/process.ts'

const api = await startApi(
  { SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0' },
  { database: await makeDatabaseWithAddresses() },
)
const { organizations, credentials } = api.app
const openAsOwner = () => openForTest({ connection: api.database.owner })
const create = (name: string, parentOrganizationId: string | null = null) =>
  organizations.create({ name, tier: 'BUILDER', parentOrganizationId })
const keyOf = async (organizationId: string) => (await credentials.createFullKey('A key', organizationId)).apiKey
const status = async (apiKey: string) => (await api.get('/organizations', { apiKey })).status
const { organizationId: own } = first((await api.get('/organizations')).body.organizations)
const bystander = await keyOf((await create('Bystander')).organizationId)
const order = (verb: 'suspend' | 'resume', id: string) => runSvc(api, ['organizations', verb, id, '--reason', 'A test'])

test('everything of a suspended organization stops, money in flight finishes, and all goes on when it is resumed', async () => {
  const owner = openAsOwner()
  const starting = await api.app.startWorker()
  await waitForRates(api)
  const ada = await makeActive(api, 'US')
  const { bank, wallet, external } = await makeAccounts(api, ada)
  await creditWallet(api, { organizationId: own, paymentAccountId: wallet, amount: 500_000_000n })
  const rule = await createRule(api, {
    customerId: ada.customerId,
    from: [wallet, 'USDC', 'BASE'],
    to: [external, 'USDC', 'BASE'],
    amount: ['FLAT', '1'],
    cron: '* * * * *',
  })
  await starting.stop()
  const wish = { customerId: ada.customerId, from: [wallet, 'USDC', 'BASE', '100'], to: [bank, 'USD', 'ACH'] } as const
  const { quoteId } = await createQuote(api, wish)
  const ordered = await api.post('/transactions', { quoteId }, { headers: { 'x-idempotency-key': 'in flight' } })
  expect(ordered.body.transactionStatus).toBe('CREATED')
  const token = (await api.post('/auth/token')).body.access_token
  const link = ada.verificationLink ?? ''
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(303)

  expect(await status(token)).toBe(200)
  expect((await order('suspend', own)).code).toBe(0)
  for (const apiKey of [token, api.apiKey]) await expect.poll(() => status(apiKey), prompt).toBe(403)
  const refused = await api.get('/customers')
  expect(refused.body).toMatchObject({ error: 'FORBIDDEN', message: expect.stringContaining('suspended') })
  expect((await api.post('/auth/token')).status).toBe(403)
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(404)
  expect(await status(bystander)).toBe(200)

  const worker = await api.app.startWorker()
  await eventually(async () => {
    const text = 'select status from svc.transactions where organization_id = $1 and transaction_id = $2'
    const found = await owner.query({ text, values: [own, ordered.body.transactionId] })
    expect(found).toEqual([{ status: 'COMPLETED' }])
  })
  await api.post('/sandbox/clock', { advance: 'PT1M' }, { apiKey: bystander })
  await eventually(async () => {
    const text = `select distinct reason from svc.rule_runs where organization_id = $1 and status = 'SKIPPED'`
    expect(await owner.query({ text, values: [own] })).toEqual([{ reason: 'ORGANIZATION_SUSPENDED' }])
  })

  expect((await order('resume', own)).code).toBe(0)
  for (const apiKey of [api.apiKey, token]) await expect.poll(() => status(apiKey), prompt).toBe(200)
  expect((await fetch(link, { redirect: 'manual' })).status).toBe(303)
  expect((await runsOf(api, rule)).map(({ reason }) => reason)).toContain('ORGANIZATION_SUSPENDED')
  await worker.stop()
  await expectVerified(api)
})

test('a parent is suspended with its children, and a child alone is out of its parent’s reach', async () => {
  const { organizationId: parent } = await create('Parent')
  const { organizationId: child } = await create('Child', parent)
  const { organizationId: other } = await create('Other child', parent)
  const [parentKey, childKey, otherKey] = [await keyOf(parent), await keyOf(child), await keyOf(other)]
  for (const apiKey of [parentKey, childKey, otherKey]) expect(await status(apiKey)).toBe(200)
  expect((await order('suspend', child)).code).toBe(0)
  await expect.poll(() => status(childKey), prompt).toBe(403)
  await expect.poll(async () => (await api.get(`/organizations/${child}`, { apiKey: parentKey })).status).toBe(404)
  expect((await order('suspend', parent)).code).toBe(0)
  for (const apiKey of [parentKey, otherKey]) await expect.poll(() => status(apiKey), prompt).toBe(403)
  await expect(create('Late child', parent)).rejects.toThrow(/is suspended/)
  const early = await order('resume', child)
  expect([early.code, early.output]).toEqual([1, expect.stringContaining(parent)])
  // The child that was suspended by itself stays so.
  expect((await order('resume', parent)).code).toBe(0)
  for (const apiKey of [parentKey, otherKey]) await expect.poll(() => status(apiKey)).toBe(200)
  expect(await status(childKey)).toBe(403)
})

test('a suspension needs a reason, an organization that is not suspended, and never the platform', async () => {
  const { organizationId } = await create('Odd')
  expect((await runSvc(api, ['organizations', 'suspend', organizationId])).code).toBe(2)
  expect((await order('resume', organizationId)).code).toBe(1)
  expect((await order('suspend', organizationId)).code).toBe(0)
  expect((await order('suspend', organizationId)).code).toBe(1)
  expect((await order('suspend', platformOrganizationId)).code).toBe(1)
  const acts = await openAsOwner().query({
    text: `select action, details from svc.audit where organization_id = $1 and action like 'organization.s%'`,
    values: [organizationId],
  })
  expect(acts).toEqual([{ action: 'organization.suspended', details: { reason: 'A test' } }])
})
