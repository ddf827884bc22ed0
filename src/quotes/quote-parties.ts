import { isUuid } from '../lib/ids.ts'
import { badField, notFound, Refusal } from '../lib/refusal.ts'
import { misfitOf, type RouteAccount } from './account-fit.ts'
import type { QuoteBody, RequestedRoute } from './request.ts'

/** What was found of those a quote is for. */
export type QuoteParties = {
  customerStatus: string | null
  source: RouteAccount | null
  destination: RouteAccount | null
}

export type QuotePartyIds = { customerId: string; from: string; to: string }

/** An id is the same in capitals, to the database and so to us. */
export function inOneCase(body: QuoteBody): QuoteBody {
  const { source, destination } = body
  const sourcePaymentAccountId = source.sourcePaymentAccountId.toLowerCase()
  const destinationPaymentAccountId = destination.destinationPaymentAccountId.toLowerCase()
  return {
    ...{ ...body, customerId: body.customerId.toLowerCase() },
    source: { ...source, sourcePaymentAccountId },
    destination: { ...destination, destinationPaymentAccountId },
  }
}

/** Whom a quote is for, as far as the body can be read; undefined when one of the three ids is none. */
export function quotePartyIdsOf({ customerId, source, destination }: Partial<QuoteBody>): QuotePartyIds | undefined {
  const ids = [customerId, source?.sourcePaymentAccountId, destination?.destinationPaymentAccountId]
  const [customer, from, to] = ids.filter((id) => typeof id === 'string' && isUuid(id))
  return to === undefined ? undefined : ({ customerId: customer, from, to } as QuotePartyIds)
}

/** 404 and states, in their order. */
export function requireUsable({ customerStatus, source, destination }: QuoteParties): {
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

/** The refusals about whom a quote is for, in their order. The statement has stored nothing if one of them applies. */
export function requireQuoteParties(
  outcome: QuoteParties & { allowedMethods: string[] | null },
  route: RequestedRoute,
  quote: Record<'source' | 'destination', { paymentAccountId: string }>,
): void {
  const { source, destination } = requireUsable(outcome)
  for (const [side, account, part] of [
    ['source', source, route.source],
    ['destination', destination, route.destination],
  ] as const) {
    const misfit = misfitOf(account, part.asset, part.method)
    if (misfit === 'account')
      throw new Refusal('UNSUPPORTED_ROUTE', `An auto fiat account cannot be the ${side} of a quote`)
    if (misfit === 'currency') throw badField(`${side}.${side}Currency`, 'is not a currency of that payment account')
    if (misfit === 'method') throw badField(`${side}.${side}PaymentMethod`, 'does not reach that payment account')
    if (!outcome.allowedMethods?.includes(part.method)) {
      throw new Refusal('PAYMENT_METHOD_NOT_AVAILABLE', `The customer may not use ${part.method}`)
    }
  }
  if (quote.source.paymentAccountId === quote.destination.paymentAccountId) {
    throw new Refusal('UNSUPPORTED_ROUTE', 'The source and the destination are the same payment account')
  }
}
