import { type Asset, type FiatRail, isFiat } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Transitions } from '../../lib/transitions.ts'
import type { CustomerEligibility } from '../screening/eligibility.ts'
import type { SenderMatch } from '../screening/screening.ts'
import type { Transaction, TransactionLabel } from '../transaction.ts'
import type { ShownRecall } from './recalls/recall.ts'

export const depositStatuses = [
  'CREDITED',
  'APPLIED',
  'HELD',
  'UNMATCHED',
  'RETURNING',
  'RETURNED',
  'REVERSED',
] as const
/** ASSIGNED: an unattributed deposit that now belongs to another organization. It is never shown. */
export type DepositStatus = (typeof depositStatuses)[number] | 'ASSIGNED'

/** The statuses of money that waits for a decision, or whose return a reviewer may still decide anew. */
export const undecidedStatuses = ['HELD', 'UNMATCHED', 'RETURNING'] as const satisfies readonly DepositStatus[]

/** Reasons that hold a deposit until an operator decides. Other reasons are not told. */
export const holdReasons = ['SENDER_MISMATCH', 'RECALLED'] as const

/** The moves of a deposit after its creation. Most deposits are created as CREDITED or APPLIED. */
export const depositMoves = {
  credit: { from: ['HELD', 'UNMATCHED'], to: 'CREDITED' },
  apply: { from: ['HELD', 'UNMATCHED'], to: 'APPLIED' },
  /** An operator credits the customer before the return has left. */
  creditInstead: { from: ['RETURNING'], to: 'CREDITED' },
  startReturn: { from: ['HELD', 'UNMATCHED'], to: 'RETURNING' },
  finishReturn: { from: ['RETURNING'], to: 'RETURNED' },
  /** The deposit no longer matches a transaction, or the bank refused the return. */
  leaveToOperator: { from: ['HELD', 'RETURNING'], to: 'UNMATCHED' },
  /** The bank or chain took all of it back. A return on its way ends first. */
  reverse: { from: ['CREDITED', 'APPLIED', 'HELD', 'UNMATCHED', 'RETURNING', 'RETURNED'], to: 'REVERSED' },
  /** The operator found the owner of an unattributed deposit. */
  assign: { from: ['UNMATCHED'], to: 'ASSIGNED' },
} as const satisfies Transitions<DepositStatus>

/** The decisions of an operator about a deposit. */
export const depositResolutions = ['RETURN', 'CREDIT', 'APPLY'] as const

/**
 * True when an operator must decide: the deposit is unmatched, its sender is on a watch list or has another name than
 * expected, or its customer is not eligible. A deposit HELD for an undecided match waits for that review instead.
 */
export function needsDecision(
  { status, isSenderBlocked, isSenderMismatch }: Pick<Deposit, 'status' | 'isSenderBlocked' | 'isSenderMismatch'>,
  customer: CustomerEligibility,
): boolean {
  const isIneligible = customer.status !== 'ACTIVE' || customer.isMatchConfirmed
  return status === 'UNMATCHED' || (status === 'HELD' && (isSenderBlocked || isSenderMismatch || isIneligible))
}

/** A transaction that awaits this amount from a customer who registered the sender's account. */
export type DepositSuggestion = { organizationId: string; customerId: string; transactionId: string }

export type Deposit = {
  organizationId: string
  depositId: string
  method: PaymentMethod
  /** The rail that the bank named, which answers show; null when none was named. It selects nothing. */
  rail: FiatRail | null
  book: string
  externalId: string
  asset: Asset
  amount: string
  /** The holding where it arrived: a bank account of ours, or `CUSTODY`. */
  heldAt: string
  status: DepositStatus
  appliedAmount: string
  /** The part that the bank or chain took back. */
  reversedAmount: string
  /** The part of it that was still in suspense then. */
  coveredAmount: string
  labels: TransactionLabel[]
  version: number
  customerId: string | null
  /** The service wallet or auto fiat account that received it, or the registered account that sent it. */
  paymentAccountId: string | null
  transactionId: string | null
  message: string | null
  address: string | null
  isSenderBlocked: boolean
  /** The sender has another name than the owner of the account that its transaction awaits money from. */
  isSenderMismatch: boolean
  /** Transactions that may await it, if it is UNMATCHED. An operator decides. */
  suggestions: DepositSuggestion[]
  /** The latest request of a bank to give it back. */
  recall: ShownRecall | null
  /** When the bank or chain saw it. */
  seenAt: Date
  createdAt: Date
  updatedAt: Date
}

