import type { Queryable } from '../../db/database.ts'
import { requireFence } from '../../db/work.ts'
import { failingDaysAllowed, failuresThatOpenCircuit, type WebhookStatus } from '../webhook.ts'
import type { DeliveryStatus } from './delivery.ts'
import type { Outcome } from './outcome.ts'
import type { Circuit, ClaimedWebhook } from './session-store.ts'

/** The health of a webhook's endpoint in its last attempts; `isSlow` is null when no attempt concerned the endpoint. */
export type Health = {
  hasSuccess: boolean
  failuresSince: number
  isSlow: boolean | null
  /** How long all replays pause after one of them failed; null when none did. */
  replayPauseMs: number | null
}
export type WebhookState = {
  revision: number
  status: WebhookStatus
  circuit: Circuit
  isFailingTooLong: boolean
  /** Attempts that the total of the organization does not include yet. */
  uncounted: number
}

/** A finished attempt, and the new state of its delivery. */
export type FinishedAttempt = {
  deliveryId: string
  attempt: number
  scheduleFrom: number
  outcome: Outcome
  statusCode: number | null
  durationMs: number
  /** Time since the attempt began. */
  ageMs: number
  error: string | null
  sealedResponse: Buffer | null
  isResponseCut: boolean
  dataKeyId: string | null
  status: DeliveryStatus
  /** Time until the next attempt; null when there is none. */
  delayMs: number | null
}

// Results of an earlier revision do not count: they say nothing about the webhook's new address.
const succeeded = '($4 and revision = $9)'
const failures = '(case when revision = $9 then $5::int else 0 end)'
const failuresInARow = `(case when ${succeeded} then 0 else consecutive_failures end + ${failures})`

/** Updates the webhook under our fence. The rest of the statement joins its result, and writes nothing without it. */
const webhookUpdate = `
  update svc.webhooks
     set lease_until = clock_timestamp() + $6 * interval '1 millisecond',
         consecutive_failures = ${failuresInARow},
         circuit = case when ${failuresInARow} >= $7 then 'OPEN' else 'CLOSED' end,
         failing_since = case when ${failures} = 0 and not ${succeeded} then failing_since
                              when ${failures} = 0 then null
                              when ${succeeded} then svc.now()
                              else coalesce(failing_since, svc.now()) end,
         attempts_uncounted = attempts_uncounted + cardinality($11::uuid[]),
         is_slow = case when revision = $9 then coalesce($10, is_slow) else is_slow end,
         replays_paused_until = coalesce(svc.now() + $24 * interval '1 millisecond', replays_paused_until)
   where organization_id = $1 and webhook_id = $2 and fence = $3
  returning revision, status, circuit, attempts_uncounted as uncounted,
            coalesce(failing_since <= svc.now() - $8 * interval '1 day', false) as "isFailingTooLong"`

/** The caller requested a retry during an attempt that then failed: the delivery stays due for that retry. */
const isRetryRequested = `(delivery.schedule_from <> finished.schedule_from and finished.status <> 'DELIVERED')`

/**
 * Records the attempts, the new states of their deliveries and the health of the webhook in one statement, which also
 * renews the lease. Throws LeaseLost and writes nothing when another worker holds the fence. While business time is
 * frozen an attempt takes no business time.
 * The guard reads `not in ('DELIVERED', 'FAILED')` so that no partial index on pending deliveries matches: PostgreSQL
 * then finds each delivery by its id.
 * The commit does not wait for the disk: if a power failure loses it, the next session sends the message once more.
 */
