import type { Network } from '../../catalog/currencies.ts'
import type { Config } from '../../config.ts'

/** The networks with nodes, whose transfers are on a chain. The sandbox simulates the others. */
export function networksOnChain({ chains: { networks } }: Config): ReadonlySet<Network> {
  const names = Object.keys(networks) as (keyof typeof networks)[]
  return new Set(names.filter((name) => networks[name].rpcUrls.length > 0))
}
