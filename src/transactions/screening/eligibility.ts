/** What persons decided about a customer so far, as far as money is concerned. */
export type CustomerEligibility = {
  status: string
  /** Somebody on a watch list resembles the customer, or whom it pays, and nobody has decided yet. */
  hasOpenMatch: boolean
  isMatchConfirmed: boolean
}

/** A person has decided against the customer: what has not left does not leave. */
export function isRejected({
  status,
  isMatchConfirmed,
}: Pick<CustomerEligibility, 'status' | 'isMatchConfirmed'>): boolean {
  return status === 'REJECTED' || isMatchConfirmed
}
