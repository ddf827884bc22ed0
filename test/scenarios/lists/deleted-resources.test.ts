import { expect, test } from 'vitest'
import { createCustomer } from '../../support/customers/customers.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { createRule } from '../../support/rules/rules.ts'
import { createKey, startApi } from '../../support/runner/api.ts'
import { makeDatabase } from '../../support/runner/database.ts'
import { createWebhook } from '../../support/webhooks/receiver.ts'

const database = await makeDatabase()
await fillAddressPool(database, 5)
const api = await startApi({}, { database })

test('a deleted resource is read by its id as its DELETE answered it, and no longer listed', async () => {
  const { customerId } = await createCustomer(api)
  const [from, to, unused] = [
    await createAccount(api, serviceWalletOf(customerId)),
    await createAccount(api, serviceWalletOf(customerId)),
    await createAccount(api, serviceWalletOf(customerId)),
  ]
  const rule = await createRule(api, {
    customerId,
    from: [from.paymentAccountId, 'USDC', 'BASE'],
    to: [to.paymentAccountId, 'USDC', 'BASE'],
    amount: ['FLAT', '1'],
    cron: '0 0 29 2 *',
  })
  const webhook = await createWebhook(api, 'http://127.0.0.1:9/gone')
  const key = await createKey(api, { name: 'Ended', scopes: ['organizations:read'] })
  const resources = [
    {
      path: '/payment-accounts',
      id: unused.paymentAccountId,
      query: `?customerId=${customerId}`,
      ended: { paymentAccountStatus: 'DEACTIVATED' },
    },
    { path: '/automation-rules', id: rule.id, query: '', ended: { status: 'PAUSED', ruleStatus: 'PAUSED' } },
    { path: '/webhooks', id: webhook.webhookId, query: '', ended: { webhookStatus: 'DISABLED' } },
  ]
  for (const { path, id, query, ended } of resources) {
    const deleted = await api.delete(`${path}/${id}`)
    expect(deleted.status).toBe(200)
    expect(await api.delete(`${path}/${id}`)).toMatchObject({ status: 200, body: deleted.body })
    const read = await api.get(`${path}/${id}`)
    expect([path, read.status, read.body]).toEqual([path, 200, deleted.body])
    expect(read.body).toMatchObject({ ...ended, deletedAt: expect.any(String) })
    expect(JSON.stringify((await api.get(`${path}${query}`)).body)).not.toContain(id)
  }
  expect((await api.get(`/automation-rules/${rule.id}/runs`)).body).toMatchObject({ runs: [] })
  const history = await api.get(`/webhooks/${webhook.webhookId}/deliveries`)
  expect([history.status, history.body.deliveries]).toEqual([200, expect.any(Array)])
  const revoked = await api.delete(`/api-keys/${key.apiKeyId}`)
  expect(revoked.body).toMatchObject({ apiKeyId: key.apiKeyId, revokedApiKeyIds: [key.apiKeyId] })
  expect(await api.delete(`/api-keys/${key.apiKeyId}`)).toMatchObject({ status: 200, body: revoked.body })
  expect(JSON.stringify((await api.get('/api-keys')).body)).not.toContain(key.apiKeyId)
})
