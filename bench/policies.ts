import { parseArgs } from 'node:util'
import { openDatabase } from '../src/db/database.ts'
import type { WrittenRule } from '../src/policies/policy.ts'
import { checkLedger, startBenchApi } from './support/api.ts'
import { makeCpuMeter } from './support/cpu.ts'
import { median, withDatabase } from './support/database.ts'
import { runLoad } from './support/load.ts'
import { reportRow } from './support/report.ts'
import { fillWallets } from './support/wallets.ts'

/**
 * Compares the CPU time of POST /transactions with and without a policy. Every round runs each policy and no policy, in
 * turn, so that the ratio holds on a shared machine. The payments come from many wallets of as many customers.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
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

await withDatabase(async (database) => {
  const { app, baseUrl, calls, stop } = await startBenchApi(database, Buffer.alloc(32, 7))
  const policies: Record<string, WrittenRule[]> = {
    'no policy': [],
    'four rules, one counted per organization': [total, ...others, nights(new Date())],
    'one limit per customer': [perCustomer],
  }
  const runs = Object.keys(policies).length * (warmUpSeconds + rounds * seconds)
  const { organizationId, many: quotes } = await fillWallets(app, database, calls, {
    wallets,
    quoteCount: runs * quotesPerSecond,
  })
  const cpu = await makeCpuMeter(app.database)
  const run = async (name: string, forSeconds: number) => {
    await app.policies.replaceAsPlatform(organizationId, { rules: policies[name] ?? [] })
    const bodies = quotes.splice(0, forSeconds * quotesPerSecond).map((quoteId) => JSON.stringify({ quoteId }))
    const url = `${baseUrl}/transactions`
    const load = { url, headers: calls.headers, bodies, connections, seconds: forSeconds, expectStatus: 201 }
    return (await cpu.measure(() => runLoad({ ...load, isKeyed: true }))).microsEach
  }
  for (const name of Object.keys(policies)) await run(name, warmUpSeconds)
  // Replaces plans from when the tables were empty; in production autovacuum does so within a minute.
  const owner = openDatabase({ connection: database.owner, statementTimeoutMs: 600_000 })
  await owner.query({ text: 'analyze' })
  await owner.close()
  const ratios: Record<string, number[]> = {}
  for (let round = 1; round <= rounds; round += 1) {
    const micros: Record<string, number> = {}
    for (const name of Object.keys(policies)) micros[name] = await run(name, seconds)
    const without = micros['no policy'] ?? Number.NaN
    for (const [name, each] of Object.entries(micros)) {
      ratios[name] = [...(ratios[name] ?? []), each / without]
      console.log(`round ${round}, ${name}: ${each.toFixed(0)} µs per request, ${(each / without).toFixed(2)}`)
    }
  }
  for (const [name, all] of Object.entries(ratios).slice(1))
    reportRow({
      path: `POST /transactions under a policy, ${name}`,
      unit: 'of the CPU time without a policy',
      must,
      measured: median(all),
    })
  await checkLedger(app)
  await stop()
})
