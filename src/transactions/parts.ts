import { scaleOf } from '../catalog/currencies.ts'
import { formatAmount } from '../lib/money.ts'
import type { Transaction } from './transaction.ts'

/** What a transaction shows of its quote, stored as the inside of a JSON object. */
type TransactionParts = { source: { sourceCurrency: object }; destination: object; fees: object }

export function readParts({ parts }: Pick<Transaction, 'parts'>): TransactionParts {
  return JSON.parse(`{${parts}}`) as TransactionParts
}

/** What a transaction shows once its price is another than was quoted. */
export function repriceParts(
  transaction: Pick<Transaction, 'parts' | 'destinationAsset'>,
  terms: { exchangeRate: string; destinationAmount: bigint },
): string {
  const { source, destination, fees } = readParts(transaction)
  const destinationAmount = formatAmount(terms.destinationAmount, scaleOf(transaction.destinationAsset))
  const shown = { source, destination: { ...destination, exchangeRate: terms.exchangeRate, destinationAmount }, fees }
  return JSON.stringify(shown).slice(1, -1)
}
