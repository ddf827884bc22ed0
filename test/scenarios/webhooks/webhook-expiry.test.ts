import { expect, test } from 'vitest'
import { eventually } from '../../support/runner/eventually.ts'
import { hour, patience, startStories } from '../../support/webhooks/webhook-stories.ts'

const { begin } = await startStories({ SVC_WEBHOOK_ATTEMPTS_DAYS: '5' })

test('2 KB of a response are kept, and its attempt for the set time', async () => {
  const { api, hook, emit, advance, afterAttempts, only } = await begin()
  const { webhook } = await hook((_, response) => response.writeHead(200).end('é'.repeat(1_500)))
  await emit([{}])
  const { attempts } = await afterAttempts(webhook, 1)
  expect(attempts[0]).toMatchObject({ response: 'é'.repeat(1_024), responseTruncated: true })
  await advance(4 * 24 * hour)
  expect((await only(webhook)).attempts).toHaveLength(1)
  await advance(25 * hour)
  await eventually(async () => expect((await only(webhook)).attempts).toEqual([]), patience)
  const { deliveryId, status } = await only(webhook)
  expect(status).toBe('DELIVERED')
  expect((await api.get(`/webhook-deliveries/${deliveryId}`)).body).toMatchObject({ status: 'DELIVERED', attempts: [] })
})
