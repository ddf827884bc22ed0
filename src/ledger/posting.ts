import type { AccountName } from './account.ts'

/** The business facts of the ledger. One posting records one fact. */
export const facts = [
  'DEPOSIT',
  'CAPTURE',
  'COLLECTION',
  'CONVERSION',
  'PAYOUT',
  'REFUND',
  'RETURN',
  'REVERSAL',
  'RESOLUTION',
  'FEE_SWEEP',
  'FEE_PAYOUT',
  'NETWORK_COST',
  'FUNDING',
  'WITHDRAWAL',
  'REBALANCE',
  'TRANSFER',
  'DEPOSIT_REVERSAL',
  'RECOVERY',
  'WRITE_OFF',
] as const
export type Fact = (typeof facts)[number]

/** A positive amount is a credit, a negative one a debit. */
export type Entry = AccountName & { amount: bigint }

export type NewPosting = {
  organizationId: string
  /** Identifies the fact for ever: posting it a second time changes nothing. See referenceOf. */
  reference: string
  fact: Fact
  /** Must sum to zero in each asset. */
  entries: readonly Entry[]
  /** The reference of the reserve that this posting takes its money from; the rest of it is released. */
  captures?: string
}

/**
 * POSTED and REPLAYED (posted before, with the same content) mean that the fact is in the ledger. The others change
 * nothing. CONFLICT: the reference has other content. INSUFFICIENT: a customer's balance would fall below its reserved
 * amount. RESERVE_NOT_OPEN: the reserve is unknown or resolved. RESERVE_MISMATCH: the posting captures more than was
 * reserved, or from another account.
 */
export type PostOutcome =
  | { outcome: 'POSTED' | 'REPLAYED'; postingId: string }
  | { outcome: 'CONFLICT' | 'INSUFFICIENT' | 'RESERVE_NOT_OPEN' | 'RESERVE_MISMATCH' }

export type NewReserve = {
  organizationId: string
  reference: string
  account: AccountName
  amount: bigint
}

/**
 * RESERVED and REPLAYED mean that the money is set aside; the others set nothing aside. RESOLVED: the reserve was
 * captured or released since. CONFLICT: the reference belongs to another reserve.
 */
export type ReserveOutcome =
  | { outcome: 'RESERVED' | 'REPLAYED'; reserveId: string }
  | { outcome: 'CONFLICT' | 'INSUFFICIENT' | 'RESOLVED' }

export type ReserveName = { organizationId: string; reference: string }
export type ReleaseOutcome = { outcome: 'RELEASED' | 'REPLAYED' | 'CAPTURED' | 'UNKNOWN' }

/** A wallet whose available balance grew. */
export type IncreasedWallet = {
  organizationId: string
  paymentAccountId: string
  asset: string
  /** The references of the postings or releases that raised it. */
  causes: readonly string[]
}

export type Balance = { asset: string; posted: bigint; available: bigint }

/** A line of a wallet's statement. */
export type StatementEntry = {
  postingId: string
  asset: string
  /** Numbers the entries of this wallet and asset without a gap. */
  sequence: bigint
  amount: bigint
  /** The posted balance after this entry. */
  balance: bigint
  fact: Fact
  reference: string
  createdAt: Date
}

/** An entry about one subject, on any account. */
export type SubjectEntry = AccountName & {
  postingId: string
  reference: string
  fact: Fact
  amount: bigint
  createdAt: Date
}

export type Subject = { type: 'transaction' | 'deposit' | 'disbursement' | 'sweep' | 'payout' | 'operator'; id: string }

/** Builds a posting's reference. Those of one subject share a prefix, so one index range finds them. */
export function referenceOf({ type, id }: Subject, step: string): string {
  return `${type}:${id}:${step}`
}
