import { ruleEvents } from '../automation-rules/runs/event-wire.ts'
import { customerEvents } from '../customers/wire.ts'
import type { EventPayloads } from '../events/wire.ts'
import { paymentAccountEvents } from '../payment-accounts/wire.ts'
import { depositEvents } from '../transactions/deposits/wire.ts'
import { transactionEvents } from '../transactions/wire.ts'
import { webhookEvents } from '../webhooks/wire.ts'

/**
 * What each event carries, for the document's `webhooks` and for test events. A capability that tells of something adds
 * its types here: test/contracts/event-payloads.test.ts names those that are missing.
 */
export const eventPayloads: EventPayloads = {
  ...customerEvents,
  ...paymentAccountEvents,
  ...transactionEvents,
  ...depositEvents,
  ...ruleEvents,
  ...webhookEvents,
}
