import { spawn } from 'node:child_process'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Queryable } from '../src/db/database.ts'
import { type CpuCost, makeCpuMeter } from './support/cpu.ts'
import { median } from './support/database.ts'
import { reportCost, reportInvariant, reportRow } from './support/report.ts'
import { type Kind, openSettlingWorld, type SettlingWorld } from './support/settling-world.ts'
import { countStatements } from './support/statement-counter.ts'
import { sampleWaits, showProfile } from './support/wait-profile.ts'

/**
 * Measures the jobs that settle payments, from a reported deposit or a created payment to COMPLETED. The payments wait
 * when the worker starts. Then compares many with payments that come one after the other, and with the rate at which the
 * API creates them. With `--against <folder>` it runs the first part in another checkout that has this file, in turns.
 */
const { values } = parseArgs({
  options: {
    payments: { type: 'string', default: '400' },
    customers: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '3' },
    against: { type: 'string' },
    /** Lists the statements and what connections waited for. */
    profile: { type: 'boolean', default: false },
  },
})
const [payments, customers, rounds] = [Number(values.payments), Number(values.customers), Number(values.rounds)]
const kinds: readonly Kind[] = ['bank to wallet', 'wallet to bank']
/** Payments that the API creates under load, and that then wait for the worker. */
const backlog = 2_000
/** Payments that come one after the other. */
const alone = 20

type Measured = { kind: Kind; perSecond: number; statements: number; nodeMicros: number; postgresMicros: number }
type Meter = Awaited<ReturnType<typeof makeCpuMeter>>

if (values.against === undefined) await measureHere()
else await compare(path.resolve(values.against))

async function measureHere(): Promise<void> {
  const counter = countStatements()
  const world = await openSettlingWorld(customers)
  const { app } = world
  const meter = await makeCpuMeter(app.database)
  const measure = async (kind: Kind): Promise<Measured> => {
    // Collections of the payments before must not count for these.
    await finishAll(world)
    await world.prepare(kind, payments)
    counter.reset()
    const waits = values.profile ? sampleWaits(app.database) : undefined
    const cost = await settleAll(world, meter, payments, async () => {
      const counted = counter.read()
      statements = counted.reduce((sum, { calls }) => sum + calls, 0) / payments
      await waits?.stop()
      if (values.profile) showProfile(`${kind}:`, payments, counted, waits?.seen ?? new Map())
    })
    const { perSecond, nodeMicrosEach: nodeMicros, postgresMicrosEach: postgresMicros } = cost
    return { kind, perSecond, statements, nodeMicros, postgresMicros }
  }
  let statements = 0
  try {
    // The first round fills caches and funds the holdings of the sandbox.
    for (const kind of kinds) await measure(kind)
    for (const kind of kinds) {
      const measured: Measured[] = []
      for (let round = 1; round <= rounds; round += 1) {
        const result = await measure(kind)
        measured.push(result)
        show(result)
        process.send?.(result)
      }
      const of = (read: (each: Measured) => number) => median(measured.map(read))
      const perSecond = of((each) => each.perSecond)
      const [nodeMicros, postgresMicros] = [of((each) => each.nodeMicros), of((each) => each.postgresMicros)]
      reportCost({ path: `settling, ${kind}`, perSecond, nodeMicros, postgresMicros })
      console.log(`median ${kind}: ${perSecond.toFixed(0)} payments per second`)
    }
    // Another checkout compares the first part alone.
    if (!process.send) await compareWithApi(world, meter)
    await finishAll(world)
    const { ok, checks } = await app.verify()
    console.log(ok ? 'every invariant holds' : checks.filter((check) => !check.ok))
    reportInvariant('every check of svc verify after settling', ok)
  } finally {
    await world.stop()
  }
}

type Settled = CpuCost & { perSecond: number; answers: number }

/** Lets a worker settle the payments that wait. */
function settleAll(
  { app }: SettlingWorld,
  meter: Meter,
  count: number,
  onSettled: () => Promise<void>,
): Promise<Settled> {
  return meter.measure(async () => {
    const started = performance.now()
    const worker = await app.startWorker()
    while (await hasOpen(app.database)) await setTimeout(20)
    const seconds = (performance.now() - started) / 1_000
    await onSettled()
    await worker.stop()
    return { perSecond: count / seconds, answers: count }
  })
}

/**
 * Compares payments that wait with payments that come one after the other, by their CPU: alone, most of the time passes
 * in waiting, which would flatter the rate. Then with the rate at which the API has created them.
 */
