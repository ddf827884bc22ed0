import type { Scope } from '../lib/caller.ts'
import {
  type EventType,
  eventTypeNames,
  eventTypes,
  isReadable,
  readableTypes,
  requireReadable,
  resolveEventType,
} from '../lib/event-types.ts'
import { Refusal } from '../lib/refusal.ts'

/** `*` means all current and future types. */
export type Subscription = EventType | '*'

export const subscribable = [...eventTypeNames, '*'] as const
export type Subscribable = (typeof subscribable)[number]

/** Resolves aliases and duplicates; the result has the order of `eventTypes`. */
export function readSubscriptions(requested: readonly Subscribable[]): Subscription[] {
  const types = new Set<string>(requested.map((name) => (name === '*' ? name : resolveEventType(name))))
  return types.has('*') ? ['*'] : eventTypes.filter((type) => types.has(type))
}

/** The types that a webhook receives: those that it subscribes to and that its scopes may read. */
export function receivedTypes(webhook: { events: readonly Subscription[]; scopes: readonly Scope[] }): EventType[] {
  const scopes = new Set(webhook.scopes)
  return eventTypes.filter((type) => isSubscribed(webhook.events, type) && isReadable(scopes, type))
}

export function isSubscribed(subscriptions: readonly Subscription[], type: EventType): boolean {
  return subscriptions.includes('*') || subscriptions.includes(type)
}

/** Refuses types that the caller may not read. A star stands for those that it may, at least one. */
export function requireSubscribable(scopes: ReadonlySet<Scope>, events: readonly Subscription[]): void {
  requireReadable(
    scopes,
    events.filter((type) => type !== '*'),
  )
  if (events.includes('*') && readableTypes(scopes).length === 0)
    throw new Refusal('FORBIDDEN', 'A webhook needs a scope that reads what events carry, such as customers:read')
}

/** Refuses to take over a webhook that receives types which the caller may not read: it would go silent about them. */
export function requireTakeOver(
  scopes: ReadonlySet<Scope>,
  before: Parameters<typeof receivedTypes>[0],
  events: readonly Subscription[],
): void {
  requireSubscribable(scopes, events)
  requireReadable(scopes, receivedTypes(before))
}

/** The types that most integrators wait for. */
const usualTypes: readonly EventType[] = ['customer.updated', 'transaction.created']

/** The type of an example: a star begins with a usual one. */
export function exampleTypeOf(webhook: Parameters<typeof receivedTypes>[0]): EventType | undefined {
  const types = receivedTypes(webhook)
  const usual = webhook.events.includes('*') ? usualTypes.find((type) => types.includes(type)) : undefined
  return usual ?? types[0]
}
