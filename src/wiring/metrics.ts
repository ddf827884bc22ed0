import { readRunLag } from '../automation-rules/runs/check-store.ts'
import { measureChecks } from '../db/checks/measure.ts'
import { countKeysToRewrap } from '../encryption/rewrap.ts'
import type { OpenCounts } from '../transactions/bank-files/store.ts'
import type { StuckCounts } from '../transactions/check-store.ts'
import { readWatchLag } from '../transactions/destination-alerts/store.ts'
import type { Deps } from './deps.ts'
import type { Services } from './services.ts'

/** Registers the gauges that are read from services and the database at each scrape; NaN when a read fails. */
export function registerGauges({ config, database, masterKeys, metrics }: Deps, services: Services): void {
  const addCheckGauge = (name: string, help: string, read: (measured: ReturnType<typeof measureChecks>) => number) =>
    metrics.addGauge(name, help, async () => read(measureChecks(await services.checks.read())))
  addCheckGauge('svc_invariants_violated', 'Invariants that are violated', ({ violated }) => violated)
  addCheckGauge('svc_checks_not_run', 'Checks whose last run failed, or that never ran', ({ notRun }) => notRun)
  addCheckGauge('svc_check_age_seconds', 'Age of the oldest check of recent money', ({ quickAge }) => quickAge)
  addCheckGauge('svc_full_check_age_seconds', 'Age of the oldest check of all money', ({ fullAge }) => fullAge)
  metrics.addGauge('svc_keys_to_rewrap', 'Keys still wrapped with a previous master key', async () => {
    const { dataKeys, deploymentSecrets } = await countKeysToRewrap(database, masterKeys)
    return dataKeys + deploymentSecrets
  })
  metrics.addGauge(
    'svc_currencies_unpriced',
    'Offered currencies without a current price',
    services.quotes.countUnpriced,
  )
  metrics.addProcessGauge('svc_pay_streams', 'Open pay pages', services.pay.streams.count)
  metrics.addProcessGauge('svc_event_streams', 'Open event streams', services.eventStreams.count)
  registerVerificationGauges(metrics, services)
  registerChainGauges(metrics, services)
  metrics.addGauge('svc_payouts_halted', '1 while payouts are halted, in one asset or in all', () =>
    services.ledger.readHalts(database).then(({ halts }) => Number(halts.length > 0)),
  )
  const addStuckGauge = (name: string, help: string, count: (stuck: StuckCounts) => number) =>
    metrics.addGauge(name, help, () => services.transactions.countStuckWork().then(count))
  const hour = 'for more than an hour'
  addStuckGauge(
    'svc_transactions_stuck',
    `Transactions that have been CREATED or PROCESSING ${hour}`,
    (stuck) => stuck.transactions,
  )
  addStuckGauge('svc_refunds_stuck', `Refunds and returns that have been in flight ${hour}`, (stuck) => stuck.refunds)
  addStuckGauge('svc_deposits_stuck', `Sightings that have not become a deposit ${hour}`, (stuck) => stuck.deposits)
  metrics.addGauge('svc_deposits_undecided', 'Deposits that wait for an operator, unattributed ones included', () =>
    services.transactions.countUndecided().then(({ deposits }) => deposits),
  )
  metrics.addGauge('svc_sightings_quarantined', 'Entries under the reference of another entry, not yet decided', () =>
    services.quarantinedSightings.count(),
  )
  metrics.addGauge('svc_deposit_reversals_open', 'Reversed deposits that customers owe, not yet decided', () =>
    services.depositReversals.count(),
  )
  metrics.addGauge('svc_sightings_dust', 'Token transfers that are too small for a deposit', () =>
    services.deposits.countDust(),
  )
  metrics.addGauge('svc_refunds_undecided', 'Transactions whose refund or returned funds wait for an operator', () =>
    services.transactions.countUndecided().then(({ refunds }) => refunds),
  )
  metrics.addGauge('svc_approvals_open', 'Transactions that wait for an approval', services.approvals.count)
  metrics.addGauge('svc_rules_lag_seconds', 'Business time that the most delayed rule or run has been due for', () =>
    readRunLag(database),
  )
  // Without a value that is large, no worker looks.
  if (config.alertPayoutUsd > 0)
    metrics.addGauge('svc_alert_lag_seconds', 'Age of the oldest event not looked at for large payouts', () =>
      readWatchLag(database),
    )
  registerPayoutGauges(metrics, services)
  metrics.addGauge('svc_rail_reports_unmatched', 'Reports of rails that match no payout, not yet resolved', () =>
    services.unmatchedReports.count(),
  )
  registerBankGauges(metrics, services)
}

