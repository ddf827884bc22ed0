/** All event types. Names are public: add freely, never rename or reuse one. */
export const eventTypes = [
  'customer.created',
  'customer.updated',
  'payment_account.created',
  'payment_account.updated',
  'payment_account.deleted',
  'transaction.created',
  'transaction.updated',
  'deposit.created',
  'deposit.updated',
  'automation_rule.executed',
  'automation_rule.failed',
  'webhook.disabled',
] as const

export type EventType = (typeof eventTypes)[number]

/** The API version of the data of new events: the newest one. */
export const eventApiVersion = '2025-11-21'