export async function recordAttempts(
  database: Queryable,
  { organizationId, webhookId, fence, revision }: ClaimedWebhook,
  { hasSuccess, failuresSince, isSlow, replayPauseMs }: Health,
  attempts: readonly FinishedAttempt[],
  leaseMs: number,
): Promise<WebhookState> {
  const column = <Name extends keyof FinishedAttempt>(name: Name) => attempts.map((attempt) => attempt[name])
  const recorded = await database.query<WebhookState>({
    name: 'record webhook attempts',
    text: `with updated as (${webhookUpdate}),
           clock as materialized (select svc.now() as now, frozen_at from svc.clock),
           finished as (
             select delivery_id, attempt, age_ms, outcome, status_code, duration_ms, error, sealed_response,
                    is_response_cut, data_key_id, finished.status, delay_ms, schedule_from
               from unnest($11::uuid[], $12::int[], $13::int[], $14::text[], $15::smallint[], $16::int[], $17::text[],
                      $18::bytea[], $19::boolean[], $20::uuid[], $21::text[], $22::bigint[], $23::int[])
                    as finished (delivery_id, attempt, age_ms, outcome, status_code, duration_ms, error,
                      sealed_response, is_response_cut, data_key_id, status, delay_ms, schedule_from)
              cross join updated),
           inserted as (
             insert into svc.webhook_attempts (organization_id, delivery_id, attempt, attempted_at, outcome, status_code,
                      duration_ms, error, sealed_response, is_response_cut, data_key_id)
             select $1, delivery_id, attempt,
                    case when frozen_at is null then clock.now - age_ms * interval '1 millisecond' else frozen_at end,
                    outcome, status_code, duration_ms, error, sealed_response, is_response_cut, data_key_id
               from finished cross join clock),
           moved as (
             update svc.webhook_deliveries as delivery
                set attempts = finished.attempt,
                    status = case when ${isRetryRequested} then 'PENDING' else finished.status end,
                    due_at = case when ${isRetryRequested} then delivery.due_at
                                  else clock.now + finished.delay_ms * interval '1 millisecond' end
               from finished cross join clock
              where delivery.organization_id = $1 and delivery.delivery_id = finished.delivery_id
                and delivery.status not in ('DELIVERED', 'FAILED') and delivery.attempts = finished.attempt - 1)
           select revision, status, circuit, uncounted, "isFailingTooLong",
                  set_config('synchronous_commit', 'off', true) as commit from updated`,
    values: [
      organizationId,
      webhookId,
      fence,
      hasSuccess,
      failuresSince,
      leaseMs,
      failuresThatOpenCircuit,
      failingDaysAllowed,
      revision,
      isSlow,
      column('deliveryId'),
      column('attempt'),
      column('ageMs'),
      column('outcome'),
      column('statusCode'),
      column('durationMs'),
      column('error'),
      column('sealedResponse'),
      column('isResponseCut'),
      column('dataKeyId'),
      column('status'),
      column('delayMs'),
      column('scheduleFrom'),
      replayPauseMs,
    ],
  })
  requireFence(recorded)
  return recorded[0] as WebhookState
}

/**
 * Adds the uncounted attempts of a webhook to the total of its organization, and deletes the oldest beyond `most`. Answers
 * how many it deleted, at most `limit`.
 */
export async function countAttempts(
  database: Queryable,
  { organizationId, webhookId }: Pick<ClaimedWebhook, 'organizationId' | 'webhookId'>,
  most: number,
  limit: number,
): Promise<number> {
  const [counted] = await database.query<{ deleted: number }>({
    name: 'count webhook attempts',
    text: 'select svc.count_webhook_attempts($1, $2, $3, $4) as deleted',
    values: [organizationId, webhookId, most, limit],
  })
  return counted?.deleted ?? 0
}

/** Reads how many attempts each organization has. The uncounted ones stand in the rows of its webhooks. */
export async function readAttemptTotals(
  database: Queryable,
  organizationIds: readonly string[],
): Promise<Map<string, number>> {
  const totals = await database.query<{ organizationId: string; attempts: string }>({
    name: 'read webhook attempt totals',
    text: `select wanted.organization_id as "organizationId",
                  coalesce((select attempts from svc.webhook_attempt_totals as total
                             where total.organization_id = wanted.organization_id), 0)
                  + (select coalesce(sum(webhook.attempts_uncounted), 0) from svc.webhooks as webhook
                      where webhook.organization_id = wanted.organization_id) as attempts
             from unnest($1::uuid[]) as wanted (organization_id)`,
    values: [organizationIds],
  })
  return new Map(totals.map(({ organizationId, attempts }) => [organizationId, Number(attempts)]))
}
