import { isFiat } from '../../catalog/currencies.ts'
import { type NewPosting, referenceOf } from '../../ledger/posting.ts'
import * as postings from '../../ledger/postings.ts'
import type { Deposit, Disposition } from './deposit.ts'

type Booked = Pick<Deposit, 'organizationId' | 'depositId' | 'asset' | 'amount' | 'method' | 'paymentAccountId'>

/** Money has come: to whom it is for, or, as far as nobody knows or it goes back, to suspense. */
export function arrivalBookings(deposit: Booked, disposition: Disposition): NewPosting[] {
  const { organizationId, asset, paymentAccountId } = deposit
  const amount = BigInt(deposit.amount)
  const at = seenAtOf(deposit)
  const received = { organizationId, reference: referenceFor(deposit, 'received') }
  if (disposition.type === 'CREDIT' && paymentAccountId) {
    return [{ ...received, ...postings.depositToWallet({ asset, amount, paymentAccountId }) }]
  }
  if (disposition.type !== 'APPLY') return [{ ...received, ...postings.depositToSuspense({ asset, amount, at }) }]
  const applied = { ...received, ...postings.depositForTransaction({ asset, amount: disposition.amount, at }) }
  const excess = amount - disposition.amount
  if (excess === 0n) return [applied]
  const reference = referenceFor(deposit, 'excess')
  return [applied, { organizationId, reference, ...postings.depositToSuspense({ asset, amount: excess, at }) }]
}

/** Where money that came lies: at our bank, or at the address that it came to. */
export function seenAtOf({ asset, method }: Pick<Deposit, 'asset' | 'method'>): postings.Holding {
  return isFiat(asset) ? { rail: method } : 'CUSTODY'
}

/** Out of suspense, once it is known whose it is. What goes back stays there until it has arrived. */
export function resolutionBookings(
  deposit: Booked,
  to: { wallet: string } | { customer: string } | { appliedAmount: bigint },
): NewPosting[] {
  const { organizationId, asset } = deposit
  const reference = referenceFor(deposit, 'resolution')
  const told =
    'appliedAmount' in to
      ? postings.resolveSuspense({ asset, amount: to.appliedAmount, to: 'CLEARING' })
      : postings.resolveSuspense({ asset, amount: BigInt(deposit.amount), to })
  return [{ organizationId, reference, ...told }]
}

export function referenceFor(
  { depositId }: Pick<Deposit, 'depositId'>,
  step: 'received' | 'excess' | 'resolution' | 'return' | 'return-back',
): string {
  return referenceOf({ type: 'deposit', id: depositId }, step)
}
