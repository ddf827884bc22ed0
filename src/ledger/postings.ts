import { divideRounded, type Rate } from '../lib/money.ts'
import type { AccountKind, AccountName, Asset } from './account.ts'
import type { Entry, Fact, NewPosting } from './posting.ts'

/** Maps each business fact to its entries. docs/money.md shows them route by route. */

export type PostingContent = Pick<NewPosting, 'fact' | 'entries'>
export type AssetAmount = { asset: Asset; amount: bigint }
type Fees = { svcFee: bigint; developerFee: bigint }

/** Where money is held: the id of a bank account of ours, `TREASURY` (our own address) or `CUSTODY` (a customer's). */
export type Holding = string

export function walletOf(paymentAccountId: string, asset: Asset): AccountName {
  return { kind: 'WALLET', holder: paymentAccountId, asset }
}

export function returnedFundsOf(customerId: string, asset: Asset): AccountName {
  return { kind: 'RETURNED_FUNDS', holder: customerId, asset }
}

/** Names an account of a kind that an organization has once per asset. */
export function organizationAccount(kind: AccountKind, asset: Asset): AccountName {
  return { kind, holder: '', asset }
}

export function holdingAccount(holding: Holding, asset: Asset): AccountName {
  if (holding === 'TREASURY' || holding === 'CUSTODY') return organizationAccount(holding, asset)
  return { kind: 'BANK', holder: holding, asset }
}

/** Posts tokens that arrived at the address of a service wallet. */
export function depositToWallet({
  paymentAccountId,
  ...sum
}: AssetAmount & { paymentAccountId: string }): PostingContent {
  return contentOf('DEPOSIT', move(sum, holdingAccount('CUSTODY', sum.asset), walletOf(paymentAccountId, sum.asset)))
}

/** Posts the arrival of money that a transaction awaits. */
export function depositForTransaction({ at, ...sum }: AssetAmount & { at: Holding }): PostingContent {
  return contentOf('DEPOSIT', move(sum, holdingAccount(at, sum.asset), clearing(sum)))
}

/** Posts the arrival of money that is unattributed, held, or to be returned to its sender. */
export function depositToSuspense({ at, ...sum }: AssetAmount & { at: Holding }): PostingContent {
  return contentOf('DEPOSIT', move(sum, holdingAccount(at, sum.asset), organizationAccount('SUSPENSE', sum.asset)))
}

export type SuspenseTarget = { holding: Holding } | { wallet: string } | { customer: string } | 'CLEARING'

/**
 * Moves money out of suspense: back to its sender, to a transaction's clearing, to the wallet at whose address it lies,
 * or to the customer's returned funds.
 */
export function resolveSuspense({ to, ...sum }: AssetAmount & { to: SuspenseTarget }): PostingContent {
  return contentOf('RESOLUTION', move(sum, organizationAccount('SUSPENSE', sum.asset), targetAccount(to, sum.asset)))
}

function targetAccount(to: SuspenseTarget, asset: Asset): AccountName {
  if (to === 'CLEARING') return clearing({ asset })
  if ('wallet' in to) return walletOf(to.wallet, asset)
  if ('customer' in to) return returnedFundsOf(to.customer, asset)
  return holdingAccount(to.holding, asset)
}

/** Takes a wallet's money for a conversion. The tokens stay at the customer's address until they are collected. */
export function captureFromWallet({
  paymentAccountId,
  ...sum
}: AssetAmount & { paymentAccountId: string }): PostingContent {
  return contentOf('CAPTURE', move(sum, walletOf(paymentAccountId, sum.asset), clearing(sum)))
}

/** Posts tokens that were collected: they have left the customer's address, and arrived at ours. */
export function collect(sum: AssetAmount): PostingContent {
  return contentOf('COLLECTION', move(sum, holdingAccount('TREASURY', sum.asset), holdingAccount('CUSTODY', sum.asset)))
}

/** Uses a customer's returned funds for a new transaction. */
export function captureReturnedFunds({ customerId, ...sum }: AssetAmount & { customerId: string }): PostingContent {
  return contentOf('CAPTURE', move(sum, returnedFundsOf(customerId, sum.asset), clearing(sum)))
}

export type Conversion = Fees & {
  source: AssetAmount & { scale: number }
  rate: Rate
  /** floor((source − fees) × rate), as quoted. */
  destination: AssetAmount & { scale: number }
}

/**
 * Converts the source less fees. The FX position takes the cost of the destination at the rate, rounded up. The
 * rounding account takes the remainder, so no unit is lost.
 */
