import type { Scope } from './caller.ts'
import { Refusal } from './refusal.ts'

/** All event types. Names are public: add freely, never rename or reuse one. */
export const eventTypes = [
  'customer.created',
  'customer.updated',
  'payment_account.created',
  'payment_account.updated',
  'payment_account.deleted',
  'payment_account.large_payout',
  'transaction.created',
  'transaction.updated',
  'deposit.created',
  'deposit.updated',
  'approval.created',
  'approval.decided',
  'automation_rule.executed',
  'automation_rule.failed',
  'automation_rule.paused',
  'webhook.created',
  'webhook.updated',
  'webhook.disabled',
  'api_key.created',
  'api_key.new_address',
  'policy.updated',
] as const

export type EventType = (typeof eventTypes)[number]

/** The kinds of resources that events are about: the part of a type before its dot. */
export const eventResourceTypes = [
  'customer',
  'payment_account',
  'transaction',
  'deposit',
  'automation_rule',
  'webhook',
  'approval',
  'api_key',
  'policy',
] as const
export type EventResourceType = (typeof eventResourceTypes)[number]

/** The first word of a type. It compiles only while each is in the list above. */
type FirstWord = EventType extends `${infer Word}.${string}` ? Word : never

export function resourceTypeOf(type: EventType): EventResourceType {
  return type.slice(0, type.indexOf('.')) as FirstWord
}

/** Alternative names of types: the interface writes `customer.update` in one place. */
export const eventTypeAliases = { 'customer.update': 'customer.updated' } as const satisfies Record<string, EventType>

/** The names by which a caller may ask for a type. */
export const eventTypeNames = [...eventTypes, 'customer.update'] as const
export type EventTypeName = (typeof eventTypeNames)[number]

export function resolveEventType(name: EventTypeName): EventType {
  return name === 'customer.update' ? eventTypeAliases[name] : name
}

/** The API version of the data of new events: the newest one. */
export const eventApiVersion = '2025-11-21'

/** The permission to read what an event of each type carries: that of the operation that shows the same resource. */
export const eventScopes: Readonly<Record<EventType, Scope>> = {
  'customer.created': 'customers:read',
  'customer.updated': 'customers:read',
  'payment_account.created': 'payment_accounts:read',
  'payment_account.updated': 'payment_accounts:read',
  'payment_account.deleted': 'payment_accounts:read',
  'payment_account.large_payout': 'transactions:read',
  'transaction.created': 'transactions:read',
  'transaction.updated': 'transactions:read',
  'deposit.created': 'transactions:read',
  'deposit.updated': 'transactions:read',
  'approval.created': 'approvals:read',
  'approval.decided': 'approvals:read',
  'automation_rule.executed': 'automation_rules:read',
  'automation_rule.failed': 'automation_rules:read',
  'automation_rule.paused': 'automation_rules:read',
  'webhook.created': 'webhooks:read',
  'webhook.updated': 'webhooks:read',
  'webhook.disabled': 'webhooks:read',
  'api_key.created': 'api_keys:read',
  'api_key.new_address': 'api_keys:read',
  'policy.updated': 'policies:read',
}

export function isReadable(scopes: ReadonlySet<Scope>, type: EventType): boolean {
  return scopes.has(eventScopes[type])
}

/** The event types that a credential or a webhook with these scopes may see. */
export function readableTypes(scopes: ReadonlySet<Scope>): EventType[] {
  return eventTypes.filter((type) => isReadable(scopes, type))
}

/** Refuses event types that carry what a credential may not read. */
export function requireReadable(scopes: ReadonlySet<Scope>, types: readonly EventType[]): void {
  const hidden = types.filter((type) => !isReadable(scopes, type))
  if (hidden.length === 0) return
  const missing = [...new Set(hidden.map((type) => eventScopes[type]))].join(', ')
  throw new Refusal('FORBIDDEN', `Events of type ${hidden.join(', ')} need the scope ${missing}, which yours lacks`)
}
