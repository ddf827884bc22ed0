/** Everything an integrator can be told about. Names are public: add freely, never rename or reuse one. */
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

/** The version of the contract that the data of new events is written in: the newest one. */
export const eventApiVersion = '2025-11-21'
