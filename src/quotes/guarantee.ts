import { labelOf } from '../catalog/currencies.ts'
import { formatAmount } from '../lib/money.ts'
import { Refusal } from '../lib/refusal.ts'
import type { PricedRoute, PricingRefusal } from './pricing.ts'
import type { Derivation } from './quote.ts'
import { isSameCurrency } from './rates/rates.ts'
import { valueInCents } from './value.ts'

/** The limits of guarantees in this deployment, in whole dollars. The limits of an organization replace each. */
export type GuaranteeLimits = { perTransactionUsd: number; perOrganizationUsd: number; windowSeconds: number }

/**
 * A guarantee to store, with the limits that apply unless the organization has its own. Amounts are in cents. Without
 * an amount it carries no price risk, and has no limits.
 */
export type NewGuarantee = {
  usdCents: string | null
  perTransaction: string
  perOrganization: string
  windowSeconds: number
}

/** Describes the guarantee of a request. Undefined when no tier has a price: no quote is stored. */
export function guaranteeOf(
  limits: GuaranteeLimits,
  prices: Iterable<PricedRoute | PricingRefusal>,
): NewGuarantee | undefined {
  const priced = [...prices].find((each) => each.ok)
  if (!priced) return undefined
  return {
    usdCents: exposureOf(priced.derivation)?.toString() ?? null,
    perTransaction: String(BigInt(limits.perTransactionUsd) * 100n),
    perOrganization: String(BigInt(limits.perOrganizationUsd) * 100n),
    windowSeconds: limits.windowSeconds,
  }
}

/** Values the source amount in cents; undefined within one currency, where the price does not move. */
function exposureOf(derivation: Derivation): bigint | undefined {
  const { source, destination } = derivation
  if (isSameCurrency(labelOf(source.asset), labelOf(destination.asset))) return undefined
  return valueInCents(derivation)
}

/** Refuses a guaranteed quote that is worth more than the limit of one transaction, in cents. */
export function aboveGuarantee(usdCents: string, maximum: string): Refusal {
  const [worth, limit] = [usdCents, maximum].map((cents) => `${formatAmount(BigInt(cents), 2)} USD`)
  const message = `must be worth at most ${limit} with guaranteeQuote; this is worth ${worth}`
  const field = 'source.sourceAmount'
  return new Refusal('AMOUNT_ABOVE_MAXIMUM', `${field} ${message}`, { details: [{ field, message }] })
}
