import type { Currency } from '../../catalog/currencies.ts'
import { formatAmount } from '../../lib/money.ts'
import { presentExternalId } from '../../lib/resources/own-data.ts'
import type { AnswerFacts, ShownFee } from './new-quote.ts'

/**
 * Writes the answer byte by byte as the first time, also when quotes look different or the catalog has other contracts by
 * now. Without metadata, which must not outlive an erasure: the repeated request brings it along.
 */
export function writeAnswer({ parts, guaranteedUntil, externalId, ...quote }: AnswerFacts): string {
  const { feeCurrency, svcFee, developerFee } = parts.fees
  const feeOf = ({ feeAmount, feeUSDAmount }: ShownFee) => ({ feeAmount, feeUSDAmount })
  return JSON.stringify({
    quoteId: quote.quoteId,
    expiresAt: quote.expiresAt.toISOString(),
    estimatedExchangeRate: quote.exchangeRate,
    destinationAmount: formatAmount(BigInt(quote.destinationAmount), parts.destinationDecimals),
    fees: { feeCurrency: inOrder(feeCurrency), svcFee: feeOf(svcFee), developerFee: feeOf(developerFee) },
    ...(guaranteedUntil ? { guaranteedUntil: guaranteedUntil.toISOString() } : {}),
    ...presentExternalId({ externalId }),
  })
}

/** PostgreSQL stores the fields of JSON in an order of its own. */
function inOrder(currency: Currency): Currency {
  if (!('chain' in currency)) return { label: currency.label }
  const { label, chain, contractAddress, currencyDecimals } = currency
  return { label, chain, contractAddress, currencyDecimals }
}
