import { expect, test } from 'vitest'
import { verify } from '../../../src/db/verify.ts'
import { scopes } from '../../../src/lib/caller.ts'
import { eventTypes } from '../../../src/lib/event-types.ts'
import { newId } from '../../../src/lib/ids.ts'
import { insertWebhook } from '../../../src/webhooks/changes/store.ts'
import { claimWebhooks, endSession, readDue, webhookChecks } from '../../../src/webhooks/delivery/session-store.ts'
import { listAttempts } from '../../../src/webhooks/delivery/store.ts'
import { readRange } from '../../../src/webhooks/fan-out/replay-store.ts'
import { advanceCursors, insertDeliveries } from '../../../src/webhooks/fan-out/store.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

async function startSession() {
  const { app, owner } = await makeDatabase()
  const database = openForTest(app)
  const asOwner = openForTest({ connection: owner })
  const organizationId = newId()
  const ids = { organizationId, webhookId: newId() }
  const maker = { organizationId, apiKeyId: newId(), expiresAt: null, scopes }
  const webhook = {
    ...ids,
    maker,
    url: 'https://example.com',
    events: ['*' as const],
    description: null,
    dataKeyId: newId(),
  }
  await insertWebhook(asTx(database), webhook, 'ENABLED')
  await asOwner.query({ text: 'update svc.webhooks set due_at = svc.now()' })
  const [claimed] = await claimWebhooks(database, 'QUICK', { limit: 1, leaseMs: 60_000 })
  if (!claimed) throw new Error('nothing was due')
  const event = { eventId: newId(), eventType: 'deposit.created', resourceId: newId(), sequence: '1' }
  const readDueAt = async () => {
    const rows = await database.query<{ due_at: Date | null }>({
      text: 'select due_at from svc.webhooks where organization_id = $1',
      values: [organizationId],
    })
    return rows[0]?.due_at
  }
  const findUnseen = async () => (await verify(database, webhookChecks)).checks.flatMap(({ violations }) => violations)
  return { database, asOwner, ids, claimed, event, readDueAt, findUnseen }
}

test('a session that ends during a fan-out waits for it, and leaves the webhook due', async () => {
  const { database, asOwner, ids, claimed, event, readDueAt, findUnseen } = await startSession()
  const isWritten = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const fanOut = database.inTx(async (tx) => {
    await insertDeliveries(tx, [{ ...ids, ...event }], 0)
    await advanceCursors(tx, [{ ...ids, after: '0', upTo: '1', hasMatches: true, isPartial: false }])
    isWritten.resolve()
    await mayCommit.promise
  })
  await isWritten.promise
  const ending = database.inTx((tx) => endSession(tx, claimed))
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  await expect
    .poll(() => asOwner.query({ text: waiting }))
    .toHaveLength(1)
    .finally(mayCommit.resolve)
  await Promise.all([fanOut, ending])
  expect(await readDueAt()).toBeInstanceOf(Date)
  expect(await findUnseen()).toEqual([])
})

test('a session without due deliveries unschedules the webhook, and svc verify finds a delivery it would miss', async () => {
  const { database, asOwner, ids, claimed, event, readDueAt, findUnseen } = await startSession()
  await database.inTx((tx) => endSession(tx, claimed))
  expect(await readDueAt()).toBeNull()
  await insertDeliveries(asTx(asOwner), [{ ...ids, ...event }], 0)
  expect(await findUnseen()).toEqual([expect.stringContaining(ids.organizationId)])
})

test('due deliveries are read by index even in a burst, with a plan from when none were waiting', async () => {
  const { database, asOwner, ids, claimed } = await startSession()
  // After some repetitions PostgreSQL keeps a generic plan.
  for (let times = 0; times < 8; times++) expect(await readDue(database, claimed, 'live', [], 128)).toEqual([])
  const burst = Array.from({ length: 2_000 }, (_, at) => ({
    ...ids,
    eventId: newId(),
    eventType: 'deposit.created',
    resourceId: newId(),
    sequence: String(at + 1),
  }))
  await asOwner.query({
    text: `insert into svc.events (organization_id, event_id, type, resource_id, resource_version, api_version, data,
                  created_at, sequence)
           select $1, event_id, 'deposit.created', resource_id, 1, '2025-11-21', '{}', svc.now(), sequence
             from unnest($2::uuid[], $3::text[], $4::bigint[]) as burst (event_id, resource_id, sequence)`,
    values: [
      ids.organizationId,
      ...(['eventId', 'resourceId', 'sequence'] as const).map((of) => burst.map((e) => e[of])),
    ],
  })
  await insertDeliveries(asTx(database), burst, 0)
  const countRead = async () => {
    await database.query({ text: 'select pg_stat_force_next_flush()' })
    const [row] = await database.query<{ read: string }>({
      text: `select sum(idx_tup_read) as read from pg_stat_user_indexes where relname = 'webhook_deliveries'`,
    })
    return Number(row?.read)
  }
  const before = await countRead()
  expect(await readDue(database, claimed, 'live', [], 128)).toHaveLength(128)
  expect((await countRead()) - before).toBeLessThan(2_000)
})

test('a replay by time reads the events of that time, not all earlier ones', async () => {
  const { database, asOwner, ids } = await startSession()
  await asOwner.query({
    text: `insert into svc.events (organization_id, event_id, type, resource_id, resource_version, api_version, data,
                  created_at, sequence)
           select $1, gen_random_uuid(), 'deposit.created', gen_random_uuid(), 1, '2025-11-21', '{}',
                  '2026-01-01T00:00:00Z'::timestamptz + number * interval '1 second', number
             from generate_series(1, 10000) as happened (number)`,
    values: [ids.organizationId],
  })
  await asOwner.query({ text: 'vacuum analyze svc.events' })
  const countRead = async () => {
    await database.query({ text: 'select pg_stat_force_next_flush()' })
    const [row] = await database.query<{ read: string }>({
      text: `select seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'events') as read
               from pg_stat_user_tables where relname = 'events'`,
    })
    return Number(row?.read)
  }
  const time = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))
  // More executions than PostgreSQL needs before it keeps a generic plan.
  for (let minute = 140; minute < 148; minute++) {
    const before = await countRead()
    const range = { from: time(minute), to: time(minute + 1) }
    const found = await readRange(asTx(database), ids.organizationId, range, eventTypes, 10_001)
    expect(found.map(({ sequence }) => Number(sequence))).toEqual(
      Array.from({ length: 60 }, (_, at) => minute * 60 + at),
    )
    expect((await countRead()) - before).toBeLessThan(200)
  }
})

test('a delivery with very many manual retries shows its newest attempts', async () => {
  const { database, ids } = await startSession()
  const deliveryId = newId()
  await database.query({
    text: `insert into svc.webhook_attempts (organization_id, delivery_id, attempt, attempted_at, outcome, duration_ms,
                  sealed_response, data_key_id)
           select $1, $2, attempt, svc.now(), 'REJECTED', 1, '\\x00', $2 from generate_series(1, 150) as made (attempt)`,
    values: [ids.organizationId, deliveryId],
  })
  const shown = await listAttempts(database, ids.organizationId, [{ deliveryId, attempts: 150 }], 'all')
  expect(shown.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 100 }, (_, at) => at + 51))
  expect(shown.filter(({ sealedResponse }) => sealedResponse).map(({ attempt }) => attempt)[0]).toBe(131)
})
