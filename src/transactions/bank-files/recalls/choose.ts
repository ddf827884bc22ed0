import type { ReversiblePart } from '../entries/reversal-store.ts'

/** A transaction that a recall may name. `isLinked`: the recall has a payment already, which an earlier file told. */
export type Named = Pick<ReversiblePart, 'isByBank' | 'isByNetwork' | 'isByPayer' | 'isSameAmount'> & {
  isLinked: boolean
}

/**
 * Chooses the transactions that a recall names best: by ids of the networks and by the bank's reference, else by an id that
 * the payer chose, with amount and payer. When ids disagree, or one names several transactions, the recall holds all of
 * them: an operator chooses. Payers and banks reuse references, so a later file adds payments by ids of the networks alone.
 */
export function chooseRecalled<Part extends Named>(parts: readonly Part[]): readonly Part[] {
  const byNetwork = parts.filter(({ isByNetwork }) => isByNetwork)
  const byBank = narrow(parts.filter(({ isByBank, isLinked }) => isByBank && !isLinked))
  // Another bank's own reference may be one of our bank by chance, but money that leaves does not come back.
  if (byNetwork.length > 0) return byNetwork.some(({ isByBank }) => isByBank) ? byNetwork : [...byNetwork, ...byBank]
  if (byBank.length > 0) return byBank
  return parts.filter(({ isByPayer, isSameAmount, isLinked }) => isByPayer && isSameAmount && !isLinked)
}

/** The reference of a collective entry names all its transactions: the payer and the amount tell which of them. */
function narrow<Part extends Named>(parts: readonly Part[]): readonly Part[] {
  const narrowed = [
    parts.filter(({ isByPayer, isSameAmount }) => isByPayer && isSameAmount),
    parts.filter(({ isSameAmount }) => isSameAmount),
  ]
  return narrowed.find(({ length }) => length > 0) ?? parts
}