/** A report of the screening of a deposit's sender, for reviewers. */
export type SenderReport = { depositId: string; isAwaitingList: boolean; matches: readonly SenderMatch[] }

/** The decision about a deposit. APPLY counts `amount` towards the transaction; the excess is returned. */
export type Disposition = { type: 'HOLD' } | Settlement
export type Settlement =
  | { type: 'UNMATCHED' | 'CREDIT' }
  | { type: 'APPLY'; amount: bigint; labels: readonly TransactionLabel[] }
  | { type: 'RETURN'; labels: readonly TransactionLabel[] }

/** The status in which a deposit is created. */
export const firstStatus: Readonly<Record<Disposition['type'], DepositStatus>> = {
  UNMATCHED: 'UNMATCHED',
  HOLD: 'HELD',
  CREDIT: 'CREDITED',
  APPLY: 'APPLIED',
  RETURN: 'RETURNING',
}

/** The place where a deposit arrived. ELSEWHERE: an account or address where a transaction awaits it. */
export type DepositPlace = 'WALLET' | 'DELETED_WALLET' | 'AUTO_ACCOUNT' | 'ELSEWHERE'

export function placeOf(account: { type: string; status: string } | undefined): DepositPlace {
  if (account?.type === 'SVC_CRYPTO_WALLET') return account.status === 'ACTIVE' ? 'WALLET' : 'DELETED_WALLET'
  return account?.type === 'SVC_AUTO_FIAT_ACCOUNT' ? 'AUTO_ACCOUNT' : 'ELSEWHERE'
}

export type DispositionFacts = {
  deposit: Pick<Deposit, 'asset' | 'amount' | 'seenAt'>
  place: DepositPlace
  transaction: Pick<Transaction, 'status' | 'sourceAsset' | 'sourceAmount' | 'receivedAmount' | 'expiresAt'> | undefined
  /** The customer is ACTIVE, neither customer nor sender is blocked, the sender is the expected one, and no bank recalls it. */
  isCleared: boolean
  /** A registered account can take a return. */
  isReturnable: boolean
  /** It arrived at the bank account that serves the source of its transaction. */
  isExpectedHolding: boolean
}

/** Chooses the disposition of a deposit. It never guesses an owner, and returns money only to registered accounts. */
export function chooseDisposition({
  deposit,
  place,
  transaction,
  isCleared,
  isReturnable,
  isExpectedHolding,
}: DispositionFacts): Disposition {
  const isExpected = transaction !== undefined && deposit.asset === transaction.sourceAsset && isExpectedHolding
  if (place === 'DELETED_WALLET' || (place === 'ELSEWHERE' && !isExpected)) return { type: 'UNMATCHED' }
  if (!isCleared) return { type: 'HOLD' }
  if (!transaction || !isExpected) return { type: place === 'WALLET' ? 'CREDIT' : 'UNMATCHED' }
  const amount = BigInt(deposit.amount)
  const missing = BigInt(transaction.sourceAmount) - BigInt(transaction.receivedAmount)
  // A deposit after `expiresAt` is late, even if no worker has expired the transaction yet.
  const isLate = transaction.expiresAt !== null && deposit.seenAt >= transaction.expiresAt
  const isAwaited = transaction.status === 'AWAITING_TRANSFER' && !isLate
  if (isAwaited && missing > 0n) {
    if (amount <= missing) return { type: 'APPLY', amount, labels: [] }
    return { type: 'APPLY', amount: missing, labels: ['OVERPAID'] }
  }
  if (!isReturnable) return { type: 'UNMATCHED' }
  const isExcess = isAwaited || ['PROCESSING', 'COMPLETED'].includes(transaction.status)
  return { type: 'RETURN', labels: [isExcess ? 'OVERPAID' : 'LATE'] }
}

/** The amount that a decision about an undecided deposit moves: what arrived, less what was taken back from suspense. */
export function leftOf({ amount, coveredAmount }: Pick<Deposit, 'amount' | 'coveredAmount'>): bigint {
  return BigInt(amount) - BigInt(coveredAmount)
}

/** Names the wallet that holds deposited tokens until they are collected; null for money at our bank. */
export function holderOf({ asset, transactionId, paymentAccountId }: Deposit): string | null {
  return isFiat(asset) ? null : (transactionId ?? paymentAccountId)
}
