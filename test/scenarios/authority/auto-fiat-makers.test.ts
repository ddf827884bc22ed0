import { afterAll, expect, test } from 'vitest'
import type { Scope } from '../../../src/lib/caller.ts'
import { decideAs, demandApprovals, type Key, makePeople, readApproval } from '../../support/money/approvals.ts'
import { autoFiatAccountOf, createAccount } from '../../support/money/payment-accounts.ts'
import { expectVerified, sendDeposit } from '../../support/money/transactions.ts'
import { makePolicyWorld, setRules } from '../../support/policies/policy-world.ts'
import { actingWith, createKey } from '../../support/runner/api.ts'

/** The key that opened an auto fiat account makes the transactions of its deposits. */
const { api, customerId, organizationId, external } = await makePolicyWorld()
const { ann } = await makePeople(api)
afterAll(() => expectVerified(api))

const scopes: Scope[] = ['payment_accounts:write', 'approvals:read', 'approvals:write', 'api_keys:write']
const openAs = async ({ apiKey }: Pick<Key, 'apiKey'>): Promise<string> =>
  (await createAccount(actingWith(api, apiKey), autoFiatAccountOf(customerId, 'USD', external))).paymentAccountId

/** Sends 50 USD to the account. Answers how the deposit and its transaction are. */
async function deposit(paymentAccountId: string) {
  const referenceId = await sendDeposit(api, paymentAccountId, { amount: '50.00', currency: 'USD', rail: 'WIRE' })
  while ((await api.app.deposits.receiveDue(5, 30_000)) > 0);
  const { deposits } = (await api.get(`/deposits?customerId=${customerId}`)).body
  const found = deposits.find((each) => each.referenceId === referenceId)
  const { transactions } = (await api.get(`/transactions?paymentAccountId=${paymentAccountId}&pageSize=1`)).body
  return { status: found?.depositStatus, approvalId: transactions[0]?.approval?.approvalId ?? '' }
}

const roll = async ({ apiKeyId, apiKey }: Key): Promise<Key> => {
  const rolled = await api.post(`/api-keys/${apiKeyId}/roll`, { overlap: 'PT24H' }, { apiKey })
  expect(rolled.status).toBe(200)
  return rolled.body as Key
}
const limitOf = ({ apiKeyId }: Pick<Key, 'apiKeyId'>) => [
  { ruleId: 'bound', kind: 'LIMIT', per: 'API_KEY', transactionMax: '10.00', appliesTo: { apiKeyIds: [apiKeyId] } },
]

test('the key that opened the account cannot approve its deposits, nor can its kin', async () => {
  const opener = await createKey(api, { name: 'Opener', scopes })
  const child = await createKey(api, { name: 'Child', scopes }, opener)
  const account = await openAs(opener)
  await demandApprovals(api)
  const approval = await deposit(account)
  expect(await readApproval(api, approval)).toMatchObject({ makerApiKeyId: opener.apiKeyId })
  const successor = await roll(opener)
  for (const key of [opener, child, successor]) expect((await decideAs(api, key, approval)).status).toBe(403)
  expect((await decideAs(api, ann, approval)).body).toMatchObject({ approvalStatus: 'APPROVED' })
})

test('rules about the key bind the deposits at the accounts that it opened, and no other', async () => {
  const [bound, free] = [
    await createKey(api, { name: 'Bound', scopes }),
    await createKey(api, { name: 'Free', scopes }),
  ]
  const child = await createKey(api, { name: 'Child', scopes }, bound)
  await setRules(api, limitOf(bound))
  expect(await deposit(await openAs(bound))).toMatchObject({ status: 'UNMATCHED' })
  expect(await deposit(await openAs(child))).toMatchObject({ status: 'UNMATCHED' })
  expect(await deposit(await openAs(free))).toMatchObject({ status: 'APPLIED' })
})

test('after rolls the last successor answers for the account', async () => {
  const first = await createKey(api, { name: 'Rolled', scopes })
  const account = await openAs(first)
  const child = await createKey(api, { name: 'Child', scopes }, first)
  const last = await roll(await roll(first))
  await setRules(api, limitOf(last))
  expect(await deposit(account)).toMatchObject({ status: 'UNMATCHED' })
  await demandApprovals(api)
  const approval = await deposit(account)
  expect(await readApproval(api, approval)).toMatchObject({ makerApiKeyId: last.apiKeyId })
  for (const key of [first, child, last]) expect((await decideAs(api, key, approval)).status).toBe(403)
  expect((await decideAs(api, ann, approval)).body).toMatchObject({ approvalStatus: 'APPROVED' })
})

test('after a revocation the account goes on, and the revoked key is still the maker', async () => {
  const leaked = await createKey(api, { name: 'Leaked', scopes })
  const led = await createKey(api, { name: 'Led', scopes }, leaked)
  const account = await openAs(leaked)
  expect((await api.delete(`/api-keys/${leaked.apiKeyId}`)).status).toBe(200)
  await setRules(api, [])
  expect(await deposit(account)).toMatchObject({ status: 'APPLIED' })
  await setRules(api, limitOf(leaked))
  expect(await deposit(account)).toMatchObject({ status: 'UNMATCHED' })
  await demandApprovals(api)
  expect((await decideAs(api, led, await deposit(account))).status).toBe(403)
})

test('a key of the parent organization answers for the accounts that it opened for a child', async () => {
  const parent = await api.app.organizations.create({ name: 'Parent', tier: 'STARTUP', parentOrganizationId: null })
  await api.app.database.query({
    text: 'update svc.organizations set parent_organization_id = $2 where organization_id = $1',
    values: [organizationId, parent.organizationId],
  })
  const opener = await api.app.credentials.createFullKey('Parent', parent.organizationId)
  await setRules(api, [])
  const account = await openAs(opener)
  const successor = await roll({ ...opener, scopes: [] } as never)
  await demandApprovals(api)
  const approval = await deposit(account)
  expect(await readApproval(api, approval)).toMatchObject({ makerApiKeyId: successor.apiKeyId })
  for (const key of [opener, successor]) expect((await decideAs(api, key, approval)).status).toBe(403)
})
