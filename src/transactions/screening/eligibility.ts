/** The review decisions about a customer that affect its money. */
export type CustomerEligibility = {
  status: string
  /** A match of the customer, found in a submission or later, or of its counterparty, is not decided yet. */
  hasOpenMatch: boolean
  isMatchConfirmed: boolean
  /** A deposit was reversed after the customer had the money, and no operator has recovered it or written it off. */
  owesReversal: boolean
}

/** True when a reviewer decided against the customer: unsent money must not leave. */
export function isRejected({
  status,
  isMatchConfirmed,
}: Pick<CustomerEligibility, 'status' | 'isMatchConfirmed'>): boolean {
  return status === 'REJECTED' || isMatchConfirmed
}
