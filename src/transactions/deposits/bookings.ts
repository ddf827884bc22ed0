import { type NewPosting, referenceOf } from '../../ledger/posting.ts'
import * as postings from '../../ledger/postings.ts'
import { type Deposit, type Disposition, leftOf } from './deposit.ts'

type BookedDeposit = Pick<
  Deposit,
  'organizationId' | 'depositId' | 'asset' | 'amount' | 'coveredAmount' | 'heldAt' | 'paymentAccountId'
>

/** Books an arrival to the wallet or transaction that it credits, otherwise to suspense. */
export function arrivalBookings(deposit: BookedDeposit, disposition: Disposition): NewPosting[] {
  const { organizationId, asset, paymentAccountId, heldAt: at } = deposit
  const amount = BigInt(deposit.amount)
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

/** Books a deposit out of suspense. A return stays in suspense until it is confirmed. */
export function resolutionBookings(
  deposit: BookedDeposit,
  to: { wallet: string } | { customer: string } | { appliedAmount: bigint },
): NewPosting[] {
  const { organizationId, asset } = deposit
  const reference = referenceFor(deposit, 'resolution')
  const content =
    'appliedAmount' in to
      ? postings.resolveSuspense({ asset, amount: to.appliedAmount, to: 'CLEARING' })
      : postings.resolveSuspense({ asset, amount: leftOf(deposit), to })
  return [{ organizationId, reference, ...content }]
}

export function referenceFor(
  { depositId }: Pick<Deposit, 'depositId'>,
  step:
    | ('received' | 'excess' | 'resolution' | 'return' | 'return-back')
    // Each reversal has its own reference.
    | `${'reversal' | 'cover' | 'recovery' | 'write-off'}:${string}`,
): string {
  return referenceOf({ type: 'deposit', id: depositId }, step)
}