function registerPayoutGauges(metrics: Deps['metrics'], services: Services): void {
  metrics.addGauge('svc_payouts_waiting', 'Payouts that wait for liquidity, an operator or the end of a halt', () =>
    services.payouts.count().then(({ waiting }) => waiting),
  )
  metrics.addGauge(
    'svc_payouts_contradicted',
    'Payouts whose recorded outcome the rail contradicts, until an operator acknowledges it',
    () => services.payouts.count().then(({ contradicted }) => contradicted),
  )
  metrics.addGauge('svc_payouts_unsealed', 'Payouts that wait for a seal of the signer', () =>
    services.payouts.countUnsealed(),
  )
  metrics.addGauge('svc_payouts_unknown', 'Payouts whose outcome at the rail is unknown', () =>
    services.payouts.count().then(({ unknown }) => unknown),
  )
}

function registerBankGauges(
  metrics: Deps['metrics'],
  { bankFileRecords, reconciliation, chainPayouts, virtualAccounts }: Services,
): void {
  metrics.addGauge(
    'svc_reconciliation_aged',
    'Differences between the ledger and banks or networks that should have ended by now; NaN when none counted them',
    reconciliation.readAged,
  )
  metrics.addGauge(
    'svc_reconciliation_doubtful',
    'Bank accounts of which names were kept wrongly at the last proof, or that were not proved for two weeks',
    reconciliation.countDoubtful,
  )
  metrics.addGauge('svc_chains_not_compared', 'Networks that are not compared with the ledger at present', () =>
    chainPayouts.comparisons.countNotCompared(),
  )
  const addGauge = (name: string, help: string, count: (open: OpenCounts) => number) =>
    metrics.addGauge(name, help, () => bankFileRecords.count().then(count))
  addGauge('svc_bank_files_quarantined', 'Files of banks that Svc cannot read', (open) => open.quarantined)
  addGauge('svc_bank_recalls_open', 'Recalls of banks (camt.056) that no operator has decided', (open) => open.recalls)
  addGauge(
    'svc_bank_recalls_unsettled',
    'Accepted recalls of banks without the debit of the bank for 15 days',
    (open) => open.unsettledRecalls,
  )
  addGauge('svc_bank_entries_unmatched', 'Bank entries that match nothing of ours', (open) => open.unmatched)
  addGauge(
    'svc_bank_folders_unusable',
    '1 while a worker cannot use the folders that it shares with banks',
    (open) => open.foldersUnusable,
  )
  addGauge(
    'svc_bank_files_duplicate',
    'Files that a bank rejected as a duplicate, with open payouts',
    (open) => open.duplicates,
  )
  addGauge(
    'svc_bank_files_disputed',
    'Files that a bank both rejected and accepted, with open payouts',
    (open) => open.disputed,
  )
  addGauge(
    'svc_bank_changes_open',
    'Notifications of change of banks that no operator has decided',
    (open) => open.changes,
  )
  addGauge('svc_bank_files_delayed', 'Files of banks that Svc has not applied for ten minutes', (open) => open.delayed)
  // Only where our banks assigned ranges: 0 would be an alarm.
  if (virtualAccounts) {
    metrics.addGauge(
      'svc_virtual_account_numbers_left',
      'Numbers left in the ranges of virtual accounts, in the currency that has the fewest',
      virtualAccounts.countFewestLeft,
    )
  }
}

function registerVerificationGauges(metrics: Deps['metrics'], { verification }: Services): void {
  metrics.addWaitingGauge(verification.countWaiting)
  metrics.addGauge(
    'svc_submissions_awaiting_list',
    'Submissions that wait for a current watch list, at most 1000',
    async () => (await verification.listAwaitingList()).length,
  )
}

function registerChainGauges(metrics: Deps['metrics'], { chains, chainPayouts, custody }: Services): void {
  metrics.addGauge('svc_wallet_addresses_free', 'Free addresses of the network kind that has the fewest', () =>
    custody.countFewestFree(),
  )
  metrics.addGauge('svc_chains_halted', 'Networks that dropped a final block, until an operator resumes them', () =>
    chains.count().then(({ halted }) => halted),
  )
  metrics.addGauge(
    'svc_chains_behind',
    'Networks that could not be scanned, or had no new block, for five minutes',
    () => chains.count().then(({ behind }) => behind),
  )
  metrics.addGauge('svc_chains_not_final', 'Networks with new blocks of which none became final for an hour', () =>
    chains.count().then(({ unfinal }) => unfinal),
  )
  metrics.addGauge('svc_chain_accounts_unscanned', 'Accounts on SOLANA whose transfers cannot be recorded', () =>
    chains.count().then(({ unscanned }) => unscanned),
  )
  metrics.addGauge('svc_relayer_coins_low', 'Networks whose relayer needs coins for gas', () =>
    chainPayouts.countLowFunds().then(({ relayers }) => relayers),
  )
  metrics.addGauge('svc_treasury_low', 'Tokens, each on one network, of which the treasury needs more', () =>
    chainPayouts.countLowFunds().then(({ treasuries }) => treasuries),
  )
}
