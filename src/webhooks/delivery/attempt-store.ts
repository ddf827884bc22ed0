import type { Queryable } from '../../db/database.ts'
import { requireFence } from '../../db/work.ts'
import { failingDaysAllowed, failuresThatOpenCircuit, type WebhookStatus } from '../webhook.ts'
import type { DeliveryStatus } from './delivery.ts'
import type { Outcome } from './outcome.ts'
import type { Circuit, ClaimedWebhook } from './session-store.ts'

/** How the last few attempts went, as the webhook itself is concerned; `isSlow` is null when they say nothing of that. */
export type Health = { hasSuccess: boolean; failuresSince: number; isSlow: boolean | null }
export type WebhookState = { revision: number; status: WebhookStatus; circuit: Circuit; isFailingTooLong: boolean }

/** An attempt, and what becomes of its delivery. */
export type MadeAttempt = {
  deliveryId: string
  attempt: number
  scheduleFrom: number
  outcome: Outcome
  statusCode: number | null
  durationMs: number
  /** How long ago it began. */
  ageMs: number
  error: string | null
  sealedResponse: Buffer | null
  isResponseCut: boolean
  dataKeyId: string | null
  status: DeliveryStatus
  /** Until the next attempt, if there is one. */
  delayMs: number | null
}

// What was heard from an address that has been changed since says nothing about the new one.
const succeeded = '($4 and revision = $9)'
const failures = '(case when revision = $9 then $5::int else 0 end)'
const failuresInARow = `(case when ${succeeded} then 0 else consecutive_failures end + ${failures})`

/** How the webhook fares, under our fence. The other parts of the statement read it: without the fence they do nothing. */
const held = `
  update svc.webhooks
     set lease_until = clock_timestamp() + $6 * interval '1 millisecond',
         consecutive_failures = ${failuresInARow},
         circuit = case when ${failuresInARow} >= $7 then 'OPEN' else 'CLOSED' end,
         failing_since = case when ${failures} = 0 and not ${succeeded} then failing_since
                              when ${failures} = 0 then null
                              when ${succeeded} then svc.now()
                              else coalesce(failing_since, svc.now()) end,
         is_slow = case when revision = $9 then coalesce($10, is_slow) else is_slow end
   where organization_id = $1 and webhook_id = $2 and fence = $3
  returning revision, status, circuit,
            coalesce(failing_since <= svc.now() - $8 * interval '1 day', false) as "isFailingTooLong"`

/** Somebody asked for another try while this one was under way, and it has failed: then that one is still to come. */
const isAskedAgain = `(delivery.schedule_from <> made.schedule_from and made.status <> 'DELIVERED')`

/**
 * All attempts, what becomes of their deliveries and what they say about the webhook, in one statement, which also renews
 * the lease. Throws LeaseLost, and has written nothing then. While business time stands still an attempt takes none of it.
 * That a delivery is PENDING is said so that no index of what is waiting fits: PostgreSQL finds it by its id, and not among
 * all the others.
 * The commit does not wait for the disk: a record that is lost with the server's power is of a message sent once more.
 */
export async function recordAttempts(
  database: Queryable,
  { organizationId, webhookId, fence, revision }: ClaimedWebhook,
  { hasSuccess, failuresSince, isSlow }: Health,
  attempts: readonly MadeAttempt[],
  leaseMs: number,
): Promise<WebhookState> {
  const column = <Name extends keyof MadeAttempt>(name: Name) => attempts.map((attempt) => attempt[name])
  const recorded = await database.query<WebhookState>({
    name: 'record webhook attempts',
    text: `with held as (${held}),
           clock as materialized (select svc.now() as now, frozen_at from svc.clock),
           made as (
             select delivery_id, attempt, age_ms, outcome, status_code, duration_ms, error, sealed_response,
                    is_response_cut, data_key_id, made.status, delay_ms, schedule_from
               from unnest($11::uuid[], $12::int[], $13::int[], $14::text[], $15::smallint[], $16::int[], $17::text[],
                      $18::bytea[], $19::boolean[], $20::uuid[], $21::text[], $22::bigint[], $23::int[])
                    as made (delivery_id, attempt, age_ms, outcome, status_code, duration_ms, error, sealed_response,
                      is_response_cut, data_key_id, status, delay_ms, schedule_from)
              cross join held),
           written as (
             insert into svc.webhook_attempts (organization_id, delivery_id, attempt, attempted_at, outcome, status_code,
                      duration_ms, error, sealed_response, is_response_cut, data_key_id)
             select $1, delivery_id, attempt,
                    case when frozen_at is null then clock.now - age_ms * interval '1 millisecond' else frozen_at end,
                    outcome, status_code, duration_ms, error, sealed_response, is_response_cut, data_key_id
               from made cross join clock),
           settled as (
             update svc.webhook_deliveries as delivery
                set attempts = made.attempt,
                    status = case when ${isAskedAgain} then 'PENDING' else made.status end,
                    due_at = case when ${isAskedAgain} then delivery.due_at
                                  else clock.now + made.delay_ms * interval '1 millisecond' end
               from made cross join clock
              where delivery.organization_id = $1 and delivery.delivery_id = made.delivery_id
                and delivery.status not in ('DELIVERED', 'FAILED') and delivery.attempts = made.attempt - 1)
           select revision, status, circuit, "isFailingTooLong",
                  set_config('synchronous_commit', 'off', true) as commit from held`,
    values: [
      ...[organizationId, webhookId, fence, hasSuccess, failuresSince],
      ...[leaseMs, failuresThatOpenCircuit, failingDaysAllowed, revision, isSlow],
      ...[column('deliveryId'), column('attempt'), column('ageMs'), column('outcome')],
      ...[column('statusCode'), column('durationMs'), column('error'), column('sealedResponse')],
      ...[column('isResponseCut'), column('dataKeyId'), column('status'), column('delayMs'), column('scheduleFrom')],
    ],
  })
  requireFence(recorded)
  return recorded[0] as WebhookState
}
