import { expect, test } from 'vitest'
import { postingKeys } from '../../../src/db/checks/posting-keys.ts'
import { checkRecent, quickSize } from '../../../src/db/checks/quick.ts'
import { createCheckService } from '../../../src/db/checks/service.ts'
import { idAt } from '../../../src/db/checks/settled.ts'
import { findAmong, type SlicedCheck, sliceByKeys, withSliceLimits } from '../../../src/db/checks/slices.ts'
import type { Database, Statement } from '../../../src/db/database.ts'
import type { Check } from '../../../src/db/verify.ts'
import * as facts from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { transactionChecks } from '../../../src/transactions/checks/store.ts'
import { asTx } from '../../support/db/as-tx.ts'
import { makeLedgerWriters } from '../../support/money/ledger-writers.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

const postings = 120

async function makePostings() {
  const where = await makeDatabase({ areChecksDue: true })
  const { database, ledger, deposit } = makeLedgerWriters(where)
  const wallet = newId()
  for (let number = 0; number < postings; number += 1) await deposit(wallet, 1n)
  return { where, database, ledger }
}

/** Finds each posting of a slice, and the number of them. */
const findEach = `select format('%s of %s', slice.posting_id, count(*) over ()) as violation from slice`

const checkOf = (name: string, sql: string): Check => ({ name, ...sliceByKeys([{ keys: postingKeys, sql }]) })

/** A check that PostgreSQL cancels, as after its time limit, while a slice has more rows. */
const cancelledAbove = (name: string, most: number): Check =>
  checkOf(
    name,
    `select violation from (${findEach}) as each
      where (select count(*) from slice) <= ${most} or svc.cancel_for_test()`,
  )

test('a check that takes too long is divided, and one that cannot run hides no other', async () => {
  const { where, database } = await makePostings()
  const owner = openForTest({ connection: where.owner })
  await owner.query({
    text: `create function svc.cancel_for_test() returns boolean language plpgsql
           as $$ begin raise exception 'too slow' using errcode = '57014'; end $$`,
  })
  await owner.query({ text: 'grant execute on function svc.cancel_for_test() to public' })
  const checks = [
    cancelledAbove('divided', 60),
    cancelledAbove('never', 10),
    checkOf('broken', 'select (1 / (count(*) - count(*)))::text as violation from slice'),
    checkOf('unheard', findEach),
    checkOf('whole', findEach),
  ]
  const reported: { name: string; violations: string[] }[] = []
  const failures: unknown[] = []
  const service = createCheckService({
    database,
    checks,
    onResults: async ([result]) => {
      if (result?.name === 'unheard') throw new Error('no connection')
      if (result) reported.push(result)
    },
    onFailure: (error) => failures.push(error),
  })
  await service.register()
  const begun = Date.now()
  expect(await service.checkQuickly()).toEqual({ checked: 2, failed: 3 })
  // A slice of 78 was the last that took too long. A slice shows at most 20 violations.
  const sizes = reported.map(({ name, violations: [first, ...more] }) => [
    name,
    first?.split(' of ')[1],
    more.length + 1,
  ])
  expect(sizes).toEqual([['whole', '120', 20], ...['50', '50', '20'].map((size) => ['divided', size, 20])])
  const read = new Map((await service.read()).map((check) => [check.name, check]))
  for (const name of ['whole', 'divided']) {
    expect(read.get(name)).toMatchObject({ quickFailure: null, checkpoint: expect.any(String) })
    // It knows nothing of what came while it ran.
    expect(read.get(name)?.quickAt?.getTime()).toBeLessThan(begun + 5_000)
  }
  expect(read.get('never')).toMatchObject({ quickAt: null, quickFailure: expect.stringContaining('time limit') })
  expect(read.get('broken')).toMatchObject({ quickAt: null, quickFailure: 'PostgreSQL error 22012' })
  expect(read.get('unheard')).toMatchObject({ quickAt: null, quickFailure: 'no connection' })
  expect(read.get('unheard')?.violations.length).toBeGreaterThan(0)
  expect(failures).toHaveLength(3)
})

test('a complete pass keeps what a quick run found while a slice ran', async () => {
  const { database } = await makePostings()
  const quick = sliceByKeys([{ keys: postingKeys, sql: findEach }])
  const seen: number[] = []
  const slice = async () => {
    seen.push((await service.read())[0]?.violations.length ?? 0)
    if (seen.length < 3) await service.checkQuickly()
    return { found: [], next: seen.length < 3 ? { part: seen.length } : undefined }
  }
  const checks = [{ name: 'found meanwhile', ...quick, slice }]
  const service = createCheckService({ database, checks, onResults: async () => {}, onFailure: () => {} })
  await service.register()
  expect(await service.checkFully()).toEqual({ hasMore: false })
  expect(seen).toEqual([0, 20, 20])
  const [read] = await service.read()
  expect(read).toMatchObject({ failure: null, checkedAt: expect.any(Date) })
  expect(read?.violations).toHaveLength(20)
})

