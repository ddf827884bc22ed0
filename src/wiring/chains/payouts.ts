import { measureFunds } from '../../chains/payouts/funds.ts'
import { countLowFunds, type Funds } from '../../chains/payouts/funds-store.ts'
import { fundsJob, relayUpkeepJob } from '../../chains/payouts/jobs.ts'
import { createChainPayoutService } from '../../chains/payouts/service.ts'
import { reconcile } from '../../chains/reconciliation/reconcile.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { Tx } from '../../db/database.ts'
import type { Job } from '../../db/work.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { PayoutService } from '../../transactions/payouts/service.ts'
import { bookGas, type SpentGas } from '../../transactions/treasury/gas.ts'
import type { Deps } from '../deps.ts'
import { createChainFunding } from './funding.ts'
import type { ChainNodes } from './services.ts'

type Needed = Pick<ChainNodes, 'nodes'> & { custody: CustodyService; ledger: LedgerService }

const lowFunds = {
  RELAYER: 'a relayer needs coins for gas: see svc custody status',
  TREASURY: 'a treasury needs tokens: send some, and record them with svc treasury fund',
} as const

/** Creates the rails of the EVM networks that have nodes. */
export function createChainPayouts(deps: Deps, { nodes, custody, ledger }: Needed) {
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
  return {
    ...createChainPayoutService(fundRelayer ? { ...shared, fundRelayer } : shared),
    /** Counts the relayers and treasuries of this deployment that need funds. */
    countLowFunds: () => countLowFunds(database, [...nodes.keys()]),
    /** Measures the funds on each network by itself. */
    measures: networks.map(({ node, finality }) => ({
      network: node.network,
      measure: () => {
        const { lowTreasury } = config.chains
        const least = { lowTreasury, lowCoins: config.chains.networks[node.network].lowCoins }
        return measureFunds({ node, finality, database, environment, custody, least, onLow })
      },
    })),
    /** Compares the chains with the ledger. */
    reconcile: () => reconcile({ database, environment, ledger, custody, networks }),
  }
}

export type ChainPayouts = ReturnType<typeof createChainPayouts>

/** The jobs that look after relayers and funds, each for one network. */
export function chainPayoutJobs(
  deps: Deps,
  { chainPayouts, payouts, ledger }: { chainPayouts: ChainPayouts; payouts: PayoutService; ledger: LedgerService },
): Job[] {
  const hooks = {
    bookGas: (tx: Tx, spent: readonly SpentGas[]) => bookGas(ledger, tx, spent),
    expedite: payouts.expediteAll,
    onFailure: deps.onJobFailure('relayers', 'the transactions of a relayer could not be looked after'),
  }
  return [
    ...chainPayouts.upkeeps.map(({ network, keepUp }) => relayUpkeepJob(network, () => keepUp(hooks))),
    ...chainPayouts.measures.map(({ network, measure }) => fundsJob(network, measure)),
  ]
}
