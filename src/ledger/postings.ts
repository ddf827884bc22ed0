import { divideRounded, type Rate } from '../lib/money.ts'
import type { AccountKind, AccountName } from './account.ts'
import type { Asset } from './asset.ts'
import type { Entry, Fact, NewPosting } from './posting.ts'

/** What each business fact does to the accounts. Values in, entries out; docs/money.md shows them route by route. */

export type Told = Pick<NewPosting, 'fact' | 'entries'>
type Sum = { asset: Asset; amount: bigint }
type Fees = { svcFee: bigint; developerFee: bigint }

/** Where money outside our books lies: at our bank on a rail, at our own address, at a customer's address. */
export type Holding = { rail: string } | 'TREASURY' | 'CUSTODY'

export function walletOf(paymentAccountId: string, asset: Asset): AccountName {
  return { kind: 'WALLET', holder: paymentAccountId, asset }
}

export function returnedFundsOf(customerId: string, asset: Asset): AccountName {
  return { kind: 'RETURNED_FUNDS', holder: customerId, asset }
}

/** Of the kinds that an organization has one of in each asset. */
export function commonAccount(kind: AccountKind, asset: Asset): AccountName {
  return { kind, holder: '', asset }
}

export function holdingAccount(holding: Holding, asset: Asset): AccountName {
  if (typeof holding === 'string') return commonAccount(holding, asset)
  return { kind: 'BANK', holder: holding.rail, asset }
}

/** Tokens arrived at the address of a service wallet. */
export function depositToWallet({ paymentAccountId, ...sum }: Sum & { paymentAccountId: string }): Told {
  return tell('DEPOSIT', move(sum, holdingAccount('CUSTODY', sum.asset), walletOf(paymentAccountId, sum.asset)))
}

/** Money that a transaction waited for arrived. */
export function depositForTransaction({ at, ...sum }: Sum & { at: Holding }): Told {
  return tell('DEPOSIT', move(sum, holdingAccount(at, sum.asset), clearing(sum)))
}

/** Money arrived, and nobody knows yet whose it is. */
export function unclaimedDeposit({ at, ...sum }: Sum & { at: Holding }): Told {
  return tell('DEPOSIT', move(sum, holdingAccount(at, sum.asset), commonAccount('SUSPENSE', sum.asset)))
}

export type Claim = Holding | 'CLEARING' | { wallet: string } | { customer: string }

/**
 * Somebody decided: it goes back out, to a transaction's clearing, to the wallet at whose address it lies, or to the
 * customer, who can use it for a new quote.
 */
export function resolveUnclaimed({ to, ...sum }: Sum & { to: Claim }): Told {
  return tell('RESOLUTION', move(sum, commonAccount('SUSPENSE', sum.asset), claimAccount(to, sum.asset)))
}

function claimAccount(to: Claim, asset: Asset): AccountName {
  if (to === 'CLEARING') return clearing({ asset })
  if (typeof to === 'object' && 'wallet' in to) return walletOf(to.wallet, asset)
  if (typeof to === 'object' && 'customer' in to) return returnedFundsOf(to.customer, asset)
  return holdingAccount(to, asset)
}

/** A wallet pays for something elsewhere: all of it moves from the customer's address to ours. */
export function captureFromWallet({ paymentAccountId, ...sum }: Sum & { paymentAccountId: string }): Told {
  return tell('CAPTURE', [
    ...move(sum, walletOf(paymentAccountId, sum.asset), clearing(sum)),
    ...move(sum, holdingAccount('TREASURY', sum.asset), holdingAccount('CUSTODY', sum.asset)),
  ])
}

/** Tokens that were sent to an address of a transaction's own move to ours, because something else is paid for them. */
export function collectDeposit(sum: Sum): Told {
  return tell('CAPTURE', move(sum, holdingAccount('TREASURY', sum.asset), holdingAccount('CUSTODY', sum.asset)))
}

/** What a rail gave back is used for a new transaction. */
export function captureReturnedFunds({ customerId, ...sum }: Sum & { customerId: string }): Told {
  return tell('CAPTURE', move(sum, returnedFundsOf(customerId, sum.asset), clearing(sum)))
}

export type Conversion = Fees & {
  source: Sum & { scale: number }
  rate: Rate
  /** floor((source − fees) × rate), as quoted. */
  destination: Sum & { scale: number }
}

/**
 * Fees leave the source. The position takes what the destination costs at the rate, rounded up; rounding gets what is
 * left because the destination was rounded down. Nothing is lost, to the last unit.
 */
export function convert({ source, svcFee, developerFee, rate, destination }: Conversion): Told {
  const net = source.amount - svcFee - developerFee
  const cost = costOf(destination, rate, source.scale)
  if (cost > net) throw new RangeError('A conversion would give more than its rate allows')
  return tell('CONVERSION', [
    { ...clearing(source), amount: -source.amount },
    ...earn(source.asset, { svcFee, developerFee }),
    { ...commonAccount('FX_POSITION', source.asset), amount: cost },
    { ...commonAccount('ROUNDING', source.asset), amount: net - cost },
    ...move(destination, commonAccount('FX_POSITION', destination.asset), clearing(destination)),
  ])
}

/** The rail or the network has confirmed that the money arrived outside. */
export function payout({ at, ...sum }: Sum & { at: Holding }): Told {
  return tell('PAYOUT', move(sum, clearing(sum), holdingAccount(at, sum.asset)))
}

