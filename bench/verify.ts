import { parseArgs } from 'node:util'
import type { App } from '../src/app.ts'
import type { Database } from '../src/db/database.ts'
import { verify } from '../src/db/verify.ts'
import { resolveSuspense } from '../src/ledger/postings.ts'
import { newId } from '../src/lib/ids.ts'
import { payoutMoves } from '../src/transactions/payouts/payout.ts'
import { startPayouts } from '../src/transactions/payouts/start-store.ts'
import type { ClaimedPayout } from '../src/transactions/payouts/store.ts'
import { startBenchApi } from './support/api.ts'
import { median, withDatabase } from './support/database.ts'
import { fillLedger } from './support/large-ledger.ts'

/**
 * Measures every check of the stored data over a large ledger, with 12 entries per transaction, and the check of recent
 * postings; then proves that wrong postings are found and halt payouts. The full size is --transactions 1000000.
 */
const { values } = parseArgs({ options: { transactions: { type: 'string', default: '20000' } } })
const transactions = Number(values.transactions)

await withDatabase(async (bench) => {
  const { app, stop } = await startBenchApi(bench, Buffer.alloc(32, 7))
  const seconds = startClock()
  const owner = await fillLedger(bench, transactions, (line) => console.log(`  ${line} (${seconds()} s)`))
  const [counted] = await owner.query<{ entries: string }>({ text: 'select count(*) as entries from svc.entries' })
  console.log(`${transactions} transactions with ${counted?.entries} entries were built in ${seconds()} s`)

  // No worker runs here, so the audit rows of the start are sealed now.
  await app.audit.sealerJob(app.database, 30_000).runBatch()
  const checked = startClock()
  const { ok } = await app.verify(({ state, name, durationMs, error, violations }) =>
    console.log(
      `${(durationMs / 1_000).toFixed(1).padStart(7)} s  ${state}  ${name}`,
      error ?? '',
      violations[0] ?? '',
    ),
  )
  console.log(`every check took ${checked()} s together; ${ok ? 'every' : 'NOT EVERY'} invariant holds`)
  if (!ok) process.exitCode = 1

  console.log(`the start of 50 payouts takes ${await measureStart(owner)} ms with every posting folded`)
  await addRecentPostings(app, owner)
  console.log(`the start of 50 payouts takes ${await measureStart(owner)} ms with these postings unfolded`)
  await findWrongPostings(app, owner)
  await stop()
  await owner.close()
})

/** Moves the newest 200,000 postings into the last minute, unfolded, and measures the check of recent postings. */
async function addRecentPostings(app: App, owner: Database): Promise<void> {
  const taken = Math.min(200_000, transactions * 3)
  await owner.query({
    text: `create table public.bench_recent as
           select organization_id, posting_id,
                  (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - row_number() over (order by posting_id desc) / 4), 12, '0')
                   || replace(substr(posting_id::text, 15), '-', ''))::uuid as moved_id
             from svc.postings where reference like 'transaction:%' order by posting_id desc limit ${taken}`,
  })
  await owner.query({ text: 'alter table public.bench_recent add primary key (organization_id, posting_id)' })
  for (const table of ['entries', 'postings', 'reserves']) {
    await owner.query({
      text: `update svc.${table} as row set posting_id = moved_id from public.bench_recent as recent
              where row.organization_id = recent.organization_id and row.posting_id = recent.posting_id`,
    })
  }
  await owner.query({
    text: `with unfolded as (
             insert into svc.unfolded_postings (organization_id, posting_id)
             select organization_id, moved_id from public.bench_recent returning organization_id, posting_id),
           sums as (
             select entry.organization_id, account_id, sum(amount) as amount, count(*) as entries
               from public.bench_recent as recent
               join svc.entries as entry on entry.organization_id = recent.organization_id
                and entry.posting_id = recent.moved_id
              where account_sequence is null group by entry.organization_id, account_id)
           update svc.ledger_accounts as account
              set posted = posted - sums.amount, entry_count = entry_count - sums.entries
             from sums
            where account.organization_id = sums.organization_id and account.account_id = sums.account_id`,
  })
  const clock = startClock()
  const outcome = await app.checks.checkQuickly()
  console.log(`the check of ${taken} recent, unfolded postings took ${clock()} s: ${JSON.stringify(outcome)}`)
  const slowest = (await app.checks.read()).filter(({ quickMs }) => Number(quickMs) > 500)
  for (const { name, quickMs } of slowest) console.log(`${(Number(quickMs) / 1_000).toFixed(1).padStart(7)} s  ${name}`)
  const again = startClock()
  await app.checks.checkQuickly()
  console.log(`the next check of recent postings took ${again()} s`)
  const { halts } = await app.ledger.readHalts(app.database)
  if (halts.length > 0) fail(`a correct ledger halted payouts: ${JSON.stringify(halts)}`)
}

