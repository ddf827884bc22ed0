import { assetOf, currencyOf, isAsset, scaleOf } from '../catalog/currencies.ts'
import { isPaymentMethod, type PaymentMethod } from '../catalog/payment-methods.ts'
import type { Tx } from '../db/database.ts'
import { newId } from '../lib/ids.ts'
import { formatAmount } from '../lib/money.ts'
import { figuresOf } from './creation/service.ts'
import { findMethodNotOffered, priceFor, type QuoteDeps } from './price.ts'
import type { RequestedRoute } from './request.ts'
import * as store from './store.ts'
import { valueOfRequest } from './value.ts'

/** A deposit to an auto fiat account, with the account's destination. */
export type DepositToQuote = {
  organizationId: string
  customerId: string
  source: { paymentAccountId: string; asset: string; method: PaymentMethod; amount: bigint }
  destination: { paymentAccountId: string; currency: string; method: string }
}

/**
 * Creates the quote for a deposit to an auto fiat account, at the current price and without a developer fee. Returns
 * undefined if the route is not offered or the amount is outside its limits; an operator then decides about the deposit.
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
  if (findMethodNotOffered(deps, route)) return undefined
  const priced = priceFor(deps, route, await store.readTier(tx, organizationId))
  const body = {
    source: {
      sourcePaymentAccountId: source.paymentAccountId,
      sourcePaymentMethod: method,
      sourceAmount: amountText,
      sourceCurrency: currencyOf(deps.environment, asset).label,
    },
    destination: {
      destinationPaymentAccountId: destination.paymentAccountId,
      destinationPaymentMethod: destination.method,
      destinationCurrency: destination.currency,
    },
  }
  const figures = figuresOf(deps, { ...body, customerId }, priced)
  if (!figures) return undefined
  const quoteId = newId()
  await store.insertDepositQuote(tx, {
    organizationId,
    quoteId,
    customerId,
    figures,
    usdCents: valueOfRequest([priced]),
    source: { ...route.source, paymentAccountId: source.paymentAccountId },
    destination: { ...route.destination, paymentAccountId: destination.paymentAccountId },
    // The customer need not send anything: the deposit has arrived.
    transferInstructions: JSON.stringify({ type: 'fiat', transferPaymentMethod: method, transferMessage: '$MESSAGE' }),
  })
  return quoteId
}
