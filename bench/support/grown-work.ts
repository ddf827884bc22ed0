import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { eventChecks } from '../../src/db/outbox/checks.ts'
import { appendEvents } from '../../src/db/outbox/events.ts'
import { createSequencerJob } from '../../src/db/outbox/sequencer.ts'
import { standingDutyJob } from '../../src/db/standing-duty.ts'
import { verify } from '../../src/db/verify.ts'
import type { Job } from '../../src/db/work.ts'
import { depositToWallet } from '../../src/ledger/postings.ts'
import { newId } from '../../src/lib/ids.ts'
import { fanOutDuty } from '../../src/webhooks/fan-out/service.ts'
import { readMicros } from './cpu.ts'
import type { Grown } from './grown-database.ts'
import { type Figures, measureCost, measureLoad } from './growth-figures.ts'
import { reportInvariant } from './report.ts'

const leaseMs = 60_000
const payments = 150
const looks = 100
const batches = 60
const warmUp = 10
const eventsInBatch = 50

/** Creates payments, and lets each duty do its part; then a worker advances them to where they wait for a signer. */
export async function measureDuties(grown: Grown): Promise<Figures> {
  const { app, owner, database } = grown
  const figures: Figures = new Map()
  const own = openDatabase({ ...database.app, connections: 1 })
  for (let count = 0; count < payments; count += 1) {
    await grown.calls.send('POST', '/transactions', { quoteId: grown.ids.openQuotes.pop() ?? '' }, true)
  }
  const [counted] = await owner.query<{ open: number }>({
    text: `select count(*)::int as open from svc.transactions where ${isOpen}`,
  })
  for (const [path, job] of Object.entries({
    'sequencer, an event': createSequencerJob(own, leaseMs),
    'fan-out, an event': standingDutyJob(own, fanOutDuty(), leaseMs),
  })) {
    const events = await countEvents(grown)
    figures.set(
      path,
      await measureCost(grown, async () => {
        await runAll(job)
        return events
      }),
    )
    await job.release?.()
  }
  figures.set('folding, a posting', await measureCost(grown, async () => (await app.ledger.fold()).folded))
  figures.set(
    'worker, a payment',
    await measureCost(grown, async () => {
      const worker = await app.startWorker()
      for (let left = 1; left > 0; await wait(100)) {
        const [row] = await owner.query<{ open: number }>({
          name: 'count open',
          text: `select count(*)::int as open from svc.transactions where ${isOpen}`,
        })
        left = row?.open ?? 0
      }
      await worker.stop()
      return counted?.open
    }),
  )
  await own.close()
  return figures
}

/** The transactions that a worker has not advanced to their payout. */
const isOpen = `status in ('CREATED', 'AWAITING_TRANSFER', 'PROCESSING') and step <> 'DONE' and step <> 'PAYOUT' and due_at <= svc.now()`

async function countEvents({ owner, organizationId }: Grown): Promise<number> {
  const [found] = await owner.query<{ waiting: number }>({
    text: `select greatest((select count(*) from svc.events where sequence is null),
                           (select max(last_sequence - fanned_out_to) from svc.webhooks join svc.event_sequences using (organization_id)
                             where organization_id = $1))::int as waiting`,
    values: [organizationId],
  })
  return found?.waiting ?? 1
}

async function runAll({ runBatch }: Job): Promise<void> {
  while ((await runBatch()) > 0);
}

/** Measures what a worker does each second or minute, and each scrape, without work. */
export async function measureLooks(grown: Grown): Promise<Figures> {
  const { app, database } = grown
  const figures: Figures = new Map()
  const own = openDatabase({ ...database.app, connections: 1 })
  const look = await readLook(grown)
  figures.set('worker, a look for work', await measureLoad(grown, () => own.query(look), looks))
  await own.close()
  figures.set('rules, a look for due ones', await measureLoad(grown, () => app.ruleSchedule.openDue(1_000), looks))
  // With a new posting each time: without any, most checks end at once.
  const check = async () => {
    await post(grown)
    await app.checks.checkQuickly()
  }
  figures.set('checks of a minute', await measureLoad(grown, check, 3))
  const operations = await app.startOperations(0)
  const address = operations.address() as { port: number }
  const scrape = async () => (await fetch(`http://127.0.0.1:${address.port}/metrics`)).arrayBuffer()
  figures.set('metrics, a scrape', await measureLoad(grown, scrape, 10))
  await new Promise((resolve) => operations.close(resolve))
  return figures
}

