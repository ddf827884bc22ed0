import { parseArgs } from 'node:util'
import { type Database, openDatabase } from '../src/db/database.ts'
import { checkLedger, startBenchApi } from './support/api.ts'
import { withDatabase } from './support/database.ts'
import { compareLookups } from './support/due-rules.ts'
import { runLoad } from './support/load.ts'
import { fillWithRules } from './support/many-rules.ts'
import { reportInvariant, reportRow } from './support/report.ts'
import { runAllRules, startRuleWorkers } from './support/rule-workers.ts'

/**
 * Compares two worker processes that run many rules due in the same minute with POST /transactions over HTTP, before
 * and after. Then compares the cost of finding due rules among few and among many idle ones.
 */
const { values } = parseArgs({
  options: {
    rules: { type: 'string', default: '100000' },
    wallets: { type: 'string', default: '10000' },
    idle: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '8' },
    connections: { type: 'string', default: '64' },
    /** Lets the workers also advance the transactions of the rules, as in production. */
    settle: { type: 'boolean', default: false },
  },
})
const [rules, wallets, idle] = [Number(values.rules), Number(values.wallets), Number(values.idle)]
const [seconds, connections] = [Number(values.seconds), Number(values.connections)]
const warmUpSeconds = 6
/** More than the load can use in a second, because each quote serves one transaction. */
const quotesPerSecond = 6_000
const masterKey = Buffer.alloc(32, 7)

await withDatabase(async (database) => {
  const { app, baseUrl, calls, stop } = await startBenchApi(database, masterKey)
  const owner = openDatabase({ connection: database.owner, statementTimeoutMs: 900_000 })
  const quoteCount = (warmUpSeconds + 2 * seconds) * quotesPerSecond
  const { quotes, dueAt } = await fillWithRules(app, { database, owner, calls }, { rules, wallets, quoteCount })

  // In production a worker refreshes the rates; these workers run rules only.
  const refreshing = setInterval(() => void app.rates.refresh(), 10_000)
  const overHttp = async (forSeconds: number) => {
    const bodies = quotes.splice(0, forSeconds * quotesPerSecond).map((quoteId) => JSON.stringify({ quoteId }))
    const url = `${baseUrl}/transactions`
    const load = { url, headers: calls.headers, bodies, connections, seconds: forSeconds, expectStatus: 201 }
    return (await runLoad({ ...load, isKeyed: true })).perSecond
  }
  await overHttp(warmUpSeconds)
  const before = await overHttp(seconds)
  const workers = await startRuleWorkers(database, { masterKey: masterKey.toString('hex'), runsAllJobs: values.settle })
  const { claimedMs, doneMs } = await runAllRules(owner, calls, dueAt)
  await workers.stop()
  const after = await overHttp(seconds)
  const perSecond = (rules * 1_000) / doneMs
  const overHttpPerSecond = (before + after) / 2
  console.log(`POST /transactions: ${before.toFixed(0)}/s before, ${after.toFixed(0)}/s after`)
  const path = `${rules} rules due in one minute, two workers`
  const claimed = { must: { atMost: 15 }, aim: { atMost: 5 }, measured: claimedMs / 1_000 }
  reportRow({ number: 11, path: `${path}, all claimed`, unit: 's', ...claimed })
  console.log(`all executed in ${shown(doneMs)}: ${perSecond.toFixed(0)} runs per second`)
  const runs = { must: { atLeast: 0.5 }, aim: { atLeast: 1 }, measured: perSecond / overHttpPerSecond }
  reportRow({ number: 11, path: `${path}, runs`, unit: 'of the rate of POST /transactions', ...runs })
  clearInterval(refreshing)
  await checkOneRunEach(owner)
  await checkLedger(app)
  await stop()
  await owner.close()
  await compareLookups(database, { few: 1_000, many: idle })
})

function shown(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}

/** Checks that every rule has exactly one run, EXECUTED, with its own transaction. */
async function checkOneRunEach(owner: Database): Promise<void> {
  const [row] = await owner.query<{ runs: number; rules: number; transactions: number }>({
    text: `select count(*)::integer as runs, count(distinct rule_id)::integer as rules,
                  count(distinct transaction.transaction_id)::integer as transactions
             from svc.rule_runs as run
             left join svc.transactions as transaction on transaction.organization_id = run.organization_id
              and transaction.transaction_id = run.transaction_id and run.status = 'EXECUTED'`,
  })
  const isOnce = row?.runs === rules && row.rules === rules && row.transactions === rules
  console.log(
    isOnce
      ? 'every rule has one run and one transaction'
      : `NOT one run and transaction per rule: ${JSON.stringify(row)}`,
  )
  reportInvariant('every rule has one run and one transaction', isOnce)
}
