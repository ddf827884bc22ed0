/** A reason for which a chain has more than the ledger. */
export type Cause = {
  cause: 'dust' | 'quarantined' | 'not credited yet' | 'received, and not recorded'
  /** The address, or the transaction. */
  reference: string
  amount: bigint
}

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

/** The causes that make up a difference, and the rest that none of them explains. */
export type Explanation = { causes: readonly Cause[]; rest: bigint }

/**
 * The number of causes at one place, the newest ones, that are tried in every combination. Among many more, some would
 * make up an amount by chance.
 */
const mostTried = 8

/**
 * Explains a difference. What waits to be credited is at the address for certain, so it counts even when the sums happen
 * to agree. What is in quarantine may contradict the record, and an operator may have recorded what arrived at an address
 * of ours: those count only when they make up the rest exactly.
 */
export function explain({ about, ledger, chain, causes }: Difference): Explanation {
  if (about !== 'CHAIN') return { causes: [], rest: chain - ledger }
  const certain = causes.filter(({ cause }) => cause === 'dust' || cause === 'not credited yet')
  const rest = chain - ledger - sumOf(certain)
  if (rest === 0n) return { causes: certain, rest }
  const some = findSum(
    causes.filter((each) => !certain.includes(each)),
    rest,
  )
  return some ? { causes: [...certain, ...some], rest: 0n } : { causes: certain, rest }
}

/** Finds causes that make up an amount: all the newest ones up to some age, or any of the last few. */
function findSum(causes: readonly Cause[], amount: bigint): Cause[] | undefined {
  let sum = 0n
  for (const [at, cause] of causes.entries()) {
    sum += cause.amount
    if (sum === amount) return causes.slice(0, at + 1)
  }
  const last = causes.slice(0, mostTried)
  for (let chosen = 2 ** last.length - 1; chosen > 0; chosen -= 1) {
    const some = last.filter((_, at) => (chosen >> at) % 2 === 1)
    if (sumOf(some) === amount) return some
  }
  return undefined
}

export function sumOf(amounts: readonly { amount: bigint }[]): bigint {
  return amounts.reduce((sum, { amount }) => sum + amount, 0n)
}
