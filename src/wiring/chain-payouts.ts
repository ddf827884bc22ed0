import { relayUpkeepJob } from '../chains/payouts/jobs.ts'
import { type ChainPayoutService, createChainPayoutService } from '../chains/payouts/service.ts'
import type { CustodyService } from '../custody/service.ts'
import type { Job } from '../db/work.ts'
import { createChainFunding } from './chain-funding.ts'
import type { ChainNodes } from './chain-services.ts'
import type { Deps } from './deps.ts'
import type { Services } from './services.ts'

type Needed = Pick<ChainNodes, 'nodes'> & { custody: CustodyService }

/** Creates the rails of the EVM networks that have nodes. */
export function createChainPayouts(deps: Deps, { nodes, custody }: Needed): ChainPayoutService {
  const { config, database, onPoint } = deps
  const networks = [...nodes.values()].map((node) => ({
    node,
    finality: config.chains.networks[node.network].finality,
    gas: config.signing.gas[node.network],
  }))
  const { environment } = config
  const { fundRelayer } = createChainFunding(deps, custody)
  const shared = { database, custody, onPoint, environment, networks }
  return createChainPayoutService(fundRelayer ? { ...shared, fundRelayer } : shared)
}

/** The job that looks after the relayers. */
export function chainPayoutJobs(
  deps: Deps,
  { chainPayouts, payouts }: Pick<Services, 'chainPayouts' | 'payouts'>,
): Job[] {
  if (chainPayouts.rails.length === 0) return []
  const hooks = {
    bookGas: async () => {},
    expedite: payouts.expediteAll,
    onFailure: deps.onJobFailure('relayers', 'the transactions of a relayer could not be looked after'),
  }
  return [relayUpkeepJob(() => chainPayouts.keepUp(hooks))]
}
