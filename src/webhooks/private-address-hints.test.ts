import { expect, test } from 'vitest'
import { createPrivateAddressHints } from './private-address-hints.ts'

test('a webhook is hinted at once an hour, by its host alone, and 100 webhooks an hour at most', () => {
  const written: object[] = []
  let nowMs = 0
  const hint = createPrivateAddressHints(
    () => nowMs,
    (each) => written.push(each),
  )
  const webhook = { organizationId: 'o', webhookId: 'w', url: 'https://inside.example.com:8443/secret?key=1' }
  hint(webhook)
  hint(webhook)
  expect(written).toEqual([{ organizationId: 'o', webhookId: 'w', host: 'inside.example.com:8443' }])
  for (let at = 0; at < 200; at++) hint({ ...webhook, webhookId: String(at) })
  expect(written).toHaveLength(100)
  nowMs = 3_600_000
  hint(webhook)
  expect(written).toHaveLength(101)
})
