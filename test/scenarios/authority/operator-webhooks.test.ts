import { afterAll, expect, test } from 'vitest'
import { startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { runSvc } from '../../support/runner/process.ts'
import { createWebhook, emitEvents, readWebhook, startReceiver } from '../../support/webhooks/receiver.ts'

const api = await startApi()
const worker = await api.app.startWorker()
const receiver = await startReceiver()
afterAll(async () => {
  receiver.close()
  await worker.stop()
})
const { organizationId: own } = first((await api.get('/organizations')).body.organizations)

test('the operator disables a webhook, which no key of its organization enables', async () => {
  const hook = await createWebhook(api, `${receiver.url}/hook`, { events: ['customer.created'] })
  await createWebhook(api, `${receiver.url}/witness`, { events: ['customer.created'] })
  const change = (body: object) => api.call('PATCH', `/webhooks/${hook.webhookId}`, { body })
  const disable = (...args: string[]) => runSvc(api, ['webhooks', ...args])
  expect((await disable('list', '--organization', own)).output).toContain(`${hook.webhookId}  ENABLED`)
  const reason = ['--reason', 'Its address is in wrong hands']
  expect(await disable('disable', hook.webhookId, ...reason)).toMatchObject({ code: 0 })
  expect(await readWebhook(api, hook)).toMatchObject({ status: 'DISABLED', disabledReason: 'OPERATOR' })
  expect((await change({ status: 'ENABLED' })).status).toBe(403)
  expect((await change({ status: 'ENABLED', url: `${receiver.url}/other` })).status).toBe(403)
  await emitEvents(api, own, [{ type: 'customer.created' }])
  await expect.poll(() => receiver.at('/witness')).toHaveLength(1)
  expect(receiver.at('/hook')).toEqual([])
  expect(await disable('allow', hook.webhookId, ...reason)).toMatchObject({ code: 0 })
  expect((await change({ status: 'ENABLED' })).body.status).toBe('ENABLED')
  expect((await disable('disable', hook.webhookId)).code).toBe(2)
})
