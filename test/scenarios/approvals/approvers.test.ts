import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createHeld, decideAs, type Key, makePeople, readApproval } from '../../support/money/approvals.ts'
import { startMoney } from '../../support/money/money-stories.ts'
import { readTransaction } from '../../support/money/transactions.ts'
import { createKey } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'

const money = await startMoney()
const { api, offRamp } = money
const { maker, ann, ben, cem } = await makePeople(api)
const decide = ['approvals:read', 'approvals:write']
const held = (demand = {}, by: Key = maker) => createHeld(money, by, offRamp, demand)
const refused = async (key: Pick<Key, 'apiKey'>, approval: { approvalId: string }) => {
  const { status, body } = await decideAs(api, key, approval)
  return [status, body.error]
}
const roll = async ({ apiKeyId }: Key): Promise<Key> => {
  const { body, status } = await api.post(`/api-keys/${apiKeyId}/roll`, { overlap: 'PT24H' })
  expect(status).toBe(200)
  return body as Key
}

test('the key that made the transaction cannot decide about it, nor can a key that it has led to', async () => {
  const approval = await held()
  const child = await createKey(api, { name: 'Child', scopes: [...decide, 'api_keys:write'] }, maker)
  const grandchild = await createKey(api, { name: 'Grandchild', scopes: decide }, child)
  const token = (await api.post('/auth/token', undefined, maker)).body.access_token
  for (const key of [maker, child, grandchild, { apiKey: token }])
    expect(await refused(key, approval)).toEqual([403, 'FORBIDDEN'])
  expect(await readApproval(api, approval)).toMatchObject({ approvalStatus: 'OPEN', decisions: [] })
})

test('a key cannot decide about what a key made that it has led to, and another key of the same creator can', async () => {
  const scopes = [...maker.scopes]
  const leader = await createKey(api, { name: 'Leader', scopes })
  const led = await createKey(api, { name: 'Led', scopes: ['transactions:write'] }, leader)
  const sibling = await createKey(api, { name: 'Sibling', scopes: decide }, leader)
  const approval = await held({}, led)
  expect(await refused(leader, approval)).toEqual([403, 'FORBIDDEN'])
  expect((await decideAs(api, sibling, approval)).body).toMatchObject({ approvalStatus: 'APPROVED' })
})

test('a successor of the maker cannot decide, and the rolled key not about what its successor made', async () => {
  const first = await createKey(api, { name: 'Rolled', scopes: maker.scopes })
  const before = await held({}, first)
  const successor = await roll(first)
  expect(await refused(successor, before)).toEqual([403, 'FORBIDDEN'])
  const after = await held({}, successor)
  expect(await refused(first, after)).toEqual([403, 'FORBIDDEN'])
})

test('where approvers are listed, no other key decides', async () => {
  const approval = await held({ approvers: [ann.apiKeyId] })
  expect(await refused(ben, approval)).toEqual([403, 'FORBIDDEN'])
  expect((await decideAs(api, ben, approval, 'REFUSE')).status).toBe(403)
  expect((await decideAs(api, ann, approval)).body).toMatchObject({ approvalStatus: 'APPROVED' })
})

test('a listed approver that rolled itself keeps its one vote; no other key that it or another led to gets it', async () => {
  const scopes = [...decide, 'api_keys:write']
  const [dee, eve, fay] = [
    await createKey(api, { name: 'Dee', scopes }),
    await createKey(api, { name: 'Eve', scopes }),
    await createKey(api, { name: 'Fay', scopes }),
  ]
  const rollItself = async ({ apiKey, apiKeyId }: Key) =>
    (await api.post(`/api-keys/${apiKeyId}/roll`, { overlap: 'PT24H' }, { apiKey })).body as Key
  const child = await createKey(api, { name: 'Child', scopes: decide }, dee)
  const approvers = [dee, eve, fay, ann].map(({ apiKeyId }) => apiKeyId)
  const approval = await held({ approvals: 2, approvers })
  const successor = await rollItself(await rollItself(dee))
  const rolledByAnother = await roll(eve)
  const ofRevoked = await rollItself(fay)
  await api.delete(`/api-keys/${fay.apiKeyId}`)
  for (const key of [child, rolledByAnother, ofRevoked])
    expect(await refused(key, approval)).toEqual([403, 'FORBIDDEN'])
  expect((await decideAs(api, successor, approval)).body).toMatchObject({ approvalStatus: 'OPEN' })
  expect(await refused(dee, approval)).toEqual([409, 'CONFLICT'])
  expect((await decideAs(api, ann, approval)).body).toMatchObject({ approvalStatus: 'APPROVED' })
})

