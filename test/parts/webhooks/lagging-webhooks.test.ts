import { expect, test } from 'vitest'
import type { Database, Queryable, Statement } from '../../../src/db/database.ts'
import { appendEvents } from '../../../src/db/outbox/events.ts'
import { createSequencerJob } from '../../../src/db/outbox/sequencer.ts'
import { standingDutyJob } from '../../../src/db/standing-duty.ts'
import { createDueReader, isDue } from '../../../src/db/workers/due.ts'
import { scopes } from '../../../src/lib/caller.ts'
import { newId } from '../../../src/lib/ids.ts'
import { enableWebhook, insertWebhook } from '../../../src/webhooks/changes/store.ts'
import { fanOutDuty } from '../../../src/webhooks/fan-out/service.ts'
import { fanOutSteps, hasLaggingWebhooks } from '../../../src/webhooks/fan-out/store.ts'
import { changeMaker } from '../../../src/webhooks/makers/store.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

async function start() {
  const { app, owner } = await makeDatabase()
  const [database, asOwner] = [openForTest(app), openForTest({ connection: owner })]
  const sequencer = createSequencerJob(database, 60_000)
  const fanOut = standingDutyJob(database, fanOutDuty(), 60_000)
  const append = (organizationIds: readonly string[]) =>
    appendEvents(
      asTx(database),
      organizationIds.map((organizationId) => ({
        organizationId,
        type: 'deposit.created' as const,
        resourceId: newId(),
        resourceVersion: 1,
        data: {},
      })),
    )
  const insert = (queryable: Queryable, organizationId: string, expiresAt: Date | null = null) =>
    insertWebhook(
      asTx(queryable),
      {
        organizationId,
        webhookId: newId(),
        maker: { organizationId, apiKeyId: newId(), expiresAt, scopes },
        url: 'https://example.com',
        events: ['*'],
        description: null,
        dataKeyId: newId(),
      },
      'ENABLED',
    )
  const runAll = async () => {
    while ((await sequencer.runBatch()) > 0);
    while ((await fanOut.runBatch()) > 0);
  }
  const countDeliveries = async (webhookId: string) => {
    const text = 'select delivery_id from svc.webhook_deliveries where webhook_id = $1'
    return (await database.query({ text, values: [webhookId] })).length
  }
  return { database, asOwner, sequencer, fanOut, append, insert, runAll, countDeliveries }
}

/** More than a reader leaves to its condition: it then records the batch up to which it has read. */
const many = Array.from({ length: 30 }, newId)

test('a webhook that was not visible when the fan-out read its event receives it', async () => {
  const { database, append, insert, runAll, countDeliveries } = await start()
  const [organizationId = ''] = many
  const webhookId = await database.inTx(async (tx) => {
    const webhook = await insert(tx, organizationId)
    await append(many)
    await runAll()
    return webhook.webhookId
  })
  expect(await isDue(database, hasLaggingWebhooks)).toBe(true)
  await runAll()
  expect(await countDeliveries(webhookId)).toBe(1)
  expect(await isDue(database, hasLaggingWebhooks)).toBe(false)
})

test('so does one that is enabled, and one whose expired key was rolled', async () => {
  const { database, asOwner, append, insert, runAll, countDeliveries } = await start()
  const [first = '', second = ''] = many
  const disabled = await insert(database, first)
  const expired = await insert(database, second, new Date(Date.now() - 1_000))
  await asOwner.query({
    text: `update svc.webhooks set status = 'DISABLED', disabled_version = 1 where webhook_id = $1`,
    values: [disabled.webhookId],
  })
  await append(many)
  await runAll()
  expect(await isDue(database, hasLaggingWebhooks)).toBe(false)
  await enableWebhook(asTx(database), disabled, '0')
  const key = { organizationId: second, apiKeyId: expired.makerApiKeyId ?? '' }
  await changeMaker(asTx(database), key, { apiKeyId: newId(), expiresAt: null })
  await runAll()
  expect(await countDeliveries(disabled.webhookId)).toBe(1)
  expect(await countDeliveries(expired.webhookId)).toBe(1)
})

test('a webhook with more events than its share receives the rest, and others meanwhile', async () => {
  const { database, append, insert, sequencer, fanOut, runAll, countDeliveries } = await start()
  const [first = '', second = ''] = many
  const webhook = await insert(database, first)
  await append(Array.from({ length: 2_500 }, () => first))
  await append(many)
  while ((await sequencer.runBatch()) > 0);
  await fanOut.runBatch()
  expect(await countDeliveries(webhook.webhookId)).toBe(2_000)
  const other = await insert(database, second)
  await append([second])
  await runAll()
  expect(await countDeliveries(webhook.webhookId)).toBe(2_501)
  expect(await countDeliveries(other.webhookId)).toBe(1)
})

/** Counts the pages of index and table that a statement reads. */
async function countPages(database: Queryable, { text, values = [] }: Statement): Promise<number> {
  const [found] = await database.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>({
    text: `explain (analyze, buffers, format json) ${text}`,
    values,
  })
  const plan = found?.['QUERY PLAN'][0].Plan ?? {}
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)
}

async function countPagesOfLook(database: Database): Promise<number> {
  let pages = 0
  const counting = {
    query: async (statement: Statement) => {
      pages = await countPages(database, statement)
      return []
    },
  }
  await createDueReader(counting as unknown as Queryable, [hasLaggingWebhooks])()
  return pages
}

test('the fan-out of one event reads none of those before', async () => {
  const { database, asOwner, append, insert, runAll } = await start()
  const [organizationId = ''] = many
  const webhook = await insert(database, organizationId)
  await append(Array.from({ length: 10_000 }, () => organizationId))
  await runAll()
  await asOwner.query({ text: 'vacuum analyze' })
  const step = { organizationId, webhookId: webhook.webhookId, after: '9999', upTo: '10000' }
  let pages = 0
  await database.inTx(async (tx) => {
    const counting = async (statement: Statement) => {
      pages = await countPages(tx, statement)
      return []
    }
    await fanOutSteps(asTx({ query: counting } as unknown as Queryable), [step])
  })
  // All of them would be more than 200.
  expect(pages).toBeLessThan(50)
})

test('the look for lagging webhooks reads as much with 3,000 webhooks as with ten', async () => {
  const { database, asOwner, append, insert, runAll } = await start()
  const [organizationId = ''] = many
  const { webhookId } = await insert(database, organizationId)
  const copy = async (count: number) => {
    await asOwner.query({
      text: `insert into svc.webhooks (organization_id, webhook_id, url, events, status, data_key_id, created_at,
                    fanned_out_to, maker_organization_id, maker_api_key_id, scopes)
             select gen_random_uuid(), gen_random_uuid(), url, events, status, data_key_id, created_at, 0,
                    maker_organization_id, maker_api_key_id, scopes
               from svc.webhooks, generate_series(1, $2::integer) where webhook_id = $1`,
      values: [webhookId, count],
    })
    await asOwner.query({ text: 'vacuum analyze' })
    const found = await database.query<{ id: string }>({ text: 'select organization_id as id from svc.webhooks' })
    await append(found.map(({ id }) => id))
    await runAll()
    await asOwner.query({ text: 'vacuum analyze' })
    await append([organizationId])
    await runAll()
    expect(await isDue(database, hasLaggingWebhooks)).toBe(false)
    return countPagesOfLook(database)
  }
  const few = await copy(10)
  expect(await copy(3_000)).toBeLessThan(few + 20)
})
