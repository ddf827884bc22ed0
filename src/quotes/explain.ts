import { type Asset, scaleOf } from '../catalog/currencies.ts'
import { formatAmount } from '../lib/money.ts'
import type { Derivation } from './quote.ts'

export type ExplainLine = { label: string; amount: string; asset: Asset; detail: string }

export type ExplainedGuarantee = { isGuaranteed: boolean; guaranteedUntil: Date | null }

/** Lists a quote as a bill. The lines in the source currency sum to zero; the last line is the destination amount. */
export function explainLines(derivation: Derivation, guarantee?: ExplainedGuarantee): ExplainLine[] {
  const { source, destination, svcFee, developerFee, converted, exchangeRate } = derivation
  const line = (label: string, units: bigint, asset: Asset, detail: string): ExplainLine => {
    return { label, amount: formatAmount(units, scaleOf(asset)), asset, detail }
  }
  const minimum = svcFee.minimumUsd === '0' ? '' : `, at least ${svcFee.minimumUsd} USD`
  return [
    line('Source amount', BigInt(source.amount), source.asset, `sent by ${source.method}`),
    line(
      'svcFee',
      -BigInt(svcFee.amount),
      source.asset,
      `${svcFee.basisPoints} basis points (${svcFee.rule})${minimum}, rounded up`,
    ),
    line('developerFee', -BigInt(developerFee.amount), source.asset, describeDeveloperFee(derivation)),
    line('Converted', -BigInt(converted), source.asset, 'the source amount less fees'),
    ...(guarantee?.isGuaranteed ? [line('guaranteeQuote', 0n, source.asset, describeGuarantee(guarantee))] : []),
    line(
      'Destination amount',
      BigInt(destination.amount),
      destination.asset,
      `converted × ${exchangeRate}, rounded down; arrives by ${destination.method}`,
    ),
  ]
}

function describeGuarantee({ guaranteedUntil }: ExplainedGuarantee): string {
  if (!guaranteedUntil) return 'fixed: the source account holds the funds'
  return `fixed for funds that arrive before ${guaranteedUntil.toISOString()}; later funds are refunded`
}

function describeDeveloperFee({ developerFee, sourceUsdRate, source }: Derivation): string {
  if (developerFee.type === null) return 'not requested'
  if (developerFee.type === 'SOURCE_CURRENCY') return 'as requested'
  const requested = formatAmount(BigInt(developerFee.asked ?? '0'), 2)
  return `${requested} USD at ${sourceUsdRate} USD a ${source.asset.split('/')[0]}, rounded up`
}
