import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { type Database, openDatabase, type Tx } from '../../../src/db/database.ts'
import { createMany, pay, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import type { Transaction } from '../../support/money/transactions.ts'
import { playProperty, roundsTimeoutMs } from '../../support/runner/form.ts'

/** Sets of deposits and transactions: settled together or one by one, they leave the same rows. */
const money = await startMoney()
const { api, rows } = money
const owner = openDatabase({ connection: api.database.owner, connections: 1 })
afterAll(() => owner.close())

const each = 6
const onRamps = await createMany(money, money.onRamp, 2 * each)
const offRamps = await createMany(money, money.offRamp, each)
/** The payments of each transaction from a bank, in dollars. */
const arrivals = [['10.00'], ['10.00'], ['10.00'], ['10.00'], ['4.00'], ['12.00'], ['4.00', '6.00'], ['10.00', '10.00']]
for (const [at, transaction] of onRamps.entries()) {
  for (const amount of arrivals[at % arrivals.length] ?? []) await pay(money, transaction, amount)
}
await api.post('/sandbox/clock', { freeze: true })
const idOf = ({ transactionId }: Transaction) => transactionId
const ids = [...onRamps, ...offRamps].map(idOf)

/** Changes of a transaction before a worker comes. */
const mishaps = {
  none: '',
  cancelled: `update svc.transactions set status = 'CANCELLED', step = 'DONE', due_at = null, fence = fence + 1`,
  expired: `update svc.transactions set expires_at = svc.now() - interval '1 hour'`,
  repriced: `update svc.transactions set quote_expires_at = svc.now() - interval '3 hours', guaranteed_until = null`,
  frozen: `update svc.transactions set step = 'FROZEN'`,
} as const
type World = {
  due: boolean[]
  mishaps: (keyof typeof mishaps)[]
  isInactive: boolean
}
const world: fc.Arbitrary<World> = fc.record({
  due: fc.array(fc.boolean(), { minLength: ids.length, maxLength: ids.length }),
  mishaps: fc.array(
    fc.constantFrom(...Array<'none'>(6).fill('none'), ...(Object.keys(mishaps) as (keyof typeof mishaps)[])),
    {
      minLength: ids.length,
      maxLength: ids.length,
    },
  ),
  isInactive: fc.integer({ min: 0, max: 7 }).map((drawn) => drawn === 0),
})

class Undo extends Error {}

/** A database transaction that rolls back. Its own database transactions are savepoints. */
async function inWorld(
  { due, mishaps: drawn, isInactive }: World,
  act: (database: Database) => Promise<void>,
): Promise<unknown> {
  let state: unknown
  await owner
    .inTx(async (tx) => {
      await tx.query({ text: 'set constraints all immediate' })
      for (const [at, transactionId] of ids.entries()) {
        if (mishaps[drawn[at] ?? 'none'])
          await tx.query({ text: `${mishaps[drawn[at] ?? 'none']} where transaction_id = $1`, values: [transactionId] })
      }
      const idle = ids.filter((_, at) => !due[at])
      await tx.query({
        text: 'update svc.transactions set due_at = null where transaction_id = any($1)',
        values: [idle],
      })
      await tx.query({
        text: `update svc.sightings as sighting set due_at = null from svc.transactions as transaction
                where transaction.transfer_message = sighting.message and transaction.transaction_id = any($1)`,
        values: [idle],
      })
      if (isInactive) await tx.query({ text: `update svc.customers set status = 'DEACTIVATED'` })
      await act(savepoints(tx))
      state = await readState(tx)
      throw new Undo()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error
    })
  return state
}

function savepoints(tx: Tx): Database {
  return {
    query: (statement) => tx.query(statement),
    inTx: async (work) => {
      await tx.query({ text: 'savepoint one' })
      try {
        const result = await work(tx)
        await tx.query({ text: 'release savepoint one' })
        return result
      } catch (error) {
        await tx.query({ text: 'rollback to savepoint one' })
        throw error
      }
    },
    close: async () => {},
  }
}

/** Every row that the two stages write. Ids that each run draws anew are replaced by what they stand for. */
async function readState(tx: Tx): Promise<unknown> {
  const [row] = await tx.query<{ state: string; names: Record<string, string> | null }>({
    text: `select jsonb_build_object(
             'transactions', (select jsonb_agg(to_jsonb(row) - 'fence' - 'lease_until' - 'status_written_at'
                                order by transaction_id) from svc.transactions as row),
             'sightings', (select jsonb_agg(to_jsonb(row) - 'fence' - 'lease_until' order by external_id)
                             from svc.sightings as row),
             'deposits', (select jsonb_agg(to_jsonb(row) - 'fence' - 'lease_until' order by external_id)
                            from svc.deposits as row),
             'payouts', (select jsonb_agg(to_jsonb(row) - 'fence' - 'seal_due_at'
                           order by transaction_id, purpose, amount) from svc.payouts as row),
             'steps', (select jsonb_agg(to_jsonb(row) - 'step_id' order by transaction_id, kind, details ->> 'units')
                         from svc.transaction_steps as row),
             'events', (select jsonb_agg(to_jsonb(row) - 'event_id' - 'position' - 'sequence'
                          order by coalesce(data::jsonb ->> 'referenceId', resource_id), resource_version)
                          from svc.events as row where sequence is null),
             'postings', (select jsonb_agg(jsonb_build_array(posting.fact, posting.captures, lines.entries)
                            order by posting.fact, posting.captures, lines.entries)
                            from svc.postings as posting cross join lateral (
                              select jsonb_agg(jsonb_build_array(account.kind, account.holder, account.asset, entry.amount)
                                       order by entry.entry_number) as entries
                                from svc.entries as entry join svc.ledger_accounts as account using (organization_id, account_id)
                               where entry.organization_id = posting.organization_id
                                 and entry.posting_id = posting.posting_id) as lines),
             'reserves', (select jsonb_agg(jsonb_build_array(reference, status, captured) order by reference) from svc.reserves),
             'balances', (select jsonb_agg(jsonb_build_array(kind, holder, asset, posted, reserved)
                            order by kind, holder, asset) from svc.ledger_accounts))::text as state,
             (select jsonb_object_agg(id, name) from (
                select deposit_id::text as id, 'deposit ' || external_id as name from svc.deposits
                 union all select payout_id::text, format('%s of %s', purpose, coalesce(transaction_id, deposit_id))
                  from svc.payouts) as named) as names`,
  })
  let state = row?.state ?? ''
  for (const [id, name] of Object.entries(row?.names ?? {})) state = state.replaceAll(id, name)
  // The order of rows that differ in such an id alone is not the same in each run.
  const byContent = (list: unknown[] | null) => list?.map((each) => JSON.stringify(each)).sort()
  const read = JSON.parse(state) as Record<string, unknown[] | null>
  return Object.fromEntries(Object.entries(read).map(([name, list]) => [name, byContent(list)]))
}

test('a set of deposits and transactions leaves the same rows as its members one by one', {
  timeout: roundsTimeoutMs,
}, async () => {
  const seen = new Set<string>()
  const settle = (drawn: World, limit: number) =>
    inWorld(drawn, async (database) => {
      const failures: unknown[] = []
      const worker = takeOver(money, { database, limit, onFailure: (error) => failures.push(error) })
      await untilIdle(worker.receive)
      await untilIdle(worker.advanceAll)
      expect(failures).toEqual([])
    })
  const property = fc.asyncProperty(world, async (drawn) => {
    const alone = await settle(drawn, 1)
    const together = await settle(drawn, 100)
    expect(together).toEqual(alone)
    for (const text of (together as { transactions: string[] }).transactions) {
      const { status, step } = JSON.parse(text) as { status: string; step: string }
      seen.add(`${status} ${step}`)
    }
  })
  const wanted = ['PROCESSING PAYOUT', 'PROCESSING FROZEN', 'AWAITING_TRANSFER AWAIT', 'CANCELLED DONE']
  await playProperty(property, { short: 8, full: 200 }, () => wanted.every((kind) => seen.has(kind)))
  for (const kind of wanted) expect([...seen]).toContain(kind)
})

test('a transaction that cannot be executed blocks no other of its set', async () => {
  const poisoned = idOf(offRamps[0] as Transaction)
  const failures: unknown[] = []
  const setFailures: unknown[] = []
  let state: unknown
  await inWorld({ due: ids.map(() => true), mishaps: [], isInactive: false }, async (database) => {
    // Its reserve is gone: the ledger refuses the posting.
    await database.query({
      text: `update svc.reserves set status = 'RELEASED', resolved_at = now() where reference like $1`,
      values: [`%${poisoned}%`],
    })
    const worker = takeOver(money, {
      database,
      limit: 100,
      onFailure: (error) => failures.push(error),
      onSetFailure: (error) => setFailures.push(error),
    })
    await worker.advanceAll()
    state = await database.query({
      text: `select transaction_id = $1 as "isPoisoned", status, step, fence::integer, count(*)::integer as count
               from svc.transactions where is_from_wallet group by 1, 2, 3, 4 order by 1`,
      values: [poisoned],
    })
  })
  expect([failures.length, setFailures.length]).toEqual([1, 1])
  expect(state).toEqual([
    // Advanced alone, after the set was rolled back.
    { isPoisoned: false, status: 'PROCESSING', step: 'PAYOUT', fence: 1, count: each - 1 },
    { isPoisoned: true, status: 'CREATED', step: 'SCREEN', fence: 1, count: 1 },
  ])
})

test('a set takes its transactions from every worker that has claimed them', async () => {
  let fences: unknown
  await inWorld({ due: ids.map(() => true), mishaps: [], isInactive: false }, async (database) => {
    await takeOver(money, { database, limit: 100 }).advanceAll()
    fences = await database.query({
      text: `select distinct step, fence::integer from svc.transactions where is_from_wallet`,
    })
  })
  // One claim, and the set: if the reply to its commit is lost, this worker's own claim is void, too.
  expect(fences).toEqual([{ step: 'PAYOUT', fence: 2 }])
})

test('two workers that settle at once settle each payment once', async () => {
  const workers = [takeOver(money, { limit: 7 }), takeOver(money, { limit: 7 })]
  await Promise.all(workers.map(({ receive }) => untilIdle(receive)))
  await Promise.all(workers.map(({ advanceAll }) => untilIdle(advanceAll)))
  const counted = await rows(
    `select count(*)::integer as payouts, count(distinct transaction_id)::integer as transactions
       from svc.payouts where purpose = 'PAYOUT'`,
  )
  const paid =
    each + onRamps.filter((_, at) => !['4.00'].includes((arrivals[at % arrivals.length] ?? []).join())).length
  expect(counted).toEqual([{ payouts: paid, transactions: paid }])
})
