import type { EvmNetwork } from './chain-ids.ts'

/** Bounds of what a relayer spends: a fee in gwei, budgets in thousandths of the network's own coin. */
type GasBounds = { maxFeeGwei: number; perHour: number; perDay: number }

type GasFacts = GasBounds & {
  /** The most gas of one transfer with authorization. Arbitrum counts the data of the first layer as gas, too. */
  transferGas: bigint
  /** The least tip that the network's validators take, in wei. A pool drops a transaction with less, or never includes it. */
  leastTip: bigint
  /** The coins below which a relayer needs more, in thousandths: enough for some thousands of transfers on a usual day. */
  lowCoins: number
  /** The gas of a transfer of nothing, which fills a nonce. */
  fillGas: bigint
}

export const gwei = 1_000_000_000n

/** Our own choices, November 2026. An operator may set other bounds. Polygon's validators agreed on a least tip. */
// biome-ignore format: a table is read by column
export const gasFacts: Readonly<Record<EvmNetwork, GasFacts>> = {
  ARBITRUM: { transferGas: 1_500_000n, fillGas: 300_000n, leastTip: 1n,          lowCoins: 20,     maxFeeGwei: 20,    perHour: 1_000,   perDay: 10_000 },
  BASE:     { transferGas: 200_000n,   fillGas: 21_000n,  leastTip: 1n,          lowCoins: 20,     maxFeeGwei: 100,   perHour: 1_000,   perDay: 10_000 },
  ETHEREUM: { transferGas: 200_000n,   fillGas: 21_000n,  leastTip: 1n,          lowCoins: 500,    maxFeeGwei: 500,   perHour: 5_000,   perDay: 50_000 },
  OPTIMISM: { transferGas: 200_000n,   fillGas: 21_000n,  leastTip: 1n,          lowCoins: 20,     maxFeeGwei: 100,   perHour: 1_000,   perDay: 10_000 },
  POLYGON:  { transferGas: 200_000n,   fillGas: 21_000n,  leastTip: 25n * gwei,  lowCoins: 50_000, maxFeeGwei: 5_000, perHour: 500_000, perDay: 5_000_000 },
}

/**
 * Bounds of the relayer on Solana: a price of priority in millionths of a lamport per unit of computation, budgets in
 * thousandths of a SOL. Our own choices, November 2026. A transfer takes 120,000 units, and a new token account 2.04
 * thousandths of rent.
 */
export const solanaFacts = { maxPriority: 1_000_000, perHour: 5_000, perDay: 50_000, lowCoins: 500 } as const

/** Thousandths of a SOL, in lamports. */
export const milliSol = 10n ** 6n

/** Thousandths of a coin of 18 decimals, in its smallest unit. */
export const milliCoin = 10n ** 15n

/** The low coins of each network's relayer. Solana has one rule of finality: its own. */
export const nodeFacts = { ...gasFacts, SOLANA: { lowCoins: solanaFacts.lowCoins, isAlwaysFinalized: true } } as const
