import { readRunLag } from '../automation-rules/runs/check-store.ts'
import type { Database } from '../db/database.ts'
import { readLastViolations } from '../db/verify.ts'
import type { MasterKeys } from '../encryption/master-keys.ts'
import { countKeysToRewrap } from '../encryption/rewrap.ts'
import type { HttpMetrics } from '../http/metrics.ts'
import type { StuckCounts } from '../transactions/check-store.ts'
import type { Services } from './services.ts'

type Watched = { database: Database; masterKeys: MasterKeys; metrics: HttpMetrics; services: Services }

const unknownCount = () => Number.NaN

/** What is read when somebody asks for the metrics. */
export function watchServices({ database, masterKeys, metrics, services }: Watched): void {
  metrics.watch('svc_invariants_violated', 'Invariants that the last hourly check found violated', () =>
    readLastViolations(database),
  )
  metrics.watch('svc_keys_to_rewrap', 'Keys still wrapped with a previous master key', async () => {
    const { dataKeys, deploymentSecrets } = await countKeysToRewrap(database, masterKeys)
    return dataKeys + deploymentSecrets
  })
  metrics.watch(
    'svc_currencies_unpriced',
    'Currencies on offer that have no current price',
    services.quotes.countUnpriced,
  )
  metrics.watch('svc_event_streams', 'Streams of events that are open', services.eventStreams.count)
  metrics.watchWaiting(services.verification.countWaiting)
  metrics.watch('svc_wallet_addresses_free', 'Addresses ready to be handed out, of the kind that has the fewest', () =>
    services.custody.countFewestFree(),
  )
  metrics.watch('svc_payouts_halted', '1 while a broken ledger keeps payouts from leaving', () =>
    services.ledger.arePayoutsHalted(database).then(Number, unknownCount),
  )
  const watchStuck = (name: string, help: string, count: (stuck: StuckCounts) => number) =>
    metrics.watch(name, help, () => services.transactions.countStuck().then(count, unknownCount))
  const hour = 'for more than an hour'
  watchStuck('svc_transactions_stuck', `Transactions that have been PROCESSING ${hour}`, (stuck) => stuck.transactions)
  watchStuck('svc_refunds_stuck', `Refunds and returns that have been on their way ${hour}`, (stuck) => stuck.refunds)
  watchStuck('svc_deposits_stuck', `Money that was seen and is no deposit ${hour}`, (stuck) => stuck.deposits)
  metrics.watch('svc_deposits_undecided', 'Deposits that wait for a person, those that are nobody’s among them', () =>
    services.transactions.countUndecided().then(({ deposits }) => deposits, unknownCount),
  )
  metrics.watch(
    'svc_refunds_undecided',
    'Transactions whose refund, or what came back of them, waits for a person',
    () => services.transactions.countUndecided().then(({ refunds }) => refunds, unknownCount),
  )
  metrics.watch('svc_rules_lag_seconds', 'Business time that the longest due rule or run has been due for', () =>
    readRunLag(database).catch(unknownCount),
  )
  metrics.watch('svc_payouts_waiting', 'Payouts that wait for liquidity, a person or the end of a halt', () =>
    services.payouts.count().then(({ waiting }) => waiting, unknownCount),
  )
  metrics.watch('svc_payouts_unknown', 'Payouts of which nobody knows whether the rail has heard', () =>
    services.payouts.count().then(({ unknown }) => unknown, unknownCount),
  )
}
