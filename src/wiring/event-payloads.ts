import { ruleEvents } from '../automation-rules/runs/event-wire.ts'
import { customerEvents } from '../customers/wire.ts'
import type { EventPayloads } from '../events/wire.ts'
import { paymentAccountEvents } from '../payment-accounts/wire.ts'
import { depositEvents } from '../transactions/deposits/wire.ts'
import { transactionEvents } from '../transactions/wire.ts'
import { webhookEvents } from '../webhooks/wire.ts'

/**
 * The payload of each event type, for the `webhooks` of the OpenAPI document and for test events. A capability that emits
 * events adds them here; test/contracts/event-payloads.test.ts lists missing ones.
 */
export const eventPayloads: EventPayloads = {
  ...customerEvents,
  ...paymentAccountEvents,
  ...transactionEvents,
  ...depositEvents,
  ...ruleEvents,
  ...webhookEvents,
}
