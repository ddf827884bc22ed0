import type { Environment, Network } from '../../catalog/currencies.ts'
import type { Rail } from '../../transactions/payouts/rail.ts'
import { createEvmRail, type EvmRailDeps } from './rail.ts'
import { hasOpenNonces } from './relay-store.ts'
import { createRelayer, type PayingNetwork } from './relayer.ts'
import { keepUp, type UpkeepDeps } from './upkeep.ts'

export type ChainPayoutDeps = Pick<EvmRailDeps, 'database' | 'custody' | 'onPoint' | 'fundRelayer'> & {
  environment: Environment
  networks: readonly PayingNetwork[]
}

export type UpkeepHooks = Pick<UpkeepDeps, 'bookGas' | 'expedite' | 'onFailure'>

export type ChainPayoutService = ReturnType<typeof createChainPayoutService>

/** Pays on EVM networks: a rail and a relayer for each. */
export function createChainPayoutService({ networks, environment, ...shared }: ChainPayoutDeps) {
  const served = networks.map((network) => {
    const deps = { ...shared, ...network }
    const relayer = createRelayer(deps)
    return { network, relayer, rail: createEvmRail({ ...deps, environment, relayer }) }
  })
  return {
    rails: served.map(({ rail }): Rail => rail),

    /** Looks after the open nonces of each network by itself: one whose nodes hang delays no other. */
    upkeeps: served.map(({ network, relayer }) => ({
      network: network.node.network as Network,
      due: hasOpenNonces(network.node.network),
      readHead: async (): Promise<string> => (await network.node.head('latest')).hash,
      /** Answers how many nonces it ended. */
      keepUp: (hooks: UpkeepHooks): Promise<number> => keepUp({ ...shared, ...network, relayer, ...hooks }),
    })),
  }
}
