import { relayUpkeepJob } from '../../chains/payouts/jobs.ts'
import { type ChainPayoutService, createChainPayoutService } from '../../chains/payouts/service.ts'
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
  return {
    ...createChainPayoutService(fundRelayer ? { ...shared, fundRelayer } : shared),
    /** Compares the chains with the ledger. */
    reconcile: () => reconcile({ database, environment, ledger, custody, networks }),
  }
}

/** The jobs that look after the relayers, one for each network. */
export function chainPayoutJobs(
  deps: Deps,
  {
    chainPayouts,
    payouts,
    ledger,
  }: { chainPayouts: ChainPayoutService; payouts: PayoutService; ledger: LedgerService },
): Job[] {
  const hooks = {
    bookGas: (tx: Tx, spent: readonly SpentGas[]) => bookGas(ledger, tx, spent),
    expedite: payouts.expediteAll,
    onFailure: deps.onJobFailure('relayers', 'the transactions of a relayer could not be looked after'),
  }
  return chainPayouts.upkeeps.map(({ network, keepUp }) => relayUpkeepJob(network, () => keepUp(hooks)))
}
