import Type from 'typebox'
import { ruleEvents } from '../automation-rules/runs/event-wire.ts'
import { apiKeyEvents } from '../credentials/wire.ts'
import { customerEvents } from '../customers/wire.ts'
import type { EventPayloads } from '../events/wire.ts'
import { integrator, story } from '../http/examples/story.ts'
import { type EventPayload, resource, Timestamp, Uuid } from '../http/wire.ts'
import type { EventType } from '../lib/event-types.ts'
import { paymentAccountEvents } from '../payment-accounts/wire.ts'
import { approvalEvents } from '../transactions/approvals/wire.ts'
import { depositEvents } from '../transactions/deposits/wire.ts'
import { destinationAlertEvents } from '../transactions/destination-alerts/wire.ts'
import { transactionEvents } from '../transactions/wire.ts'
import { webhookEvents } from '../webhooks/event-wire.ts'

const PolicyUpdate = resource('PolicyUpdate', {
  organizationId: Uuid,
  version: Type.Integer({ minimum: 1, description: 'Counts the changes of the policies', examples: [1] }),
  apiKeyId: Type.Optional({ ...Uuid, description: 'The key that changed them. Absent for a command of the operator' }),
  changedRules: Type.Array(Type.String({ examples: ['daily-total'] }), {
    description: 'The names of the rules that were added, changed or removed',
  }),
  updatedAt: Timestamp,
})

/** The payload of a change of policies. Policies emit it. */
const policyEvents = {
  'policy.updated': {
    schema: PolicyUpdate,
    example: {
      organizationId: story.organizationId,
      version: 1,
      apiKeyId: integrator.firstApiKeyId,
      changedRules: ['daily-total', 'large-payouts', 'nights'],
      updatedAt: story.createdAt,
    },
  },
} satisfies Partial<Record<EventType, EventPayload>>

/**
 * The payload of each event type, for the `webhooks` of the OpenAPI document and for test events. A capability that emits
 * events adds them here; test/contracts/event-payloads.test.ts lists missing ones.
 */
export const eventPayloads: EventPayloads = {
  ...customerEvents,
  ...paymentAccountEvents,
  ...transactionEvents,
  ...depositEvents,
  ...approvalEvents,
  ...ruleEvents,
  ...webhookEvents,
  ...apiKeyEvents,
  ...destinationAlertEvents,
  ...policyEvents,
}