test('a key without the scope cannot decide', async () => {
  const approval = await held()
  const reader = await createKey(api, { name: 'Reader', scopes: ['approvals:read'] })
  expect((await api.get(`/approvals/${approval.approvalId}`, reader)).status).toBe(200)
  expect(await refused(reader, approval)).toEqual([403, 'FORBIDDEN'])
})

test('a key decides once', async () => {
  const approval = await held({ approvals: 2 })
  expect((await decideAs(api, ann, approval)).status).toBe(200)
  expect(await refused(ann, approval)).toEqual([409, 'CONFLICT'])
  expect((await decideAs(api, ann, approval, 'REFUSE')).status).toBe(409)
  expect((await readApproval(api, approval)).decisions).toHaveLength(1)
})

test('a repeated request with the same idempotency key gets the first answer', async () => {
  const approval = await held({ approvals: 2 })
  const options = { headers: { 'x-idempotency-key': newId() } }
  const first = await decideAs(api, ann, approval, 'APPROVE', options)
  const again = await decideAs(api, ann, approval, 'APPROVE', options)
  expect([again.status, again.body]).toEqual([200, first.body])
})

test('the approvals of keys that one person may hold count once', async () => {
  const parent = await createKey(api, { name: 'Parent', scopes: [...decide, 'api_keys:write'] })
  const child = await createKey(api, { name: 'Child', scopes: decide }, parent)
  const downwards = await held({ approvals: 2 })
  expect((await decideAs(api, parent, downwards)).status).toBe(200)
  expect(await refused(child, downwards)).toEqual([409, 'CONFLICT'])
  const upwards = await held({ approvals: 2 })
  expect((await decideAs(api, child, upwards)).status).toBe(200)
  expect(await refused(parent, upwards)).toEqual([409, 'CONFLICT'])
  expect((await decideAs(api, ann, upwards)).body).toMatchObject({ approvalStatus: 'APPROVED' })
})

test('the approval of a key that was revoked afterwards no longer counts', async () => {
  const approval = await held({ approvals: 2 })
  const dee = await createKey(api, { name: 'Dee', scopes: decide })
  await decideAs(api, dee, approval)
  await api.delete(`/api-keys/${dee.apiKeyId}`)
  expect((await decideAs(api, ann, approval)).body).toMatchObject({ approvalStatus: 'OPEN' })
  expect((await decideAs(api, ben, approval)).body).toMatchObject({ approvalStatus: 'APPROVED' })
})

const createOrganization = async (name: string) =>
  (await api.app.organizations.create({ name, tier: 'STARTUP', parentOrganizationId: null })).organizationId

test('another organization neither sees nor decides an approval', async () => {
  const approval = await held()
  const { apiKey } = await api.app.credentials.createFullKey('Stranger', await createOrganization('Other'))
  expect((await api.get(`/approvals/${approval.approvalId}`, { apiKey })).status).toBe(404)
  expect(await refused({ apiKey }, approval)).toEqual([404, 'NOT_FOUND'])
  expect((await api.get('/approvals', { apiKey })).body.approvals).toEqual([])
  expect(await readTransaction(api, approval)).toMatchObject({ approval: { approvalId: approval.approvalId } })
})

test('a key of the parent organization decides for its children', async () => {
  const approval = await held({ approvals: 2 })
  const parentId = await createOrganization('Parent')
  await openForTest({ connection: api.database.owner }).query({
    text: 'update svc.organizations set parent_organization_id = $1 where organization_id = $2',
    values: [parentId, money.organizationId],
  })
  const { apiKey } = await api.app.credentials.createFullKey('Parent', parentId)
  expect((await decideAs(api, { apiKey }, approval)).body).toMatchObject({ approvalStatus: 'OPEN' })
  expect((await decideAs(api, ann, approval)).body).toMatchObject({ approvalStatus: 'APPROVED' })
})

test('a decision needs a reason', async () => {
  const approval = await held()
  const silent = await api.post(`/approvals/${approval.approvalId}/decision`, { decision: 'APPROVE' }, cem)
  expect([silent.status, silent.body.details]).toEqual([400, [expect.objectContaining({ field: 'reason' })]])
})
