import { isFiat, labelOf } from '../catalog/currencies.ts'
import { isUuid } from '../lib/ids.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import { misfitsOf, type RoutedAccount } from '../payment-accounts/account-fit.ts'
import type { QuoteBody, RequestedRoute } from './request.ts'

type RouteAccount = RoutedAccount & { status: string }

/** The customer and accounts of a quote, as found; null where missing. */
export type QuoteParties = {
  customerStatus: string | null
  source: RouteAccount | null
  destination: RouteAccount | null
}

export type QuotePartyIds = { customerId: string; from: string; to: string }

/** Writes the ids in lower case, as the database stores them. */
export function lowerCaseIds(body: QuoteBody): QuoteBody {
  const { source, destination } = body
  const sourcePaymentAccountId = source.sourcePaymentAccountId.toLowerCase()
  const destinationPaymentAccountId = destination.destinationPaymentAccountId.toLowerCase()
  return {
    ...body,
    customerId: body.customerId.toLowerCase(),
    source: { ...source, sourcePaymentAccountId },
    destination: { ...destination, destinationPaymentAccountId },
  }
}

/** Reads the three ids of a body that need not be valid; undefined if one of them is not a UUID. */
export function quotePartyIdsOf({ customerId, source, destination }: Partial<QuoteBody>): QuotePartyIds | undefined {
  const ids = [customerId, source?.sourcePaymentAccountId, destination?.destinationPaymentAccountId]
  const [customer, from, to] = ids.filter((id) => typeof id === 'string' && isUuid(id))
  return to === undefined ? undefined : ({ customerId: customer, from, to } as QuotePartyIds)
}

/** Refuses missing parties first (404), then a customer and accounts that are not ACTIVE. */
export function requireActiveParties({ customerStatus, source, destination }: QuoteParties): {
  source: RouteAccount
  destination: RouteAccount
} {
  if (!customerStatus || !source || !destination) throw notFound()
  if (customerStatus !== 'ACTIVE') {
    throw new Refusal('CUSTOMER_NOT_ACTIVE', `The customer is ${customerStatus}, and must be ACTIVE`)
  }
  for (const [side, { status }] of Object.entries({ source, destination })) {
    if (status !== 'ACTIVE') {
      throw new Refusal('CONFLICT', `The ${side} payment account is ${status}, and must be ACTIVE`)
    }
  }
  return { source, destination }
}

/**
 * Refuses parties that cannot have this quote. `insertQuotes` applies the same conditions, and stores no such quote.
 */
export function requireQuoteParties(
  outcome: QuoteParties & { allowedMethods: string[] | null },
  route: RequestedRoute,
  quote: Record<'source' | 'destination', { paymentAccountId: string }>,
): void {
  const { source, destination } = requireActiveParties(outcome)
  for (const [side, account, leg] of [
    ['source', source, route.source],
    ['destination', destination, route.destination],
  ] as const) {
    if (account.paymentAccountType === 'RETURNED_FUNDS' && !isFiat(account.currency ?? '')) {
      throw new Refusal('UNSUPPORTED_ROUTE', 'Tokens among the returned funds are paid out by a disbursement')
    }
    const misfits = misfitsOf(account, { currency: labelOf(leg.asset), paymentMethod: leg.method })
    if (misfits.includes('account'))
      throw new Refusal('UNSUPPORTED_ROUTE', `An auto fiat account cannot be the ${side} of a quote`)
    if (misfits.includes('currency'))
      throw badField(`${side}.${side}Currency`, 'must be a currency of the payment account')
    if (misfits.includes('method'))
      throw badField(`${side}.${side}PaymentMethod`, 'must be a payment method of the payment account')
    if (!outcome.allowedMethods?.includes(leg.method)) {
      throw new Refusal('PAYMENT_METHOD_NOT_AVAILABLE', `The customer may not use ${leg.method}`)
    }
  }
  if (quote.source.paymentAccountId === quote.destination.paymentAccountId) {
    throw new Refusal('UNSUPPORTED_ROUTE', 'The source and destination must be different payment accounts')
  }
}
