import { Writable } from 'node:stream'
import { buildApp } from '../../src/app.ts'
import { runsJob, scheduleJob, thresholdsJob } from '../../src/automation-rules/jobs.ts'
import { readConfig } from '../../src/config.ts'
import { appRole, type Connection } from '../../src/db/database.ts'
import { startWorker } from '../../src/db/workers/worker.ts'
import { createLogger } from '../../src/http/log.ts'

export type RuleWorker = { connection: Connection; masterKey: string; runsAllJobs: boolean }

/** The options of this worker process, which runs either every job or the rule jobs only. */
const { connection, masterKey, runsAllJobs } = JSON.parse(process.argv[2] ?? '') as RuleWorker
const config = readConfig({ SVC_SANDBOX_BANK: 'memory' }, process.cwd())
const app = await buildApp({
  config,
  version: '0',
  masterKeys: { current: Buffer.from(masterKey, 'hex'), previous: [] },
  database: { connection, role: appRole },
  // Formats and writes every log line, as in production, but discards the output.
  log: createLogger('info', new Writable({ write: (_line, _encoding, done) => done() })),
})
const { leaseMs } = config
const onError = (job: string, error: unknown) => console.error(job, error)
const rules = [
  scheduleJob(app.ruleSchedule),
  thresholdsJob(app.ruleThresholds, leaseMs),
  runsJob(app.ruleRuns, app.ruleSchedule, leaseMs),
]
await (runsAllJobs ? app.startWorker() : startWorker(rules, { onError }))
process.on('disconnect', () => process.exit())
process.send?.('started')