export function convert({ source, svcFee, developerFee, rate, destination }: Conversion): PostingContent {
  const net = source.amount - svcFee - developerFee
  const cost = costOf(destination, rate, source.scale)
  if (cost > net) throw new RangeError('a conversion gives more than its rate allows')
  return contentOf('CONVERSION', [
    { ...clearing(source), amount: -source.amount },
    ...earnFees(source.asset, { svcFee, developerFee }),
    { ...organizationAccount('FX_POSITION', source.asset), amount: cost },
    { ...organizationAccount('ROUNDING', source.asset), amount: net - cost },
    ...move(destination, organizationAccount('FX_POSITION', destination.asset), clearing(destination)),
  ])
}

/** Posts a payout that the rail or network has confirmed. */
export function payout({ at, ...sum }: AssetAmount & { at: Holding }): PostingContent {
  return contentOf('PAYOUT', move(sum, clearing(sum), holdingAccount(at, sum.asset)))
}

/** Posts a payout to a service wallet: tokens move from our address to the customer's. */
export function payoutToWallet({
  paymentAccountId,
  ...sum
}: AssetAmount & { paymentAccountId: string }): PostingContent {
  return contentOf('PAYOUT', [
    ...move(sum, clearing(sum), walletOf(paymentAccountId, sum.asset)),
    ...move(sum, holdingAccount('CUSTODY', sum.asset), holdingAccount('TREASURY', sum.asset)),
  ])
}

/**
 * Sends from a wallet to another address of the same network: the net leaves the customer's address; the fees stay
 * there as uncollected fees. `toPaymentAccountId` is given when the receiver is a service wallet as well.
 */
export function sendFromWallet(
  sent: AssetAmount & Fees & { paymentAccountId: string; toPaymentAccountId?: string | undefined },
): PostingContent {
  const { asset, amount, paymentAccountId, toPaymentAccountId } = sent
  const fees = sent.svcFee + sent.developerFee
  const net = amount - fees
  if (net <= 0n) throw new RangeError('a transfer consists of fees alone')
  const custody = holdingAccount('CUSTODY', asset)
  return contentOf('TRANSFER', [
    { ...walletOf(paymentAccountId, asset), amount: -amount },
    ...earnFees(asset, sent),
    { ...custody, amount },
    ...uncollectedFees(paymentAccountId, asset, { svcFee: -sent.svcFee, developerFee: -sent.developerFee }),
    ...(toPaymentAccountId ? move({ asset, amount: net }, custody, walletOf(toPaymentAccountId, asset)) : []),
  ])
}

/** Refunds a failed transaction from the holding that pays. */
export function refund({ at, ...sum }: AssetAmount & { at: Holding }): PostingContent {
  return contentOf('REFUND', move(sum, clearing(sum), holdingAccount(at, sum.asset)))
}

/** Refunds a failed transaction to the service wallet that paid, at whose address the tokens still lie. */
export function refundToWallet({
  paymentAccountId,
  ...sum
}: AssetAmount & { paymentAccountId: string }): PostingContent {
  return contentOf('REFUND', move(sum, clearing(sum), walletOf(paymentAccountId, sum.asset)))
}

/** Keeps a refund that no account can take among the customer's returned funds. */
export function refundToCustomer({ customerId, ...sum }: AssetAmount & { customerId: string }): PostingContent {
  return contentOf('REFUND', move(sum, clearing(sum), returnedFundsOf(customerId, sum.asset)))
}

/** Posts the return of a confirmed payout, in the currency in which the rail returned it: to its customer, or to fees. */
export function returnPayout({
  at,
  to,
  ...sum
}: AssetAmount & { at: Holding; to: { customerId: string } | 'DEVELOPER_FEES' }): PostingContent {
  const owner = to === 'DEVELOPER_FEES' ? organizationAccount(to, sum.asset) : returnedFundsOf(to.customerId, sum.asset)
  return contentOf('RETURN', move(sum, holdingAccount(at, sum.asset), owner))
}

/** Moves developer fees to the customer that stands for the organization: a payout of them is reserved there. */
export function payDeveloperFees({ customerId, ...sum }: AssetAmount & { customerId: string }): PostingContent {
  const fees = organizationAccount('DEVELOPER_FEES', sum.asset)
  return contentOf('FEE_PAYOUT', move(sum, fees, returnedFundsOf(customerId, sum.asset)))
}

/** Posts a confirmed repayment or disbursement of returned funds. */
export function payReturnedFunds({
  at,
  customerId,
  ...sum
}: AssetAmount & { at: Holding; customerId: string }): PostingContent {
  return contentOf('PAYOUT', move(sum, returnedFundsOf(customerId, sum.asset), holdingAccount(at, sum.asset)))
}

/** Posts a confirmed disbursement of a wallet's balance: tokens leave the customer's address. */
export function disburseWallet({
  paymentAccountId,
  ...sum
}: AssetAmount & { paymentAccountId: string }): PostingContent {
  return contentOf('PAYOUT', move(sum, walletOf(paymentAccountId, sum.asset), holdingAccount('CUSTODY', sum.asset)))
}

