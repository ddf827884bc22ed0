import { scaleOf } from '../catalog/currencies.ts'
import { formatAmount } from '../lib/money.ts'
import type { TransactionRow } from './transaction.ts'

/** What a transaction shows of its quote, stored as the inside of a JSON object. */
type Parts = { source: { sourceCurrency: object }; destination: object; fees: object }

export function readParts({ parts }: Pick<TransactionRow, 'parts'>): Parts {
  return JSON.parse(`{${parts}}`) as Parts
}

/** What a transaction shows once its price is another than was quoted. */
export function repriceParts(
  row: Pick<TransactionRow, 'parts' | 'destinationAsset'>,
  terms: { exchangeRate: string; destinationAmount: bigint },
): string {
  const { source, destination, fees } = readParts(row)
  const destinationAmount = formatAmount(terms.destinationAmount, scaleOf(row.destinationAsset))
  const shown = { source, destination: { ...destination, exchangeRate: terms.exchangeRate, destinationAmount }, fees }
  return JSON.stringify(shown).slice(1, -1)
}