/** All postings of a test, of which no check finds a violation. */
function allPostings() {
  const nowMs = Date.now()
  const after = idAt(nowMs - 120_000)
  return { after, checkpoint: after, horizon: undefined, nowMs, size: quickSize, onFound: async () => {} }
}

test('what recent postings touched is read once for all checks', async () => {
  const { database, ledger } = await makePostings()
  const checks = [...ledger.checks, ...transactionChecks].flatMap((check) => {
    const { recent } = check as Partial<SlicedCheck>
    return recent ? [{ recent }] : []
  })
  expect(checks.length).toBeGreaterThan(20)
  let reads = 0
  const counting: Database = {
    ...database,
    inTx: (work) =>
      database.inTx((tx) =>
        work({
          ...tx,
          query: (statement) => {
            if (statement.text.includes('recent as materialized')) reads += 1
            return tx.query(statement)
          },
        }),
      ),
  }
  for await (const runs of checkRecent(counting, checks, allPostings())) {
    for (const { found, end, error } of runs) expect({ found, end, error }).toEqual({ found: [], end: 'DONE' })
  }
  const keys = new Set(checks.flatMap(({ recent }) => recent.map((part) => part.keys)))
  expect(reads).toBe(keys.size)
})

test('a posting whose reference only looks like that of a transaction stops no check', async () => {
  const { database, ledger } = makeLedgerWriters(await makeDatabase())
  const reference = 'transaction:12345678-1234-1234-1234-abc:56789012:payout'
  const to = facts.depositToWallet({ paymentAccountId: newId(), asset: 'USDC/BASE', amount: 1n })
  await ledger.post(asTx(database), [{ organizationId: newId(), reference, ...to }])
  const checks = transactionChecks.flatMap((check) =>
    'slice' in check && check.recent ? [{ recent: check.recent }] : [],
  )
  for await (const runs of checkRecent(database, checks, allPostings())) {
    for (const { end, error } of runs) expect({ end, error }).toEqual({ end: 'DONE' })
  }
})

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const filledTables = ['payouts', 'reserves']

/** True for a step that would read, for each row of a slice, all rows of an organization or a copy of a table. */
const readsMany = (node: Plan) =>
  node['Node Type'] === 'Materialize' ||
  (filledTables.includes(node['Relation Name'] ?? '') &&
    /^(\(organization_id = [^()]+\))?$/.test(node['Index Cond'] ?? '') &&
    node['Node Type'] !== 'Bitmap Heap Scan')

test('no check reads many payouts or reserves for each row of a slice', async () => {
  const where = await makeDatabase()
  const owner = openForTest({ connection: where.owner })
  const organizationId = newId()
  // When PostgreSQL counted, no payment was open.
  await owner.query({
    text: `insert into svc.payouts (organization_id, payout_id, transaction_id, customer_id, payment_account_id, pays_from,
                                    purpose, method, asset, amount, status, created_at)
           select $1, gen_random_uuid(), gen_random_uuid(), $1, $1, 'BANK', 'PAYOUT', 'ACH', 'USD', 1, 'CONFIRMED', now()
             from generate_series(1, 3000)`,
    values: [organizationId],
  })
  await owner.query({
    text: `insert into svc.reserves (organization_id, reserve_id, reference, account_id, amount, status, created_at,
                                     resolved_at)
           select $1, gen_random_uuid(), gen_random_uuid(), $1, 1, 'RELEASED', now(), now() from generate_series(1, 3000)`,
    values: [organizationId],
  })
  const database = openForTest(where.app)
  const { ledger } = makeLedgerWriters(where)
  const array = (values: string[]) => `{${values.join()}}`
  const ids = array(Array.from({ length: 500 }, newId))
  const rows = { organizationIds: array(Array(500).fill(organizationId)), ids, count: 500 }
  const findReaders = async () => {
    const readers: string[] = []
    for (const check of [...transactionChecks, ...ledger.checks]) {
      for (const part of (check as SlicedCheck).recent ?? []) {
        await withSliceLimits(database, async (tx) => {
          const explain = async ({ text, values = [] }: Statement) => {
            const [plan] = await tx.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>({
              text: `explain (format json) ${text}`,
              values,
            })
            const found = plan ? nodesOf(plan['QUERY PLAN'][0].Plan).filter(readsMany) : []
            for (const node of found) readers.push(`${check.name}: ${node['Index Name'] ?? node['Node Type']}`)
            return []
          }
          await findAmong({ query: explain }, part, rows)
        })
      }
    }
    return readers
  }
  expect(await findReaders()).toEqual([])
  await owner.query({ text: 'analyze svc.payouts, svc.reserves' })
  expect(await findReaders()).toEqual([])
})
