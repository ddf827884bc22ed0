import type { ItemKind } from './reconciliation.ts'

/** The facts of a ledger line that tell whether a bank booked it in one sum with another one. */
export type PayoutLine = {
  kind: ItemKind
  reference: string
  /** Positive for money that came in. */
  amount: bigint
  fact: string
  bankReference: string | null
  /** Charges that the bank told together with a payout. */
  costs: bigint
}

/** A line with the charges that the same entry contains. */
export type Charged<Line> = Line & { charges: bigint }

/**
 * Joins the charges of a payout with its line, as a bank books them in one sum. Only charges that the ledger has a line
 * for on the same day count: a bank may tell some after an operator has settled the payout. A line waits for the other
 * one until the end of the day at most, and is then an entry of its own.
 */
export async function* joinCharges<Line extends PayoutLine>(
  lines: AsyncIterable<Line>,
): AsyncGenerator<Charged<Line>, void, undefined> {
  const waiting = new Map<string, Line>()
  for await (const line of lines) {
    const { reference } = line
    const other = line.kind === 'PAYOUT' ? waiting.get(reference) : undefined
    if (other && isCharge(other) !== isCharge(line)) {
      waiting.delete(reference)
      const [paid, charge] = isCharge(line) ? [other, line] : [line, other]
      yield { ...paid, charges: -charge.amount }
    } else if (!other && mayShareEntry(line)) waiting.set(reference, line)
    else yield { ...line, charges: 0n }
  }
  for (const line of waiting.values()) yield { ...line, charges: 0n }
}

const isCharge = ({ fact }: PayoutLine) => fact === 'NETWORK_COST'

/** True for charges of a payout that the bank has told, and for a payout that the bank told with charges. */
function mayShareEntry(line: PayoutLine): boolean {
  if (line.kind !== 'PAYOUT' || line.amount > 0n) return false
  return isCharge(line) ? line.bankReference !== null : line.costs > 0n
}
