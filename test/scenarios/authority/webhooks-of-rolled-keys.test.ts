import { afterAll, expect, test } from 'vitest'
import type { Scope } from '../../../src/lib/caller.ts'
import { createKey, startApi } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'
import { emitEvents, readWebhook, startReceiver } from '../../support/webhooks/receiver.ts'

/** The successor of a rolled key answers for its webhooks once the overlap has ended. */
const api = await startApi()
let worker = await api.app.startWorker()
const receiver = await startReceiver()
afterAll(async () => {
  receiver.close()
  await worker.stop()
})
const { organizationId } = first((await api.get('/organizations')).body.organizations)
const scopes: Scope[] = ['webhooks:read', 'webhooks:write', 'customers:read']
const path = '/of-a-rolled-key'

test('what a rolled key has created during its overlap goes on with its successor, also after a clean-up', async () => {
  const maker = await createKey(api, { name: 'Maker', scopes })
  const successor = (await api.post(`/api-keys/${maker.apiKeyId}/roll`, { overlap: 'PT1H' })).body
  const hook = (await api.post('/webhooks', { url: `${receiver.url}${path}`, events: ['customer.created'] }, maker))
    .body
  await worker.stop()
  await openForTest({ connection: api.database.owner }).query({
    text: `with ended as (
             update svc.api_keys set expires_at = clock_timestamp() where api_key_id = $1 returning expires_at)
           update svc.webhooks set maker_expires_at = ended.expires_at from ended where maker_api_key_id = $1`,
    values: [maker.apiKeyId],
  })
  await emitEvents(api, organizationId, [{ type: 'customer.created' }])
  worker = await api.app.startWorker()
  await expect.poll(async () => (await readWebhook(api, hook)).apiKeyId).toBe(successor.apiKeyId)
  await expect.poll(() => receiver.at(path).map(({ body }) => JSON.parse(body).type)).toEqual(['customer.created'])
  expect((await api.delete(`/api-keys/${maker.apiKeyId}`)).status).toBe(200)
  expect((await readWebhook(api, hook)).status).toBe('ENABLED')
  expect((await api.delete(`/api-keys/${successor.apiKeyId}`)).status).toBe(200)
  expect((await readWebhook(api, hook)).disabledReason).toBe('KEY_REVOKED')
})

test('all invariants hold', async () => {
  expect((await api.app.verify()).checks.filter(({ ok }) => !ok)).toEqual([])
})
