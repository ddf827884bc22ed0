import { type EvmNetwork, evmNetworks } from '../../catalog/chain-ids.ts'
import { type Network, type TokenAsset, tokens } from '../../catalog/currencies.ts'

/** The name of a network's own coin in requests to the faucet. */
export const nativeCurrency = 'NATIVE'

const gwei = 1_000_000_000n

/** The EVM networks of the sandbox. Fees are typical of the real network; `op` networks charge an L1 data fee too. */
// biome-ignore format: a table is read by column
export const networkFacts = {
  ETHEREUM: { kind: 'l1', baseFee: gwei,             tip: gwei / 10n },
  POLYGON:  { kind: 'l1', baseFee: 30n * gwei,       tip: 30n * gwei },
  ARBITRUM: { kind: 'l1', baseFee: gwei / 10n,       tip: gwei / 1_000n },
  BASE:     { kind: 'op', baseFee: gwei / 100n,      tip: gwei / 1_000n },
  OPTIMISM: { kind: 'op', baseFee: gwei / 100n,      tip: gwei / 1_000n },
} as const satisfies Record<EvmNetwork, { kind: 'l1' | 'op'; baseFee: bigint; tip: bigint }>

export function isEvmNetwork(text: string): text is EvmNetwork {
  return (evmNetworks as readonly string[]).includes(text)
}

/** The tokens of a network: label and contract address, in lower case. */
export function tokensOn(network: Network): { label: string; contract: string }[] {
  return (Object.keys(tokens) as TokenAsset[])
    .filter((asset) => asset.endsWith(`/${network}`))
    .map((asset) => ({ label: asset.split('/')[0] ?? '', contract: tokens[asset].testContract.toLowerCase() }))
}
