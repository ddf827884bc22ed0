import type { EvmNetwork } from '../../catalog/chain-ids.ts'
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

export type UpkeepHooks = Pick<UpkeepDeps, 'bookGas' | 'expedite' | 'onFailure'>

/** Shorter than the pause between two upkeeps of a network, so that each looks anew. */
const busyLiveMs = 100

export type ChainPayoutService = ReturnType<typeof createChainPayoutService>

/** Pays on EVM networks: a rail and a relayer for each. */
export function createChainPayoutService({ networks, environment, ...shared }: ChainPayoutDeps) {
  const served = networks.map((network) => {
    const deps = { ...shared, ...network }
    const relayer = createRelayer(deps)
    return { network, relayer, rail: createEvmRail({ ...deps, environment, relayer }) }
  })
  const readBusy = createBusyReader(shared.database)
  return {
    rails: served.map(({ rail }): Rail => rail),

    /** Looks after the open nonces of each network by itself: one whose nodes hang delays no other. */
    upkeeps: served.map(({ network, relayer }) => ({
      network: network.node.network,
      /** Answers how many nonces it ended. */
      keepUp: async (hooks: UpkeepHooks): Promise<number> =>
        (await readBusy()).includes(network.node.network) ? keepUp({ ...shared, ...network, relayer, ...hooks }) : 0,
    })),
  }
}

/** Answers which networks have open nonces, with one query for the upkeeps that ask at about the same time. */
function createBusyReader(database: ChainPayoutDeps['database']): () => Promise<EvmNetwork[]> {
  let busy: { networks: Promise<EvmNetwork[]>; staleAtMs: number } | undefined
  return () => {
    if (!busy || performance.now() >= busy.staleAtMs) {
      busy = { networks: listBusyNetworks(database), staleAtMs: performance.now() + busyLiveMs }
    }
    return busy.networks
  }
}
