import type { KnownReturn } from './return-store.ts'

export type Half = 'message' | 'entry'

/** The pair of a known return with the half that is told now. `displaced`: its former half, which is another return. */
export type Pair = { known: KnownReturn; displaced: boolean }

/**
 * Finds the return of which a message or an entry is the other half. Equal amounts come first, in any order of the
 * messages: they displace a half that was taken for the same return less a fee.
 */
export function findPair(known: readonly KnownReturn[], half: Half, amount: bigint): Pair | undefined {
  const other = half === 'message' ? 'entry' : 'message'
  const isOpen = (each: KnownReturn) => amountOf(each, half) === null && amountOf(each, other) !== null
  const equal = known.filter((each) => amountOf(each, other) === amount)
  const exact = equal.find(isOpen)
  if (exact) return { known: exact, displaced: false }
  const lessFees = equal.find((each) => amountOf(each, half) !== null && amountOf(each, half) !== amount)
  if (lessFees) return { known: lessFees, displaced: true }
  const differing = known.filter((each) => isOpen(each) && isFee(each, half, amount))
  const distance = (each: KnownReturn) => difference(amountOf(each, other) ?? 0n, amount)
  const [closest] = differing.toSorted((one, two) => (distance(one) < distance(two) ? -1 : 1))
  return closest && { known: closest, displaced: false }
}

/** A bank keeps at most a tenth of a return as its fee. A greater difference tells two returns apart. */
const largestShare = 10n

function isFee(known: KnownReturn, half: Half, amount: bigint): boolean {
  const [message, entry] =
    half === 'message' ? [amount, amountOf(known, 'entry')] : [amountOf(known, 'message'), amount]
  if (message === null || entry === null || entry >= message) return false
  return (message - entry) * largestShare <= message
}

export function amountOf({ messageAmount, creditedAmount }: KnownReturn, half: Half): bigint | null {
  const units = half === 'message' ? messageAmount : creditedAmount
  return units === null ? null : BigInt(units)
}

const difference = (one: bigint, two: bigint) => (one > two ? one - two : two - one)
