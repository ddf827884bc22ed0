import { type Asset, assetOf, scaleOf } from '../catalog/currencies.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import { parseAmount } from '../lib/money.ts'
import { badFields, type FieldProblem, Refusal } from '../lib/refusal.ts'
import type { NewOwnData } from '../lib/resources/own-data.ts'
import type { DeveloperFeeType } from './quote.ts'

export type RequestedRoute = {
  source: { asset: Asset; method: PaymentMethod; amount: bigint; amountText: string }
  destination: { asset: Asset; method: PaymentMethod }
  developerFee: { type: DeveloperFeeType; amount: bigint } | undefined
}

export type RouteRequest = {
  source: { sourceCurrency: string; sourcePaymentMethod: PaymentMethod; sourceAmount: string }
  destination: { destinationCurrency: string; destinationPaymentMethod: PaymentMethod }
  developerFee?: { developerFeeType: DeveloperFeeType; developerFeeAmount: string }
}

export type QuoteBody = RouteRequest &
  NewOwnData & {
    customerId: string
    source: { sourcePaymentAccountId: string }
    destination: { destinationPaymentAccountId: string }
    guaranteeQuote?: boolean
  }

/** Parses a request into assets and smallest units. The refusal lists every invalid amount. */
export function readRoute({ source, destination, developerFee }: RouteRequest): RequestedRoute {
  const from = requireAsset(source.sourceCurrency, source.sourcePaymentMethod)
  const to = requireAsset(destination.destinationCurrency, destination.destinationPaymentMethod)
  const problems: FieldProblem[] = []
  const amount = readAmount(problems, 'source.sourceAmount', source.sourceAmount, scaleOf(from))
  if (amount === 0n) problems.push({ field: 'source.sourceAmount', message: 'must be greater than zero' })
  const isUsd = developerFee?.developerFeeType === 'USD'
  const fee = developerFee && {
    type: developerFee.developerFeeType,
    amount: readAmount(
      problems,
      'developerFee.developerFeeAmount',
      developerFee.developerFeeAmount,
      isUsd ? scaleOf('USD') : scaleOf(from),
    ),
  }
  if (problems.length > 0) throw badFields(problems)
  return {
    source: { asset: from, method: source.sourcePaymentMethod, amount, amountText: source.sourceAmount },
    destination: { asset: to, method: destination.destinationPaymentMethod },
    developerFee: fee,
  }
}

function readAmount(problems: FieldProblem[], field: string, text: string, scale: number): bigint {
  const parsed = parseAmount(text, scale)
  if (parsed.ok) return parsed.units
  problems.push({ field, message: parsed.problem })
  return 1n
}

/** Refuses a pair of valid names that do not go together, such as USD over SEPA. */
function requireAsset(label: string, method: PaymentMethod): Asset {
  const asset = assetOf(label, method)
  if (!asset) throw new Refusal('UNSUPPORTED_ROUTE', `${label} does not move by ${method}`)
  return asset
}
