import type { Environment } from '../../catalog/currencies.ts'
import type { Rail } from '../../transactions/payouts/rail.ts'
import { createEvmRail } from './rail.ts'
import { listBusyNetworks } from './relay-store.ts'
import { createRelayer, type PayingNetwork, type RelayerDeps } from './relayer.ts'
import { keepUp, type UpkeepDeps } from './upkeep.ts'

export type ChainPayoutDeps = Pick<RelayerDeps, 'database' | 'custody' | 'onPoint' | 'fundRelayer'> & {
  environment: Environment
  networks: readonly PayingNetwork[]
}

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

    /** Looks after the open nonces of every network; answers how many it ended. A network that fails stops no other. */
    keepUp: async (hooks: Pick<UpkeepDeps, 'bookGas' | 'expedite' | 'onFailure'>): Promise<number> => {
      const busy = served.length > 0 ? await listBusyNetworks(shared.database) : []
      const ended = await Promise.all(
        served
          .filter(({ network }) => busy.includes(network.node.network))
          .map(({ network, relayer }) =>
            keepUp({ ...shared, ...network, relayer, ...hooks }).catch((error: unknown) => {
              hooks.onFailure(error)
              return 0
            }),
          ),
      )
      return ended.reduce((sum, each) => sum + each, 0)
    },
  }
}
