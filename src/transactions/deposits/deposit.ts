import { type Asset, isFiat } from '../../catalog/currencies.ts'
import type { PaymentMethod } from '../../catalog/payment-methods.ts'
import type { Transitions } from '../../lib/transitions.ts'
import type { CustomerEligibility } from '../screening/eligibility.ts'
import type { Transaction, TransactionLabel } from '../transaction.ts'

export const depositStatuses = ['CREDITED', 'APPLIED', 'HELD', 'UNMATCHED', 'RETURNING', 'RETURNED'] as const
/** ASSIGNED was nobody's, and is another organization's now: nobody is shown one. */
export type DepositStatus = (typeof depositStatuses)[number] | 'ASSIGNED'

/** What can become of a deposit after its first day. Most are CREDITED or APPLIED from the beginning. */
export const depositMoves = {
  credit: { from: ['HELD', 'UNMATCHED'], to: 'CREDITED' },
  apply: { from: ['HELD', 'UNMATCHED'], to: 'APPLIED' },
  /** A person kept it for the customer before anything had left. */
  creditInstead: { from: ['RETURNING'], to: 'CREDITED' },
  oweReturn: { from: ['HELD', 'UNMATCHED'], to: 'RETURNING' },
  returned: { from: ['RETURNING'], to: 'RETURNED' },
  /** Nobody can tell any more whose it is, or the bank would not take it back. */
  leaveToReviewer: { from: ['HELD', 'RETURNING'], to: 'UNMATCHED' },
  /** Nobody's; the operator found out whose it is. */
  assign: { from: ['UNMATCHED'], to: 'ASSIGNED' },
} as const satisfies Transitions<DepositStatus>

/** What a person can decide. */
export const resolutions = ['RETURN', 'CREDIT', 'APPLY'] as const

/**
 * Nobody can tell whose it is; its sender is on a list; or its customer may not have it now. What is HELD because of a hit
 * that nobody has decided about goes on, or waits on, with that decision.
 */
export function needsDecision(
  { status, isSenderBlocked }: Pick<Deposit, 'status' | 'isSenderBlocked'>,
  customer: CustomerEligibility,
): boolean {
  const isKept = customer.status !== 'ACTIVE' || customer.isMatchConfirmed
  return status === 'UNMATCHED' || (status === 'HELD' && (isSenderBlocked || isKept))
}

/** Money as a bank or chain saw it arrive, once. The amount is in smallest units. */
export type Sighting = {
  method: PaymentMethod
  /** Whose names these are: an account at a bank. Empty where a name is unique by itself, as on a chain. */
  book: string
  /** The bank's or chain's own name of it. */
  externalId: string
  asset: Asset
  amount: string
  message: string | null
  address: string | null
  virtualAccountId: string | null
  senderAccountId: string | null
  isSenderBlocked: boolean
  seenAt: Date
}

export type Deposit = {
  organizationId: string
  depositId: string
  method: PaymentMethod
  book: string
  externalId: string
  asset: Asset
  amount: string
  status: DepositStatus
  appliedAmount: string
  labels: TransactionLabel[]
  version: number
  customerId: string | null
  /** The service wallet or auto fiat account that it came to, or the registered account that it came from. */
  paymentAccountId: string | null
  transactionId: string | null
  message: string | null
  address: string | null
  isSenderBlocked: boolean
  seenAt: Date
  createdAt: Date
  updatedAt: Date
}

/** Where a deposit goes. APPLY counts so much of it towards the transaction; what is too much goes back. */
export type Disposition = { type: 'HOLD' } | Settlement
export type Settlement =
  | { type: 'UNMATCHED' | 'CREDIT' }
  | { type: 'APPLY'; amount: bigint; labels: readonly TransactionLabel[] }
  | { type: 'RETURN'; labels: readonly TransactionLabel[] }

/** Where it came to: the address of a service wallet, an auto fiat account, or where a transaction waits for it. */
export type Place = 'WALLET' | 'AUTO_ACCOUNT' | 'ELSEWHERE'

export type DispositionFacts = {
  deposit: Pick<Deposit, 'asset' | 'amount' | 'seenAt'>
  place: Place
  transaction: Pick<Transaction, 'status' | 'sourceAsset' | 'sourceAmount' | 'receivedAmount' | 'expiresAt'> | undefined
  /** The customer is ACTIVE, and neither customer nor sender is on a list. */
  isCleared: boolean
  /** There is a registered account that it can go back to. */
  isReturnable: boolean
}

/** The policy: nothing is lost, nothing is guessed, and nothing goes back to anybody but a registered account. */
export function chooseDisposition({
  deposit,
  place,
  transaction,
  isCleared,
  isReturnable,
}: DispositionFacts): Disposition {
  const isRight = transaction !== undefined && deposit.asset === transaction.sourceAsset
  if (place === 'ELSEWHERE' && !isRight) return { type: 'UNMATCHED' }
  if (!isCleared) return { type: 'HOLD' }
  if (!transaction || !isRight) return { type: place === 'WALLET' ? 'CREDIT' : 'UNMATCHED' }
  const amount = BigInt(deposit.amount)
  const missing = BigInt(transaction.sourceAmount) - BigInt(transaction.receivedAmount)
  // Nobody may have looked yet whether the time is over: a price is promised until then, and not until somebody looks.
  const isLate = transaction.expiresAt !== null && deposit.seenAt >= transaction.expiresAt
  const isAwaited = transaction.status === 'AWAITING_TRANSFER' && !isLate
  if (isAwaited && missing > 0n) {
    if (amount <= missing) return { type: 'APPLY', amount, labels: [] }
    return { type: 'APPLY', amount: missing, labels: ['OVERPAID'] }
  }
  if (!isReturnable) return { type: 'UNMATCHED' }
  const isTooMuch = isAwaited || ['PROCESSING', 'COMPLETED'].includes(transaction.status)
  return { type: 'RETURN', labels: [isTooMuch ? 'OVERPAID' : 'LATE'] }
}

/** Tokens lie where they were sent to until they are collected; money of a bank is at our own account. */
export function holderOf({ asset, transactionId, paymentAccountId }: Deposit): string | null {
  return isFiat(asset) ? null : (transactionId ?? paymentAccountId)
}
