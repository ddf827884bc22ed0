import type { EvmNetwork } from '../../../catalog/chain-ids.ts'

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
