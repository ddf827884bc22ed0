import type { PayoutPurpose } from '../payouts/payout.ts'

/** The entries that a timeline derives from other records. */
const derivedKinds = {
  QUOTE: 'Svc made the quote of the transaction',
  STATUS: 'The transaction took this status',
  TRANSFER_SEEN: 'A block that is not final has a transfer to the address of the transaction',
  DEPOSIT: 'A deposit arrived for the transaction',
  POSTING: 'The ledger recorded a fact',
  RAIL: 'A bank or network was asked, or answered, about a payout',
  OPERATOR: 'An operator, a reviewer or an API key acted on the transaction',
  WEBHOOK: 'Svc tried to deliver an event about the transaction',
} as const

/** The steps that Svc records as it performs them. */
const stepKinds = {
  SCREENED: 'Svc screened the parties, and found no reason to stop',
  FROZEN: 'Svc stopped for a review; only callers with `reviews:read` see it',
  REPRICED: 'The funds came after the quoted price ended, and Svc took the current rate',
  APPROVAL_OPENED: 'A policy demands an approval, and the transaction waits for it',
  APPROVED: 'The keys that the policy demands have approved it',
  APPROVAL_REFUSED: 'A key has refused the approval',
  APPROVAL_EXPIRED: 'The approval was undecided when its time was over',
  EXECUTED: 'Svc exchanged the funds and owes the payout',
  DEPOSIT_APPLIED: 'A deposit, or a part of it, counts towards the source amount',
  DEPOSIT_REVERSED: 'The bank or chain took a deposit back',
  REFUNDED: 'The source amount is available to the customer again',
  RETURNED_FUNDS_RECOVERED: 'Returned funds paid what a reversed deposit left owing',
  CONVERSION_OWED: 'Returned funds go into another transaction',
  CONVERSION_WITHDRAWN: 'That other transaction ended before it took them',
} as const

/** The steps of a payout of a purpose. */
const payoutSteps = {
  OWED: 'Svc owes this payout',
  CONFIRMED: 'The bank or network confirmed it',
  REFUSED: 'The bank or network refused it',
  RETURNED: 'The bank of the receiver returned it',
  CREDITED: 'An operator kept the money for the customer instead',
  WITHDRAWN: 'Svc withdrew it before it left',
} as const

const purposes = ['PAYOUT', 'REFUND', 'RETURN', 'REPAYMENT', 'DISBURSEMENT'] as const

/** A kind of step that Svc records. Movements between our own addresses concern no transaction. */
export type StepKind = keyof typeof stepKinds | 'OPERATOR' | `${PayoutPurpose}_${keyof typeof payoutSteps}`

/** Every kind of a timeline entry, with its meaning. */
export const timelineKinds: Readonly<Record<string, string>> = {
  ...derivedKinds,
  ...stepKinds,
  ...Object.fromEntries(
    purposes.flatMap((purpose) => Object.entries(payoutSteps).map(([step, text]) => [`${purpose}_${step}`, text])),
  ),
}