async function post({ app, organizationId, ids }: Grown): Promise<void> {
  const [{ wallet } = { wallet: '' }] = ids.wallets
  const content = depositToWallet({ paymentAccountId: wallet, asset: 'USDC/BASE', amount: 1n })
  await app.database.inTx((tx) => app.ledger.post(tx, [{ organizationId, reference: `bench:${newId()}`, ...content }]))
}

/** Reads the statement with which a worker looks for work. */
async function readLook({ app }: Grown): Promise<{ name: string; text: string }> {
  const query = pg.Client.prototype.query as (...args: unknown[]) => unknown
  let look: { name: string; text: string } | undefined
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]): unknown {
    const [statement] = args as [{ name?: string; text: string }]
    const isLook = statement.name?.startsWith('find due work') && statement.text.length > (look?.text.length ?? 0)
    if (isLook) look = statement as { name: string; text: string }
    return query.apply(this, args)
  } as typeof pg.Client.prototype.query
  const worker = await app.startWorker()
  await wait(1_500)
  await worker.stop()
  pg.Client.prototype.query = query as typeof pg.Client.prototype.query
  if (!look) throw new Error('the worker did not look for work')
  return { name: look.name, text: look.text }
}

/** Measures the checks of the ledger and the outbox for each posting, and what the sequencer costs while checks run. */
export async function measureVerify(grown: Grown): Promise<Figures> {
  const { app, owner } = grown
  const figures: Figures = new Map()
  const [counted] = await owner.query<{ rows: number }>({ text: 'select count(*)::int as rows from svc.postings' })
  const cost = await measureCost(grown, async () => {
    const { checks } = await verify(app.database, [...app.ledger.checks, ...eventChecks])
    const broken = checks.filter(({ ok }) => !ok)
    if (broken.length > 0) console.log(JSON.stringify(broken))
    reportInvariant('every check of the ledger and the outbox', broken.length === 0)
    return counted?.rows
  })
  figures.set('verify, a posting and an event', cost)
  const own = openDatabase({ ...grown.database.app, connections: 1 })
  const alone = await measureSequencer(grown, own, () => false)
  const state = { isVerified: false }
  const verified = verify(app.database, eventChecks).then(() => {
    state.isVerified = true
  })
  const meanwhile = await measureSequencer(grown, own, () => state.isVerified)
  await verified
  await own.close()
  console.log(
    `  the sequencer takes ${alone.ms.toFixed(2)} ms and ${alone.micros.toFixed(0)} µs of CPU for ${eventsInBatch} events,` +
      ` ${meanwhile.ms.toFixed(2)} ms and ${meanwhile.micros.toFixed(0)} µs while verify runs (${meanwhile.batches} batches)`,
  )
  figures.set('sequencer, a batch', { node: 0, postgres: alone.micros })
  figures.set('sequencer, a batch while verify runs', { node: 0, postgres: meanwhile.micros })
  return figures
}

/**
 * Sequences some batches, and measures the CPU time of the connection that does. Its events have the content of those that
 * fill the table. Empty ones would fit into the rest of each filled page: then each is on a page of its own, which
 * PostgreSQL reads and logs as a whole, so the benchmark would measure the reuse of these rests.
 */
async function measureSequencer({ app, owner, organizationId }: Grown, own: Database, isEnded: () => boolean) {
  const [stored] = await owner.query<{ data: string }>({
    text: `select data from svc.events where organization_id = $1 and type = 'transaction.created' and data is not null
            limit 1`,
    values: [organizationId],
  })
  if (!stored) throw new Error('there is no event of a transaction')
  const data = JSON.parse(stored.data) as object
  const job = createSequencerJob(own, leaseMs)
  const [connection] = await own.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' })
  const pid = connection?.pid ?? 0
  let [micros, ms, done] = [0, 0, 0]
  for (let batch = 0; batch < batches && !isEnded(); batch += 1) {
    const events = Array.from({ length: eventsInBatch }, () => ({
      organizationId,
      type: 'transaction.created' as const,
      resourceId: newId(),
      resourceVersion: 1,
      data,
    }))
    await app.database.inTx((tx) => appendEvents(tx, events))
    const before = { micros: readMicros(pid), ms: performance.now() }
    await job.runBatch()
    if (batch < warmUp) continue
    micros += readMicros(pid) - before.micros
    ms += performance.now() - before.ms
    done += 1
  }
  await job.release?.()
  return { micros: micros / Math.max(1, done), ms: ms / Math.max(1, done), batches: done }
}