/** Measures the database transaction that starts 50 payouts, as the median of five that are rolled back. */
async function measureStart(owner: Database): Promise<string> {
  const durations: number[] = []
  for (let round = 0; round < 6; round += 1) {
    const rolledBack = await owner
      .inTx(async (tx) => {
        const waiting = await tx.query<ClaimedPayout>({
          text: `insert into svc.payouts (organization_id, payout_id, transaction_id, customer_id, purpose, method, asset,
                        amount, payment_account_id, pays_from, status, seal, created_at)
                 select organization_id, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'PAYOUT', 'ACH', 'USD', 1,
                        gen_random_uuid(), 'usd-main', 'WAITING', '\\x00', now()
                   from public.bench_organizations, generate_series(1, 5)
              returning organization_id as "organizationId", payout_id as "payoutId", fence`,
        })
        const started = performance.now()
        const chosen = await startPayouts(tx, payoutMoves.start, waiting, 60)
        if (chosen.length !== waiting.length) fail(`only ${chosen.length} payouts were started`)
        durations.push(performance.now() - started)
        throw new Error('measured')
      })
      .catch((error: Error) => error.message)
    if (rolledBack !== 'measured') fail(`payouts did not start: ${rolledBack}`)
  }
  // The first one plans the statements.
  return median(durations.slice(1)).toFixed(1)
}

async function findWrongPostings(app: App, owner: Database): Promise<void> {
  const { database, ledger, checks } = app
  const expectHalt = async (what: string, asset: string) => {
    const { halts, isHalted } = await ledger.readHalts(database)
    if (!isHalted(asset)) fail(`${what} did not halt payouts`)
    for (const halt of halts)
      console.log(`${what}: payouts of ${halt.asset ?? 'all assets'} halted by "${halt.checks}"`)
    await ledger.resumePayouts({ reason: 'measured', force: true })
  }
  const [old] = await owner.query<{ organizationId: string; postingId: string }>({
    text: `update svc.entries set amount = amount + 1
            where (organization_id, posting_id, entry_number) in (
                  select organization_id, posting_id, 2 from svc.postings where reference like 'transaction:%:payout'
                   order by posting_id limit 1)
        returning organization_id as "organizationId", posting_id as "postingId"`,
  })
  const clock = startClock()
  const { checks: results } = await verify(database, ledger.checks.slice(0, 3))
  console.log(`an altered entry of the oldest posting was found in ${clock()} s by the complete pass`)
  await ledger.haltIfViolated(results, 'command line')
  await expectHalt('an altered entry', 'USD')
  await owner.query({
    text: 'update svc.entries set amount = amount - 1 where organization_id = $1 and posting_id = $2 and entry_number = 2',
    values: [old?.organizationId, old?.postingId],
  })

  const postingId = newId()
  await owner.query({
    text: `with posting as (
             insert into svc.postings (organization_id, posting_id, reference, fact, content_hash, created_at)
             select organization_id, $1, 'unbalanced', 'PAYOUT', content_hash, now() from svc.postings
              where organization_id = $2 limit 1 returning organization_id)
           insert into svc.entries (organization_id, posting_id, entry_number, account_id, amount)
           select organization_id, $1, 1, bank, 1 from public.bench_organizations where organization_id = $2`,
    values: [postingId, old?.organizationId],
  })
  const quick = startClock()
  await checks.checkQuickly()
  console.log(`an unbalanced posting was found in ${quick()} s by the check of recent postings`)
  await expectHalt('an unbalanced posting', 'USD')
  await owner.query({ text: 'delete from svc.entries where posting_id = $1', values: [postingId] })
  await owner.query({ text: 'delete from svc.postings where posting_id = $1', values: [postingId] })

  const [deposit] = await database.query<{ organizationId: string; depositId: string }>({
    text: 'select organization_id as "organizationId", deposit_id as "depositId" from svc.deposits limit 1',
  })
  if (!deposit) return fail('there is no deposit')
  const { organizationId, depositId } = deposit
  await database.inTx((tx) =>
    ledger.post(
      tx,
      ['resolution', 'return'].map((step) => ({
        organizationId,
        reference: `deposit:${depositId}:${step}`,
        ...resolveSuspense({ asset: 'USD', amount: 500n, to: 'CLEARING' }),
      })),
    ),
  )
  const spent = startClock()
  await checks.checkQuickly()
  console.log(`a deposit that was spent twice was found in ${spent()} s by the check of recent postings`)
  await expectHalt('a deposit that was spent twice', 'USD')
}

function startClock(): () => string {
  const started = performance.now()
  return () => ((performance.now() - started) / 1_000).toFixed(1)
}

function fail(problem: string): void {
  console.log(`FAILED: ${problem}`)
  process.exitCode = 1
}
