import { type EventType, eventTypes } from '../lib/event-types.ts'

/** `*` means all current and future types. */
export type Subscription = EventType | '*'

/** Alternative names of types: the interface writes `customer.update` in one place. */
const aliases = { 'customer.update': 'customer.updated' } as const satisfies Record<string, EventType>

export const subscribable = [...eventTypes, '*', 'customer.update'] as const
export type Subscribable = (typeof subscribable)[number]

/** Resolves aliases and duplicates; the result has the order of `eventTypes`. */
export function readSubscriptions(requested: readonly Subscribable[]): Subscription[] {
  const types = new Set<string>(requested.map((name) => (name === 'customer.update' ? aliases[name] : name)))
  return types.has('*') ? ['*'] : eventTypes.filter((type) => types.has(type))
}

export function isSubscribed(subscriptions: readonly Subscription[], type: EventType): boolean {
  return subscriptions.includes('*') || subscriptions.includes(type)
}
