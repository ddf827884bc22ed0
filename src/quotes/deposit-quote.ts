import { assetOf, currencyOf, isAsset, scaleOf } from '../catalog/currencies.ts'
import { isPaymentMethod, type PaymentMethod } from '../catalog/payment-methods.ts'
import type { Tx } from '../db/database.ts'
import { newId } from '../lib/ids.ts'
import { formatAmount } from '../lib/money.ts'
import { figuresOf } from './creation.ts'
import { notOffered, priceFor, type QuoteDeps } from './price.ts'
import type { RequestedRoute } from './request.ts'
import * as store from './store.ts'

/** Money that came to an auto fiat account, and what it is to become. */
export type DepositToQuote = {
  organizationId: string
  customerId: string
  source: { paymentAccountId: string; asset: string; method: PaymentMethod; amount: bigint }
  destination: { paymentAccountId: string; currency: string; method: string }
}

/**
 * The quote of a deposit that becomes a transaction by itself: priced now, without a developer fee. Undefined when there
 * is no such route here or the amount is outside its limits; then a person decides about the money.
 */
export async function quoteDeposit(
  deps: QuoteDeps,
  tx: Tx,
  { organizationId, customerId, source, destination }: DepositToQuote,
): Promise<string | undefined> {
  const { asset, method, amount } = source
  const to = assetOf(destination.currency, destination.method)
  if (!to || !isAsset(asset) || !isPaymentMethod(destination.method)) return undefined
  const amountText = formatAmount(amount, scaleOf(asset))
  const route: RequestedRoute = {
    source: { asset, method, amount, amountText },
    destination: { asset: to, method: destination.method },
    developerFee: undefined,
  }
  // Nobody promised this one yet.
  if (notOffered(deps, route)) return undefined
  const priced = priceFor(deps, route, await store.readTier(tx, organizationId))
  const body = {
    source: {
      ...{ sourcePaymentAccountId: source.paymentAccountId, sourcePaymentMethod: method, sourceAmount: amountText },
      sourceCurrency: currencyOf(deps.environment, asset).label,
    },
    destination: {
      ...{ destinationPaymentAccountId: destination.paymentAccountId, destinationPaymentMethod: destination.method },
      destinationCurrency: destination.currency,
    },
  }
  const figures = figuresOf(deps, { ...body, customerId }, priced)
  if (!figures) return undefined
  const quoteId = newId()
  await store.insertDepositQuote(tx, {
    ...{ organizationId, quoteId, customerId, figures },
    source: { ...route.source, paymentAccountId: source.paymentAccountId },
    destination: { ...route.destination, paymentAccountId: destination.paymentAccountId },
    // Nobody has to do anything: the money is here.
    transferInstructions: JSON.stringify({ type: 'fiat', transferPaymentMethod: method, transferMessage: '$MESSAGE' }),
  })
  return quoteId
}
