import type { Transfer } from '../../transactions/timeline/transfer.ts'

export type { Transfer }

/**
 * WAITING for money. COVERED: all of it was seen. OVERDUE: the time to pay is over, and a worker has
 * not ended the transaction yet. The others are statuses of the transaction.
 */
export type PayState =
  | 'WAITING'
  | 'COVERED'
  | 'OVERDUE'
  | 'PROCESSING'
  | 'COMPLETED'
  | 'FAILED'
  | 'CANCELLED'
  | 'EXPIRED'

export function stateOf(transfer: Transfer): PayState {
  const { status, expiresAt, now } = transfer
  if (status === 'CREATED') return 'PROCESSING'
  if (status !== 'AWAITING_TRANSFER') return status
  if (stillDue(transfer) === 0n) return 'COVERED'
  return now < expiresAt ? 'WAITING' : 'OVERDUE'
}

/** The amount that the payer still has to send. Money that is on its way counts, so that no payer sends it twice. */
export function stillDue({ amount, received, seen }: Transfer): bigint {
  const left = BigInt(amount) - BigInt(received) - BigInt(seen)
  return left > 0n ? left : 0n
}

/** An ended transaction has no news for its payer, unless money is on its way back. */
export function isOver({ status, refundStatus }: Transfer): boolean {
  return refundStatus !== 'PENDING' && ['COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED'].includes(status)
}