async function compareWithApi(world: SettlingWorld, meter: Meter): Promise<void> {
  await finishAll(world)
  const one = await settleAlone(world, meter)
  await finishAll(world)
  const created = await world.createUnderLoad(backlog)
  const many = await settleAll(world, meter, backlog, async () => {})
  const shown = (micros: number) => `${(micros / 1_000).toFixed(1)} ms of CPU each`
  console.log(`one after the other: ${shown(one.microsEach)}`)
  console.log(`${backlog} that wait: ${many.perSecond.toFixed(0)}/s, ${shown(many.microsEach)}`)
  console.log(`POST /transactions: ${created.toFixed(0)}/s`)
  const row = { number: 10, path: `worker, settling ${backlog} payments` }
  const cost = { must: { atLeast: 10 }, aim: { atLeast: 20 }, measured: one.microsEach / many.microsEach }
  reportRow({ ...row, unit: '× fewer CPU than one after the other', ...cost })
  const rate = { must: { atLeast: 3 }, measured: many.perSecond / created }
  reportRow({ ...row, unit: '× the rate of POST /transactions', ...rate })
}

/** Lets a worker that runs settle payments of which the next becomes due when the one before is COMPLETED. */
async function settleAlone(world: SettlingWorld, meter: Meter): Promise<Settled> {
  const { database } = world.app
  await world.prepare('wallet to bank', alone)
  await setDue(database, "svc.now() + interval '1 hour'", alone)
  const worker = await world.app.startWorker()
  const isIdle = async () => {
    const text = `select from svc.payouts where status in ('WAITING', 'SENDING', 'SENT')
                   union all select from svc.transactions where due_at <= svc.now() limit 1`
    return (await database.query({ name: 'bench: find a payment or a collection', text })).length === 0
  }
  const cost = await meter.measure(async () => {
    const started = performance.now()
    for (let settled = 0; settled < alone; settled += 1) {
      await setDue(database, 'svc.now()', 1)
      worker.wake()
      while (!(await isIdle())) await setTimeout(5)
    }
    return { perSecond: (alone * 1_000) / (performance.now() - started), answers: alone }
  })
  await worker.stop()
  return cost
}

async function setDue(database: Queryable, dueAt: string, count: number): Promise<void> {
  await database.query({
    text: `update svc.transactions set due_at = ${dueAt} where transaction_id in (
             select transaction_id from svc.transactions where status = 'CREATED' limit $1)`,
    values: [count],
  })
}

function show({ kind, perSecond, statements, nodeMicros, postgresMicros }: Measured, where = ''): void {
  const cpu = `CPU ${(nodeMicros / 1_000).toFixed(1)} ms Node, ${(postgresMicros / 1_000).toFixed(1)} ms PostgreSQL`
  console.log(`${where}${kind}: ${perSecond.toFixed(0)}/s; ${statements.toFixed(1)} statements and ${cpu} each`)
}

/** Runs both checkouts in turns, in processes of their own, and compares the medians. */
async function compare(other: string): Promise<void> {
  const here = path.resolve(import.meta.dirname, '..')
  const results = new Map<string, Measured[]>([
    [here, []],
    [other, []],
  ])
  for (let round = 1; round <= rounds; round += 1) {
    for (const [folder, found] of results) found.push(...(await runIn(folder)))
  }
  for (const kind of kinds) {
    const of = (folder: string, read: (each: Measured) => number) =>
      median((results.get(folder) ?? []).filter((each) => each.kind === kind).map(read))
    const summary = (folder: string) => ({
      kind,
      perSecond: of(folder, ({ perSecond }) => perSecond),
      statements: of(folder, ({ statements }) => statements),
      nodeMicros: of(folder, ({ nodeMicros }) => nodeMicros),
      postgresMicros: of(folder, ({ postgresMicros }) => postgresMicros),
    })
    const [ours, theirs] = [summary(here), summary(other)]
    show(ours, 'here, ')
    show(theirs, 'there, ')
    console.log(`${kind}: ${(ours.perSecond / theirs.perSecond).toFixed(2)} times the rate of the other checkout`)
  }
}

async function runIn(folder: string): Promise<Measured[]> {
  const file = path.join(folder, 'bench/settling.ts')
  const args = [file, '--rounds', '1', '--payments', values.payments, '--customers', values.customers]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const measured: Measured[] = []
  child.on('message', (result) => measured.push(result as Measured))
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`the benchmark failed in ${folder}`)
  return measured
}

async function hasOpen(database: Queryable): Promise<boolean> {
  const open = await database.query({
    name: 'bench: find an open payment',
    text: `select from svc.transactions where status in ('CREATED', 'AWAITING_TRANSFER', 'PROCESSING') limit 1`,
  })
  return open.length > 0
}

/** Lets a worker end everything that follows completed payments, such as collections. */
async function finishAll({ app }: SettlingWorld): Promise<void> {
  const worker = await app.startWorker()
  const isOpen = async () => {
    const text = `select from svc.payouts where status in ('WAITING', 'SENDING', 'SENT') limit 1`
    return (await app.database.query({ name: 'bench: find an open payout', text })).length > 0
  }
  while (await isOpen()) await setTimeout(50)
  await worker.stop()
}
