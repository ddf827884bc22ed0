import { afterAll, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createMany, pay, startMoney, takeOver } from '../../support/money/money-stories.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'

/**
 * Another organization has 2,000 older rows in a queue, and ours has one. Ours is in one of the next two batches: the
 * first takes the oldest rows, and since it was full, the second serves both organizations.
 */
const money = await startMoney()
const { rows } = money
const workers = takeOver(money, {})
const owner = openDatabase({ connection: money.api.database.owner, connections: 1 })
afterAll(() => owner.close())
const crowd = newId()

/** Copies the due row of our organization 2,000 times for the other one, due an hour earlier. */
async function makeBacklog(table: string, changes: string): Promise<void> {
  const [columns] = await owner.query<{ names: string }>({
    text: `select string_agg(column_name, ', ') as names from information_schema.columns
            where table_schema = 'svc' and table_name = $1 and is_generated = 'NEVER'`,
    values: [table],
  })
  await owner.query({
    text: `insert into svc.${table} (${columns?.names})
           select ${columns?.names} from (
             select copy.* from svc.${table} as ours, generate_series(1, 2000) as n,
                    jsonb_populate_record(ours, jsonb_build_object('due_at', ours.due_at - interval '1 hour') || ${changes})
                      as copy
              where ours.ctid = (select ctid from svc.${table} where due_at <= svc.now()
                                  order by due_at desc limit 1)) as copies`,
  })
  onTestFinished(async () => {
    await owner.query({ text: `update svc.${table} set due_at = null, lease_until = null` })
  })
}

test('a transaction does not wait for the backlog of another organization', async () => {
  const { transactionId } = first(await createMany(money, money.offRamp, 1))
  await makeBacklog(
    'transactions',
    `jsonb_build_object('organization_id', '${crowd}', 'transaction_id', md5(n::text)::uuid, 'step', 'DONE',
       'quote_id', md5(n::text)::uuid, 'status', 'FAILED')`,
  )
  expect(await workers.advanceAll()).toBe(5)
  await workers.advanceAll()
  expect(await rows(`select status, step from svc.transactions where transaction_id = '${transactionId}'`)).toEqual([
    { status: 'PROCESSING', step: 'PAYOUT' },
  ])
})

test('a payout does not wait for the backlog of another organization', async () => {
  const { transactionId } = first(await createMany(money, money.offRamp, 1))
  await workers.advanceAll()
  // The signer seals it in its own time.
  const sealed = `select from svc.payouts where transaction_id = '${transactionId}' and seal is not null and due_at <= svc.now()`
  await eventually(async () => expect(await rows(sealed)).toHaveLength(1))
  await makeBacklog(
    'payouts',
    `jsonb_build_object('organization_id', '${crowd}', 'payout_id', md5(n::text)::uuid, 'status', 'CONFIRMED',
       'transaction_id', md5(n::text)::uuid, 'attempts', 1, 'resolved_at', svc.now())`,
  )
  expect(await workers.payOut()).toBe(100)
  await workers.payOut()
  expect(await rows(`select status from svc.payouts where transaction_id = '${transactionId}'`)).toEqual([
    { status: 'SENT' },
  ])
})

test('incoming money does not wait for a backlog of sightings of another organization', async () => {
  const transaction = first(await createMany(money, money.onRamp, 1))
  await pay(money, transaction)
  await makeBacklog(
    'sightings',
    `jsonb_build_object('external_id', md5(n::text)::uuid, 'message', null, 'sender_account_id', null,
       'expected_organization_id', '${crowd}')`,
  )
  expect(await workers.receive()).toBe(5)
  await workers.receive()
  const { transactionId } = transaction
  expect(await rows(`select status from svc.deposits where transaction_id = '${transactionId}'`)).toEqual([
    { status: 'APPLIED' },
  ])
})

test('a held deposit does not wait for the backlog of another organization', async () => {
  const transaction = first(await createMany(money, money.onRamp, 1))
  await pay(money, transaction)
  await takeOver(money, { screening: { isBlocked: async () => true } }).receive()
  await owner.query({ text: `update svc.deposits set due_at = svc.now() where status = 'HELD'` })
  await makeBacklog(
    'deposits',
    `jsonb_build_object('organization_id', '${crowd}', 'deposit_id', md5(n::text)::uuid, 'transaction_id', null,
       'external_id', md5(n::text)::uuid, 'customer_id', md5(n::text)::uuid)`,
  )
  expect(await workers.release()).toBe(5)
  await workers.release()
  const { transactionId } = transaction
  expect(await rows(`select status from svc.deposits where transaction_id = '${transactionId}'`)).toEqual([
    { status: 'APPLIED' },
  ])
})
