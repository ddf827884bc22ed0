import { expect, test } from 'vitest'
import { isSubscribed, readSubscriptions, type Subscribable, type Subscription } from './subscription.ts'

// biome-ignore format: a table is read by column
test.each<[Subscribable[], Subscription[]]>([
  [['customer.update'],                      ['customer.updated']],
  [['customer.update', 'customer.updated'],  ['customer.updated']],
  [['deposit.updated', 'customer.created'],  ['customer.created', 'deposit.updated']],
  [['deposit.updated', 'deposit.updated'],   ['deposit.updated']],
  [['deposit.updated', '*'],                 ['*']],
])('%o means %o', (requested, subscriptions) => {
  expect(readSubscriptions(requested)).toEqual(subscriptions)
})

test('a star means every type, and a name means one', () => {
  expect(isSubscribed(['*'], 'webhook.disabled')).toBe(true)
  expect(isSubscribed(['customer.updated'], 'customer.updated')).toBe(true)
  expect(isSubscribed(['customer.updated'], 'customer.created')).toBe(false)
})
