import { measureFunds } from '../../chains/payouts/funds.ts'
import { countLowFunds, type Funds } from '../../chains/payouts/funds-store.ts'
import { fundsJob, relayUpkeepJob } from '../../chains/payouts/jobs.ts'
import { createChainPayoutService } from '../../chains/payouts/service.ts'
import { comparisonDuty } from '../../chains/reconciliation/jobs.ts'
import { reconcile } from '../../chains/reconciliation/reconcile.ts'
import { createChainComparisonService } from '../../chains/reconciliation/service.ts'
import { reconcileSolana } from '../../chains/reconciliation/solana.ts'
import type { SolanaNode } from '../../chains/solana/node.ts'
import { measureSolanaFunds } from '../../chains/solana/payouts/funds.ts'
import { createSolanaPayoutService } from '../../chains/solana/payouts/service.ts'
import type { PaidTransfer } from '../../chains/solana/payouts/upkeep.ts'
import { blockOf } from '../../chains/solana/scanner/account.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { Tx } from '../../db/database.ts'
import { dutiesJob } from '../../db/duties.ts'
import type { Job } from '../../db/work.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { PayoutService } from '../../transactions/payouts/service.ts'
import { bookGas, type SpentGas } from '../../transactions/treasury/gas.ts'
import type { Deps } from '../deps.ts'
import { createChainFunding } from './funding.ts'
import { type ChainNodes, solanaTokens } from './services.ts'

type Needed = Pick<ChainNodes, 'nodes' | 'solana'> & { custody: CustodyService; ledger: LedgerService }

const lowFunds = {
  RELAYER: 'a relayer needs coins for gas: see svc custody status',
  TREASURY: 'a treasury needs tokens: send some, and record them with svc treasury fund',
} as const

/** Creates the rails of the networks that have nodes. */
export function createChainPayouts(deps: Deps, { nodes, solana, custody, ledger }: Needed) {
  const { config, database, onPoint } = deps
  const networks = [...nodes.values()].map((node) => ({
    node,
    finality: config.chains.networks[node.network].finality,
    gas: config.signing.gas[node.network],
  }))
  const { environment } = config
  const { fundRelayer } = createChainFunding(deps, { custody, ledger })
  const shared = { database, custody, onPoint, environment, networks }
  const onLow = ({ network, asset, holder, balance, least }: Funds) =>
    deps.log.warn({ network, asset, balance: String(balance), least: String(least) }, lowFunds[holder])
  const evm = createChainPayoutService(fundRelayer ? { ...shared, fundRelayer } : shared)
  const onSolana = solana && createSolanaPayouts(deps, solana, { custody, onLow, fundRelayer })
  return {
    rails: [...evm.rails, ...(onSolana ? [onSolana.rail] : [])],
    upkeeps: [...evm.upkeeps, ...(onSolana ? [onSolana.upkeep] : [])],
    /** Counts the relayers and treasuries of this deployment that need funds. */
    countLowFunds: () => countLowFunds(database, [...nodes.keys(), ...(solana ? [solana.network] : [])]),
    /** Measures the funds on each network by itself. */
    measures: [
      ...networks.map(({ node, finality }) => ({
        network: node.network,
        measure: () => {
          const { lowTreasury } = config.chains
          const least = { lowTreasury, lowCoins: config.chains.networks[node.network].lowCoins }
          return measureFunds({ node, finality, database, environment, custody, least, onLow })
        },
      })),
      ...(onSolana ? [onSolana.measure] : []),
    ],
    /** Compares the chains with the ledger. */
    comparisons: createComparisons(deps, { custody, ledger, solana, nodes }),
  }
}

/** Creates the service that compares each network that has nodes with the ledger. */
function createComparisons({ config, database, log }: Deps, { nodes, solana, custody, ledger }: Needed) {
  const { environment } = config
  const shared = { database, environment, ledger, custody }
  const tokens = solanaTokens(environment)
  return createChainComparisonService({
    database,
    networks: [
      ...[...nodes.values()].map((node) => ({
        network: node.network,
        compare: () => reconcile(shared, { node, finality: config.chains.networks[node.network].finality }),
      })),
      ...(solana
        ? [{ network: solana.network, compare: () => reconcileSolana({ ...shared, node: solana, tokens }) }]
        : []),
    ],
    onAlarm: ({ network, problem, differences }) => {
      if (problem !== undefined)
        log.error({ network, problem }, 'a network could not be compared with the ledger, and is tried again')
      else
        log.error(
          { network, differences: differences.length },
          'a network does not have what the ledger says: see svc verify --chains',
        )
    },
  })
}

type SolanaNeeds = {
  custody: CustodyService
  onLow(funds: Funds): void
  fundRelayer: ReturnType<typeof createChainFunding>['fundRelayer']
}

function createSolanaPayouts(deps: Deps, node: SolanaNode, { custody, onLow, fundRelayer }: SolanaNeeds) {
  const { config, database, onPoint } = deps
  const tokens = solanaTokens(config.environment)
  const { maxPriority } = config.signing.solana
  const shared = { database, node, custody, tokens, maxPriority, onPoint }
  const { lowTreasury, networks } = config.chains
  const least = { lowTreasury, lowCoins: networks.SOLANA.lowCoins }
  const isProduction = config.environment === 'production'
  return {
    ...createSolanaPayoutService(fundRelayer ? { ...shared, fundRelayer } : shared),
    measure: {
      network: node.network,
      measure: () => measureSolanaFunds({ node, database, tokens, custody, least, isProduction, onLow }),
    },
  }
}

export type ChainPayouts = ReturnType<typeof createChainPayouts>

/** The jobs that compare networks with the ledger, each in a loop of its own: a slow network delays no other. */
export function comparisonJobs({ database, config }: Deps, { comparisons }: ChainPayouts): Promise<Job[]> {
  return Promise.all(
    comparisons.networks.map(async (network) => {
      const duty = comparisonDuty(comparisons, network)
      return { ...(await dutiesJob(database, [duty], config.leaseMs)), name: duty.name }
    }),
  )
}

/** The jobs that look after relayers and funds, each for one network. */
export function chainPayoutJobs(
  deps: Deps,
  { chainPayouts, payouts, ledger }: { chainPayouts: ChainPayouts; payouts: PayoutService; ledger: LedgerService },
): Job[] {
  const hooks = {
    bookGas: (tx: Tx, spent: readonly SpentGas[]) => bookGas(ledger, tx, spent),
    expedite: payouts.expediteAll,
    onFailure: deps.onJobFailure('relayers', 'the transactions of a relayer could not be looked after'),
    report: (tx: Tx, { reference, signature, amount, slot }: PaidTransfer) => {
      const report = {
        state: 'CONFIRMED',
        externalReference: signature,
        amount,
        block: blockOf({ slot }),
        costs: [],
      } as const
      return payouts.reports.receive({ rail: 'chain SOLANA', reportId: signature, reference, report }, tx)
    },
  }
  return [
    ...chainPayouts.upkeeps.map((upkeep) => relayUpkeepJob({ ...upkeep, keepUp: () => upkeep.keepUp(hooks) })),
    ...chainPayouts.measures.map(({ network, measure }) => fundsJob(network, measure)),
  ]
}
