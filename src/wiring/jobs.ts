import { runsJob, scheduleJob, thresholdsJob } from '../automation-rules/jobs.ts'
import { removalJob } from '../customers/jobs.ts'
import { checkDuties } from '../db/checks/jobs.ts'
import { openDatabase } from '../db/database.ts'
import { dutiesJob } from '../db/duties.ts'
import { createSequencerJob } from '../db/outbox/sequencer.ts'
import type { Job, Worker } from '../db/work.ts'
import { startWorker } from '../db/workers/worker.ts'
import { rewrapDuty } from '../encryption/rewrap.ts'
import { foldDuty } from '../ledger/jobs.ts'
import { purgePoliciesDuty } from '../policies/service.ts'
import { rescreenJob } from '../reviews/jobs.ts'
import { sandboxBankJob } from '../sandbox/bank/jobs.ts'
import { approvalsJob } from '../transactions/approvals/jobs.ts'
import { bankFilesJob } from '../transactions/bank-files/jobs.ts'
import { depositsJob, destinationAlertJob, payoutJobs, transactionsJob } from '../transactions/jobs.ts'
import { reconciliationDuties } from '../transactions/reconciliation/jobs.ts'
import { awaitedListJob, verificationJob } from '../verification/jobs.ts'
import { providerJob } from '../verification/provider/jobs.ts'
import { expireAttemptsJob, webhookJobs } from '../webhooks/jobs.ts'
import { chainPayoutJobs, comparisonJobs } from './chains/payouts.ts'
import type { Deps } from './deps.ts'
import type { Services } from './services.ts'

const hourMs = 3_600_000

/** In a loop of its own: the place of the anchors may be slow or away. */
async function anchorJobs({ config, database }: Deps, { auditDuties }: Services): Promise<Job[]> {
  if (auditDuties.length === 0) return []
  return [{ ...(await dutiesJob(database, auditDuties, config.leaseMs)), name: 'anchor audit' }]
}

function moneyJobs({ transactionAdvance, approvals, deposits, payouts }: Services, leaseMs: number): Job[] {
  return [
    transactionsJob(transactionAdvance, leaseMs),
    approvalsJob(approvals, leaseMs),
    depositsJob(deposits, leaseMs),
    ...payoutJobs(payouts, leaseMs),
  ]
}

function alertJobs({ config, database, audit }: Deps): Job[] {
  if (config.alertPayoutUsd === 0) return []
  return [destinationAlertJob(database, audit, config.alertPayoutUsd, config.leaseMs)]
}

export async function startJobs(deps: Deps, services: Services): Promise<Worker> {
  const { config, log, database, masterKeys, metrics } = deps
  const duties = [
    { name: 'renew signing keys', everyMs: hourMs, run: () => services.tokens.renewKeys() },
    {
      name: 'collect orphaned files',
      everyMs: hourMs,
      // No request takes a day, so an older file that no customer refers to stays unreferenced.
      run: () => services.customers.collectOrphans(new Date(Date.now() - 24 * hourMs)),
    },
    rewrapDuty(database, masterKeys, config.leaseMs),
    { name: 'expire form drafts', everyMs: hourMs, run: () => services.forms.expireDrafts() },
    purgePoliciesDuty(database),
  ]
  const refreshRates = { name: 'refresh rates', everyMs: config.ratesEveryMs, run: () => services.rates.refresh() }
  const { quick, full } = checkDuties(services.checks, services.ledger.recordOverdueChecks)
  await services.checks.register()
  const jobs: Job[] = [
    await dutiesJob(database, duties, config.leaseMs),
    // In loops of their own: prices expire after two minutes, payouts halt without checks, and duties may take longer.
    { ...(await dutiesJob(database, [refreshRates], config.leaseMs)), name: 'rates' },
    // In a loop of its own: positions are read from the postings that are not folded, and checks may take long.
    { ...(await dutiesJob(database, [foldDuty(services.ledger)], config.leaseMs)), name: 'fold' },
    { ...(await dutiesJob(database, [quick], config.leaseMs)), name: 'quick checks' },
    { ...(await dutiesJob(database, [full], config.leaseMs)), name: 'checks' },
    {
      ...(await dutiesJob(database, reconciliationDuties(services.reconciliation), config.leaseMs)),
      name: 'reconciliation',
    },
    createSequencerJob(database, config.leaseMs),
    services.audit.sealerJob(database, config.leaseMs, services.countAct),
    ...(await anchorJobs(deps, services)),
    verificationJob(services.verification, config.leaseMs),
    awaitedListJob(services.verification),
    providerJob(services.verificationProvider, config.leaseMs),
    ...webhookJobs(services.sendPipelineDeps, services.credentials.holdSuccessor),
    await expireAttemptsJob(database, config.webhooks.attemptsKeptDays, config.leaseMs),
    rescreenJob(services.rescreening, config.leaseMs),
    removalJob(services.customers, config.leaseMs),
    ...moneyJobs(services, config.leaseMs),
    ...alertJobs(deps),
    ...services.chains.createJobs(),
    ...chainPayoutJobs(deps, services),
    ...(await comparisonJobs(deps, services.chainPayouts)),
    ...(services.bankFiles ? [bankFilesJob(services.bankFiles, config.leaseMs)] : []),
    scheduleJob(services.ruleSchedule),
    thresholdsJob(services.ruleThresholds, config.leaseMs),
    runsJob(services.ruleRuns, services.ruleSchedule, config.leaseMs),
    ...(services.sandboxBank ? [sandboxBankJob(services.sandboxBank)] : []),
  ]
  // A connection of its own: the statement about all jobs is planned once, and its waits take none from the pool.
  const watching = openDatabase({ ...deps.connection, connections: 1, onConnectionLost: () => {} })
  const worker = startWorker(jobs, {
    database: watching,
    other: database,
    hooks: { onQuiet: deps.revisions.rest, onCommit: deps.revisions.look },
    onError: (job, error) => {
      metrics.countJobFailure(job)
      log.error({ err: error, job }, 'a background batch failed and is retried')
    },
  })
  return {
    wake: worker.wake,
    stop: async () => {
      await worker.stop()
      // A wait may take a moment to end, and a caller may stop twice.
      void watching.close().catch(() => {})
    },
  }
}
