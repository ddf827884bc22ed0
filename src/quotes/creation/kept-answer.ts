import { currencyOf } from '../../catalog/currencies.ts'
import type { Metadata } from '../../lib/resources/own-data.ts'
import type { QuoteDeps } from '../price.ts'
import type { PricedRoute, PricingRefusal } from '../pricing.ts'
import type { QuoteBody } from '../request.ts'
import { presentQuote } from '../wire.ts'
import type { CutAnswer } from './new-quote.ts'

/** Cuts the answer where the times belong, which the statement tells. It has no metadata: that must not outlive an erasure. */
export function cutAnswer(
  { environment }: Pick<QuoteDeps, 'environment'>,
  { externalId }: QuoteBody,
  quoteId: string,
  priced: PricedRoute | PricingRefusal,
): CutAnswer | undefined {
  if (!priced.ok) return undefined
  const { derivation } = priced
  const own = externalId === undefined ? {} : { externalId }
  const shown = presentQuote({ quoteId, derivation, ...anyTimes, ...own }, (asset) => currencyOf(environment, asset))
  const text = JSON.stringify(shown)
  const [head, rest] = cutAt(text, anyExpiry)
  const [middle, tail] = cutAt(rest, anyGuarantee)
  return { head: `${head}"expiresAt":"`, middle: `"${middle}`, tail }
}

const anyTimes = { expiresAt: new Date(0), guaranteedUntil: new Date(0) }
const anyExpiry = `"expiresAt":"${anyTimes.expiresAt.toISOString()}"`
const anyGuarantee = `,"guaranteedUntil":"${anyTimes.guaranteedUntil.toISOString()}"`

/** Cuts at the first occurrence, which a field that the caller writes cannot precede. */
function cutAt(text: string, part: string): [string, string] {
  const at = text.indexOf(part)
  return [text.slice(0, at), text.slice(at + part.length)]
}

type Times = { expiresAt: Date; guaranteedUntil: Date | null }

/** Joins the answer as the statement does, and adds the metadata. */
export function joinAnswer(
  { head, middle, tail }: CutAnswer,
  { expiresAt, guaranteedUntil }: Times,
  metadata: Metadata | undefined,
): string {
  const guarantee = guaranteedUntil ? `,"guaranteedUntil":"${guaranteedUntil.toISOString()}"` : ''
  const answer = `${head}${expiresAt.toISOString()}${middle}${guarantee}${tail}`
  return metadata === undefined ? answer : `${answer.slice(0, -1)},"metadata":${JSON.stringify(metadata)}}`
}
