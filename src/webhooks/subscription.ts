import { type EventType, eventTypes } from '../lib/event-types.ts'

/** `*` is every type there is, and every one that will be. */
export type Subscription = EventType | '*'

/** Names that mean another one: the interface writes `customer.update` in one place. */
const aliases = { 'customer.update': 'customer.updated' } as const satisfies Record<string, EventType>

export const subscribable = [...eventTypes, '*', 'customer.update'] as const
export type Subscribable = (typeof subscribable)[number]

/** What was asked for, each type once and by the name that is sent, in the order of the list of types. */
export function readSubscriptions(asked: readonly Subscribable[]): Subscription[] {
  const wanted = new Set<string>(asked.map((name) => (name === 'customer.update' ? aliases[name] : name)))
  return wanted.has('*') ? ['*'] : eventTypes.filter((type) => wanted.has(type))
}

export function isSubscribed(subscriptions: readonly Subscription[], type: EventType): boolean {
  return subscriptions.includes('*') || subscriptions.includes(type)
}
