import { Compile } from 'typebox/compile'
import { afterAll, expect, test } from 'vitest'
import { eventTypes } from '../../src/lib/event-types.ts'
import { eventPayloads } from '../../src/wiring/event-payloads.ts'
import { createCustomer, patchCustomer, waitForStatus } from '../support/customers/customers.ts'
import { startApi } from '../support/runner/api.ts'
import { isTest, listRepository, readText } from '../support/style/source-tree.ts'

/** Compares the `webhooks` of the served document with the events that the service creates. */
const api = await startApi()
const worker = await api.app.startWorker()
afterAll(() => worker.stop())

type Webhook = {
  post: {
    operationId: string
    requestBody: { content: { 'application/json': Content } }
    parameters: { name: string }[]
  }
}
type Content = { schema: object; examples: { event: { value: { type: string; data: object } } } }
const { webhooks, components } = (await api.get('/openapi.json')).body as {
  webhooks: Record<string, Webhook>
  components: object
}
const contentOf = (type: string) => webhooks[type]?.post.requestBody.content['application/json']

function problems(type: string, event: unknown): unknown[] {
  return [...Compile({ ...contentOf(type)?.schema, components }).Errors(event)]
}

/** Event types that production code uses, SQL functions included, apart from their descriptions. */
function namedTypes(): string[] {
  const isSource = (path: string) => /^(src\/.*\.ts|sql\/functions\/.*\.sql)$/.test(path)
  const sources = listRepository().filter((path) => isSource(path) && !isTest({ path }))
  const acting = sources.filter((path) => path !== 'src/lib/event-types.ts' && !path.endsWith('/wire.ts'))
  const texts = acting.map((path) => readText(path) ?? '')
  return eventTypes.filter((type) => texts.some((text) => text.includes(`'${type}'`)))
}

test('every event type in the code is documented, and no other', () => {
  expect(Object.keys(eventPayloads).sort()).toEqual(namedTypes().sort())
  expect(Object.keys(webhooks).sort()).toEqual(namedTypes().sort())
})

test.each(Object.keys(webhooks))('%s has an example that fits its schema, and documents its signature', (type) => {
  const example = contentOf(type)?.examples.event.value
  expect(problems(type, example)).toEqual([])
  expect(example?.type).toBe(type)
  expect(problems(type, { ...example, data: 7 })).not.toEqual([])
  expect(problems(type, { ...example, type: 'something.else' })).not.toEqual([])
  const headers = webhooks[type]?.post.parameters.map(({ name }) => name)
  expect(headers).toEqual(['webhook-id', 'webhook-timestamp', 'webhook-signature'])
})

test('real events have the same fields and types as their examples', async () => {
  const customer = await createCustomer(api, { firstName: 'Ada', lastName: 'Example' })
  await patchCustomer(api, customer, { kycData: { legalFirstName: 'Ada', legalLastName: 'Issue-DOCUMENT_EXPIRED' } })
  await api.post(`/sandbox/customers/${customer.customerId}/verification`, {
    outcome: 'NEEDS_INFO',
    issues: ['DOCUMENT_EXPIRED'],
  })
  await waitForStatus(api, customer, 'NEEDS_ADDITIONAL_INFORMATION')
  const newest = async (type: string) => {
    const { body } = await api.get(`/events?type=${type}&resourceId=${customer.customerId}&pageSize=1`)
    return body.events[0]
  }
  for (const type of ['customer.created', 'customer.updated']) {
    const event = await expect
      .poll(() => newest(type))
      .toBeDefined()
      .then(() => newest(type))
    expect(problems(type, event)).toEqual([])
    const example = contentOf(type)?.examples.event.value
    expect(Object.keys(event ?? {}).sort()).toEqual(Object.keys(example ?? {}).sort())
    await expect
      .poll(async () => Object.keys((await newest(type))?.data ?? {}).sort())
      .toEqual(Object.keys(example?.data ?? {}).sort())
  }
})
