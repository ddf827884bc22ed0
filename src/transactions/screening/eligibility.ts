/** What persons decided about a customer so far, as far as money is concerned. */
export type Standing = {
  status: string
  /** Somebody on a watch list resembles the customer, or whom it pays, and nobody has decided yet. */
  hasOpenHit: boolean
  isHitConfirmed: boolean
}

/** A person has decided against the customer: what has not left does not leave. */
export function isTurnedAway({ status, isHitConfirmed }: Pick<Standing, 'status' | 'isHitConfirmed'>): boolean {
  return status === 'REJECTED' || isHitConfirmed
}
