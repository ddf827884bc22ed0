import { currencyOf } from '../../catalog/currencies.ts'
import type { QuoteDeps } from '../price.ts'
import type { PricedRoute, PricingRefusal } from '../pricing.ts'
import type { QuoteBody } from '../request.ts'
import { presentQuote } from '../wire.ts'
import { answerCut } from './store.ts'

/** Cuts the answer to keep where the statement adds its times. It has no metadata: that must not outlive an erasure. */
export function cutAnswer(
  { environment }: Pick<QuoteDeps, 'environment'>,
  { externalId }: QuoteBody,
  quoteId: string,
  priced: PricedRoute | PricingRefusal,
): string | undefined {
  if (!priced.ok) return undefined
  const { derivation } = priced
  const times = { expiresAt: new Date(0), guaranteedUntil: new Date(0) }
  const own = externalId === undefined ? {} : { externalId }
  const shown = presentQuote({ quoteId, derivation, ...times, ...own }, (asset) => currencyOf(environment, asset))
  const [at, until] = [`"expiresAt":"${shown.expiresAt}"`, `,"guaranteedUntil":"${shown.guaranteedUntil}"`]
  const text = JSON.stringify(shown)
  const [head = '', rest = ''] = cutAt(text, at)
  const [middle, tail] = cutAt(rest, until)
  return [`${head}"expiresAt":"`, `"${middle}`, tail].join(answerCut)
}

/** Cuts at the first occurrence, which a field that the caller writes cannot precede. */
function cutAt(text: string, part: string): [string, string] {
  const at = text.indexOf(part)
  return [text.slice(0, at), text.slice(at + part.length)]
}