/** The destination is a service wallet: tokens moved from our address to the customer's. */
export function payoutToWallet(to: Sum & { paymentAccountId: string }): Told {
  return tell('PAYOUT', clearingToWallet(to))
}

/**
 * From a wallet to another address of the same network: the net leaves the customer's address, the fees stay there and
 * are ours from now on. `toPaymentAccountId` is given when that address is a service wallet as well.
 */
export function sendFromWallet(
  sent: Sum & Fees & { paymentAccountId: string; toPaymentAccountId?: string | undefined },
): Told {
  const { asset, amount, paymentAccountId, toPaymentAccountId } = sent
  const fees = sent.svcFee + sent.developerFee
  const net = amount - fees
  if (net <= 0n) throw new RangeError('A transfer would consist of fees alone')
  const custody = holdingAccount('CUSTODY', asset)
  return tell('TRANSFER', [
    { ...walletOf(paymentAccountId, asset), amount: -amount },
    ...earn(asset, sent),
    { ...custody, amount },
    { kind: 'UNCOLLECTED_FEES', holder: paymentAccountId, asset, amount: -fees },
    ...(toPaymentAccountId ? move({ asset, amount: net }, custody, walletOf(toPaymentAccountId, asset)) : []),
  ])
}

/** Money of a transaction that came to nothing goes back where it came from. */
export function refund({ to, ...sum }: Sum & { to: Holding }): Told {
  return tell('REFUND', move(sum, clearing(sum), holdingAccount(to, sum.asset)))
}

/** The same, to the service wallet that paid. */
export function refundToWallet(to: Sum & { paymentAccountId: string }): Told {
  return tell('REFUND', clearingToWallet(to))
}

/** The same, when there is nowhere that it could go: kept for the customer. */
export function refundToCustomer({ customerId, ...sum }: Sum & { customerId: string }): Told {
  return tell('REFUND', move(sum, clearing(sum), returnedFundsOf(customerId, sum.asset)))
}

/** A rail gave back a payout that had been confirmed. It stays in the currency in which it came back. */
export function returnPayout({ rail, customerId, ...sum }: Sum & { rail: string; customerId: string }): Told {
  return tell('RETURN', move(sum, holdingAccount({ rail }, sum.asset), returnedFundsOf(customerId, sum.asset)))
}

/** What a rail gave back was paid again, and has arrived. */
export function payReturnedFunds({ rail, customerId, ...sum }: Sum & { rail: string; customerId: string }): Told {
  return tell('PAYOUT', move(sum, returnedFundsOf(customerId, sum.asset), holdingAccount({ rail }, sum.asset)))
}

/** Undoes a conversion whose payout was refused, so that the source can be refunded. History keeps both. */
export function reverse({ entries }: Pick<Told, 'entries'>): Told {
  return tell(
    'REVERSAL',
    entries.map((entry) => ({ ...entry, amount: -entry.amount })),
  )
}

/** Fees that lay at customers' addresses were collected at ours. */
export function sweepFees(asset: Asset, collected: readonly { paymentAccountId: string; amount: bigint }[]): Told {
  return tell(
    'FEE_SWEEP',
    collected.flatMap(({ paymentAccountId, amount }) =>
      move({ asset, amount }, holdingAccount('TREASURY', asset), {
        kind: 'UNCOLLECTED_FEES',
        holder: paymentAccountId,
        asset,
      }),
    ),
  )
}

/** A network took its price for moving tokens, in its own coin. */
export function networkCost(sum: Sum): Told {
  return tell(
    'NETWORK_COST',
    move(sum, commonAccount('NETWORK_COSTS', sum.asset), holdingAccount('TREASURY', sum.asset)),
  )
}

/** The operator puts own money in, to have something to pay out from. */
export function fund({ at, ...sum }: Sum & { at: Holding }): Told {
  return tell('FUNDING', move(sum, holdingAccount(at, sum.asset), commonAccount('OWN_FUNDS', sum.asset)))
}

/** Fees of zero leave no entry. */
function tell(fact: Fact, entries: readonly Entry[]): Told {
  return { fact, entries: entries.filter(({ amount }) => amount !== 0n) }
}

function move({ amount }: Sum, from: AccountName, to: AccountName): Entry[] {
  if (amount <= 0n) throw new RangeError('Only a positive amount can move')
  return [
    { ...from, amount: -amount },
    { ...to, amount },
  ]
}

function clearing({ asset }: { asset: Asset }): AccountName {
  return commonAccount('CLEARING', asset)
}

function clearingToWallet({ paymentAccountId, ...sum }: Sum & { paymentAccountId: string }): Entry[] {
  return [
    ...move(sum, clearing(sum), walletOf(paymentAccountId, sum.asset)),
    ...move(sum, holdingAccount('CUSTODY', sum.asset), holdingAccount('TREASURY', sum.asset)),
  ]
}

function earn(asset: Asset, { svcFee, developerFee }: Fees): Entry[] {
  return [
    { ...commonAccount('FEE_REVENUE', asset), amount: svcFee },
    { ...commonAccount('DEVELOPER_FEES', asset), amount: developerFee },
  ]
}

/** The least of the source that buys this destination at the rate. */
function costOf({ amount, scale }: { amount: bigint; scale: number }, rate: Rate, sourceScale: number): bigint {
  const powerOfTen = (exponent: number) => 10n ** BigInt(exponent)
  return divideRounded(amount * powerOfTen(sourceScale + rate.scale), rate.units * powerOfTen(scale), 'up')
}
