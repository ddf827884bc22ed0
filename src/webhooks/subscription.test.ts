import { expect, test } from 'vitest'
import { isSubscribed, readSubscriptions, type Subscribable, type Subscription } from './subscription.ts'

// biome-ignore format: a table is read by column
test.each<[Subscribable[], Subscription[]]>([
  [['customer.update'],                      ['customer.updated']],
  [['customer.update', 'customer.updated'],  ['customer.updated']],
  [['deposit.updated', 'customer.created'],  ['customer.created', 'deposit.updated']],
  [['deposit.updated', 'deposit.updated'],   ['deposit.updated']],
  [['deposit.updated', '*'],                 ['*']],
])('%o means %o', (asked, subscriptions) => {
  expect(readSubscriptions(asked)).toEqual(subscriptions)
})

test('a star is every type, and a name is one', () => {
  expect(isSubscribed(['*'], 'webhook.disabled')).toBe(true)
  expect(isSubscribed(['customer.updated'], 'customer.updated')).toBe(true)
  expect(isSubscribed(['customer.updated'], 'customer.created')).toBe(false)
})
