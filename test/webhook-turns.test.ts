import { expect, test } from 'vitest'
import { verify } from '../src/db/verify.ts'
import { newId } from '../src/lib/ids.ts'
import { insertDeliveries, moveCursors } from '../src/webhooks/fan-out-store.ts'
import { insertWebhook } from '../src/webhooks/store.ts'
import { claimWebhooks, endTurn, webhookChecks } from '../src/webhooks/turn-store.ts'
import { makeDatabase, openForTest } from './support/database.ts'

async function startTurn() {
  const { app, owner } = await makeDatabase()
  const database = openForTest(app)
  const asOwner = openForTest({ connection: owner })
  const organizationId = newId()
  const ids = { organizationId, webhookId: newId() }
  const webhook = { ...ids, url: 'https://example.com', events: ['*' as const], description: null, dataKeyId: newId() }
  await insertWebhook(database, webhook)
  await asOwner.query({ text: 'update svc.webhooks set due_at = svc.now()' })
  const [claimed] = await claimWebhooks(database, 'CLOSED', { limit: 1, leaseMs: 60_000 })
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

test('a turn that ends while events are fanned out waits for them, and does not put the webhook to sleep', async () => {
  const { database, asOwner, ids, claimed, event, readDueAt, findUnseen } = await startTurn()
  const isWritten = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const fanOut = database.transaction(async (transaction) => {
    await insertDeliveries(transaction, [{ ...ids, ...event }], 0)
    await moveCursors(transaction, [{ ...ids, after: '0', upTo: '1', hasMatches: true }])
    isWritten.resolve()
    await mayCommit.promise
  })
  await isWritten.promise
  const ending = database.transaction((transaction) => endTurn(transaction, claimed))
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  await expect
    .poll(() => asOwner.query({ text: waiting }), { timeout: 20_000 })
    .toHaveLength(1)
    .finally(mayCommit.resolve)
  await Promise.all([fanOut, ending])
  expect(await readDueAt()).toBeInstanceOf(Date)
  expect(await findUnseen()).toEqual([])
})

test('a turn with nothing left ends asleep, and a delivery that nobody would see is found by svc verify', async () => {
  const { database, asOwner, ids, claimed, event, readDueAt, findUnseen } = await startTurn()
  await database.transaction((transaction) => endTurn(transaction, claimed))
  expect(await readDueAt()).toBeNull()
  await insertDeliveries(asOwner, [{ ...ids, ...event }], 0)
  expect(await findUnseen()).toEqual([expect.stringContaining(ids.organizationId)])
})
