/** A reason for which a chain has more than the ledger. */
export type Cause = { cause: string; amount: bigint }

/**
 * Two figures that should be equal, in smallest units. CHAIN: what an address should have, and what it has. BALANCES: what
 * customers have by the ledger at an address, which is more than the address should have. BOOKS: the ledger's sum of all
 * wallets, and that of deposits and payouts.
 */
export type Difference = {
  about: 'CHAIN' | 'BALANCES' | 'BOOKS'
  asset: string
  place: string
  ledger: bigint
  chain: bigint
  /** Known transfers to the address that are in no account of the ledger. */
  causes: readonly Cause[]
}

/** True for a surplus that known transfers make up exactly. */
export function isExplained({ about, ledger, chain, causes }: Difference): boolean {
  return about === 'CHAIN' && causes.length > 0 && chain - ledger === sumOf(causes)
}

export function sumOf(amounts: readonly { amount: bigint }[]): bigint {
  return amounts.reduce((sum, { amount }) => sum + amount, 0n)
}
