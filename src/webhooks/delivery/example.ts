import type { Caller } from '../../lib/caller.ts'
import { type EventType, eventApiVersion, isReadable } from '../../lib/event-types.ts'
import { newId } from '../../lib/ids.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { WebhookDeps } from '../deps.ts'
import { disabledByOperator, webhookNotEnabled } from '../disable.ts'
import { findOwn, refuse } from '../find.ts'
import { openKeys } from '../secrets/signing-keys.ts'
import { exampleTypeOf } from '../subscription.ts'
import { keepResponse, postMessage } from './endpoint-worker.ts'
import { writeMessage } from './message.ts'
import { outcomeOf } from './outcome.ts'

export function createExampleService(deps: WebhookDeps) {
  return {
    /**
     * Sends an example to this webhook at once. The example is no event: other webhooks do not get it, and it is not
     * retried.
     */
    test: async (caller: Caller, webhookId: string, readType: () => EventType | undefined) => {
      const webhook = await findOwn(deps.database, caller, webhookId)
      if (webhook.disabledReason === 'OPERATOR') throw disabledByOperator()
      if (deps.mustProve && webhook.provenAt === null && webhook.status !== 'ENABLED') throw webhookNotEnabled()
      const type = readType() ?? exampleTypeOf(webhook)
      if (type === undefined || !isReadable(new Set(webhook.scopes), type))
        throw new Refusal(
          'CONFLICT',
          'The key of this webhook may not read this type: change events with a key that may',
        )
      const keys = (await openKeys(deps, webhook)) ?? refuse()
      const { organizationId } = webhook
      const eventId = newId()
      const about = { resourceId: newId(), resourceVersion: 0 }
      const example = { eventId, type, apiVersion: eventApiVersion, organizationId, sequence: '0', ...about }
      const data = JSON.stringify(deps.exampleOf(type))
      const body = writeMessage({ ...example, createdAt: new Date(deps.nowMs()), data })
      const { posted, durationMs } = await postMessage(deps, webhook, keys.signing, { eventId, body })
      const kept = keepResponse(posted)
      return {
        webhookId: webhook.webhookId,
        eventId,
        eventType: type,
        outcome: outcomeOf(posted) ?? 'UNREACHABLE',
        statusCode: posted.ok ? posted.status : null,
        durationMs,
        response: kept?.bytes.toString(),
        isResponseCut: kept?.isCut ?? false,
        error: posted.ok ? null : posted.message,
      }
    },
  }
}
