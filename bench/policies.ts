import { parseArgs } from 'node:util'
import { openDatabase } from '../src/db/database.ts'
import type { WrittenRule } from '../src/policies/policy.ts'
import { checkLedger, startBenchApi } from './support/api.ts'
import { makeCpuMeter } from './support/cpu.ts'
import { median, withDatabase } from './support/database.ts'
import { runLoad } from './support/load.ts'
import { restoreCounters } from './support/policy-counters.ts'
import { reportRow } from './support/report.ts'
import { fillWallets } from './support/wallets.ts'

/**
 * Compares the CPU time of POST /transactions with and without a policy. Every round runs each policy and no policy, in
 * turn, so that the ratio holds on a shared machine. The payments come from many wallets of as many customers.
 *
 * A limit per customer has a counter for each customer, which lives until its month ends: the first payment of a month
 * inserts it, every other one updates it. The row measures payments of customers who have paid in this month. First
 * payments are measured beside it, every fifth round, and printed: a customer who pays once a month costs that much.
 * Setting a rule anew names new counters, so until November 2026 this benchmark, which sets the rules before each round,
 * called mostly first payments a limit per customer.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '1' },
    'warm-up': { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
    wallets: { type: 'string', default: '10000' },
    'quotes-per-second': { type: 'string', default: '3000' },
  },
})
const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)]
const [connections, wallets] = [Number(values.connections), Number(values.wallets)]
const quotesPerSecond = Number(values['quotes-per-second'])
const warmUpSeconds = Number(values['warm-up'])
/** A policy may cost this much more CPU at most. */
const must = { atMost: 1.1 }

const total: WrittenRule = {
  ruleId: 'total',
  kind: 'LIMIT',
  per: 'ORGANIZATION',
  transactionMax: '1000000.00',
  hourMax: '1000000000.00',
  dayMax: '1000000000.00',
  monthMax: '1000000000.00',
}
const perCustomer: WrittenRule = { ruleId: 'customer', kind: 'LIMIT', per: 'CUSTOMER', dayMax: '1000000000.00' }
const others: WrittenRule[] = [
  { ruleId: 'large', kind: 'APPROVAL', above: '1000000.00', approvals: 2, expiresInHours: 24 },
  { ruleId: 'solana', kind: 'KILL_SWITCH', appliesTo: { networks: ['SOLANA'] } },
]
/** Quiet hours that are not now. */
const nights = (now: Date): WrittenRule => {
  const at = (hours: number) => `${String((now.getUTCHours() + hours) % 24).padStart(2, '0')}:00`
  return { ruleId: 'nights', kind: 'QUIET_HOURS', from: at(8), to: at(16), timeZone: 'UTC' }
}

const keepsCounters = 'one limit per customer'
const createsCounters = 'one limit per customer, first payments of a month'
const firstPaymentsEvery = 5

await withDatabase(async (database) => {
  const { app, baseUrl, calls, stop } = await startBenchApi(database, Buffer.alloc(32, 7))
  const owner = openDatabase({ connection: database.owner, statementTimeoutMs: 600_000 })
  const policies: Record<string, WrittenRule[]> = {
    'no policy': [],
    'four rules, one counted per organization': [total, ...others, nights(new Date())],
    [keepsCounters]: [perCustomer],
    [createsCounters]: [perCustomer],
  }
  const runs = Object.keys(policies).length * (warmUpSeconds + rounds * seconds)
  const { organizationId, many: quotes } = await fillWallets(app, database, calls, {
    wallets,
    quoteCount: runs * quotesPerSecond,
  })
  const cpu = await makeCpuMeter(app.database)
  const run = async (name: string, forSeconds: number) => {
    await app.policies.replaceAsPlatform(organizationId, { rules: policies[name] ?? [] })
    if (name === keepsCounters) await restoreCounters(owner, organizationId)
    const bodies = quotes.splice(0, forSeconds * quotesPerSecond).map((quoteId) => JSON.stringify({ quoteId }))
    const url = `${baseUrl}/transactions`
    const load = { url, headers: calls.headers, bodies, connections, seconds: forSeconds, expectStatus: 201 }
    return (await cpu.measure(() => runLoad({ ...load, isKeyed: true }))).microsEach
  }
  for (const name of Object.keys(policies)) await run(name, warmUpSeconds)
  // Replaces plans from when the tables were empty; in production autovacuum does so within a minute.
  await owner.query({ text: 'analyze' })
  const ratios: Record<string, number[]> = {}
  for (let round = 1; round <= rounds; round += 1) {
    const micros: Record<string, number> = {}
    for (const name of Object.keys(policies)) {
      if (name !== createsCounters || round % firstPaymentsEvery === 0) micros[name] = await run(name, seconds)
    }
    const without = micros['no policy'] ?? Number.NaN
    for (const [name, each] of Object.entries(micros)) {
      ratios[name] = [...(ratios[name] ?? []), each / without]
      console.log(`round ${round}, ${name}: ${each.toFixed(0)} µs per request, ${(each / without).toFixed(2)}`)
    }
  }
  for (const [name, all] of Object.entries(ratios).slice(1)) {
    const row = { path: `POST /transactions under a policy, ${name}`, unit: 'of the CPU time without a policy' }
    if (name === createsCounters) console.log(`${row.path}: ${median(all).toFixed(2)} ${row.unit}`)
    else reportRow({ ...row, must, measured: median(all) })
  }
  await owner.close()
  await checkLedger(app)
  await stop()
})
