import type { AccountName } from './account.ts'

/** What happened. One posting tells one fact. */
export const facts = [
  'DEPOSIT',
  'CAPTURE',
  'CONVERSION',
  'PAYOUT',
  'REFUND',
  'RETURN',
  'REVERSAL',
  'RESOLUTION',
  'FEE_SWEEP',
  'NETWORK_COST',
  'FUNDING',
  'TRANSFER',
] as const
export type Fact = (typeof facts)[number]

/** Positive is a credit, negative a debit; see accountKinds. */
export type Entry = AccountName & { amount: bigint }

export type NewPosting = {
  organizationId: string
  /** Names the fact for ever: posting it again does nothing. See referenceOf. */
  reference: string
  fact: Fact
  /** They sum to zero in each asset. */
  entries: readonly Entry[]
  /** The reference of the reserve whose money this takes; what it leaves is released. */
  captures?: string
}

/**
 * POSTED and REPLAYED (posted before, with the same content) mean that the fact is in the ledger. The others changed
 * nothing: CONFLICT is the same reference with other content, INSUFFICIENT a customer's account that would fall below
 * what is reserved of it, RESERVE_NOT_OPEN a reserve that is unknown or resolved, RESERVE_MISMATCH a capture of more
 * than was reserved, or of another account.
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
 * RESERVED and REPLAYED mean that the money is set aside. RESOLVED is a reserve that was captured or released since, and
 * CONFLICT the same reference for something else: under neither is anything set aside.
 */
export type ReserveOutcome =
  | { outcome: 'RESERVED' | 'REPLAYED'; reserveId: string }
  | { outcome: 'CONFLICT' | 'INSUFFICIENT' | 'RESOLVED' }

export type ReserveName = { organizationId: string; reference: string }
export type ReleaseOutcome = { outcome: 'RELEASED' | 'REPLAYED' | 'CAPTURED' | 'UNKNOWN' }

/** A wallet of which more can be spent than before: somebody may have waited for that. */
export type IncreasedWallet = {
  organizationId: string
  paymentAccountId: string
  asset: string
  /** The references of what was posted or released on it. */
  causes: readonly string[]
}

export type Balance = { asset: string; posted: bigint; available: bigint }

/** A line of a wallet's statement. */
export type StatementEntry = {
  postingId: string
  asset: string
  /** Counts the entries of this wallet and asset without a gap. */
  sequence: bigint
  amount: bigint
  /** What was posted after this entry. */
  balance: bigint
  fact: Fact
  reference: string
  createdAt: Date
}

/** A line of what was posted about one subject, on whatever account. */
export type SubjectEntry = AccountName & {
  postingId: string
  reference: string
  fact: Fact
  amount: bigint
  createdAt: Date
}

export type Subject = { type: 'transaction' | 'deposit' | 'sweep' | 'operator'; id: string }

/** Everything about one subject has one beginning, so that its postings lie side by side. */
export function referenceOf({ type, id }: Subject, step: string): string {
  return `${type}:${id}:${step}`
}