/**
 * Reverses a conversion whose payout was refused, so that the source can be refunded. The ledger keeps both postings.
 */
export function reverse({ entries }: Pick<PostingContent, 'entries'>): PostingContent {
  return contentOf(
    'REVERSAL',
    entries.map((entry) => ({ ...entry, amount: -entry.amount })),
  )
}

/** Posts fees that were swept: they have left the address of a customer's wallet, and arrived at ours. */
export function sweepFees({
  paymentAccountId,
  asset,
  ...fees
}: Fees & { paymentAccountId: string; asset: Asset }): PostingContent {
  const swept = fees.svcFee + fees.developerFee
  if (swept <= 0n) throw new RangeError('a sweep moves nothing')
  const uncollected = uncollectedFees(paymentAccountId, asset, fees)
  return contentOf('FEE_SWEEP', [{ ...holdingAccount('TREASURY', asset), amount: -swept }, ...uncollected])
}

/** Posts what a bank or network charged for a payment: a bank in its currency, a network in its own coin. */
export function networkCost({ at, ...sum }: AssetAmount & { at: Holding }): PostingContent {
  return contentOf(
    'NETWORK_COST',
    move(sum, organizationAccount('NETWORK_COSTS', sum.asset), holdingAccount(at, sum.asset)),
  )
}

/** Posts the refund of such a charge. */
export function refundNetworkCost({ at, ...sum }: AssetAmount & { at: Holding }): PostingContent {
  return contentOf(
    'NETWORK_COST',
    move(sum, holdingAccount(at, sum.asset), organizationAccount('NETWORK_COSTS', sum.asset)),
  )
}

/** Posts own money that the operator adds for payouts. */
export function fund({ at, ...sum }: AssetAmount & { at: Holding }): PostingContent {
  return contentOf('FUNDING', move(sum, holdingAccount(at, sum.asset), organizationAccount('OWN_FUNDS', sum.asset)))
}

/** Posts own money that the operator takes out. */
export function withdraw({ at, ...sum }: AssetAmount & { at: Holding }): PostingContent {
  return contentOf('WITHDRAWAL', move(sum, organizationAccount('OWN_FUNDS', sum.asset), holdingAccount(at, sum.asset)))
}

/**
 * Posts own money that the operator moves between two holdings. The part that does not arrive is a cost. Two assets of
 * one currency pass through the FX position, one for one.
 */
export function rebalance(from: AssetAmount & { at: Holding }, to: AssetAmount & { at: Holding }): PostingContent {
  const cost = from.amount - to.amount
  if (cost < 0n || to.amount <= 0n) throw new RangeError('what arrives is between one unit and what has left')
  const passed = from.asset === to.asset ? 0n : to.amount
  return contentOf('REBALANCE', [
    { ...holdingAccount(from.at, from.asset), amount: from.amount },
    { ...organizationAccount('NETWORK_COSTS', from.asset), amount: -cost },
    { ...organizationAccount('FX_POSITION', from.asset), amount: -passed },
    { ...organizationAccount('FX_POSITION', to.asset), amount: passed },
    { ...holdingAccount(to.at, to.asset), amount: -to.amount },
  ])
}

/** Leaves out entries of zero, such as absent fees. */
export function contentOf(fact: Fact, entries: readonly Entry[]): PostingContent {
  return { fact, entries: entries.filter(({ amount }) => amount !== 0n) }
}

export function move({ amount }: AssetAmount, from: AccountName, to: AccountName): Entry[] {
  if (amount <= 0n) throw new RangeError('only a positive amount can move')
  return [
    { ...from, amount: -amount },
    { ...to, amount },
  ]
}

function clearing({ asset }: { asset: Asset }): AccountName {
  return organizationAccount('CLEARING', asset)
}

function earnFees(asset: Asset, { svcFee, developerFee }: Fees): Entry[] {
  return [
    { ...organizationAccount('FEE_REVENUE', asset), amount: svcFee },
    { ...organizationAccount('DEVELOPER_FEES', asset), amount: developerFee },
  ]
}

function uncollectedFees(holder: string, asset: Asset, { svcFee, developerFee }: Fees): Entry[] {
  return [
    { kind: 'UNCOLLECTED_FEES', holder, asset, amount: svcFee },
    { kind: 'UNCOLLECTED_DEVELOPER_FEES', holder, asset, amount: developerFee },
  ]
}

/** Computes the least source amount that buys this destination at the rate. */
function costOf({ amount, scale }: { amount: bigint; scale: number }, rate: Rate, sourceScale: number): bigint {
  const powerOfTen = (exponent: number) => 10n ** BigInt(exponent)
  return divideRounded(amount * powerOfTen(sourceScale + rate.scale), rate.units * powerOfTen(scale), 'up')
}
