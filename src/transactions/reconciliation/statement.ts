import { type FiatLabel, scaleOf } from '../../catalog/currencies.ts'
import { formatAmount } from '../../lib/money.ts'
import type { BankCoordinates } from '../../payment-accounts/payment-account.ts'
import type { AccountName, LedgerStatement, StatedEntry } from '../bank-files/formats.ts'
import type { Charged } from './charges.ts'
import type { StatementLine } from './store.ts'

/** Names an account of ours as a bank would. */
export function nameOwnAccount(coordinates: BankCoordinates, currency: FiatLabel): AccountName {
  const { iban, accountNumber, routingNumber, ifscCode, institutionNumber, bicSwift } = coordinates
  if (iban !== undefined) return { iban, currency }
  const bankId = routingNumber ?? ifscCode ?? institutionNumber ?? bicSwift
  return { number: accountNumber ?? '', currency, ...(bankId === undefined ? {} : { bankId }) }
}

/** Writes a line as an entry. */
export function entryOf(line: Charged<StatementLine>, { currency, date }: Pick<LedgerStatement, 'currency' | 'date'>) {
  const { kind, reference, bankReference, postingReference } = line
  const amount = line.amount - line.charges
  const units = amount < 0n ? -amount : amount
  const charge = { amount: { currency, units: line.charges }, direction: 'DEBIT', isIncluded: true } as const
  const isOurs = kind === 'PAYOUT' || kind === 'RETURN'
  const entry: StatedEntry = {
    entryReference: `${line.postingId.replaceAll('-', '')}${line.entryNumber}`,
    direction: amount < 0n ? 'DEBIT' : 'CREDIT',
    isReversal: kind === 'REVERSAL',
    status: 'BOOKED',
    amount: { currency, units },
    bookingDate: date,
    valueDate: date,
    ...(bankReference === null ? {} : { bankReference: bankReference.slice(0, 35) }),
    charges: line.charges > 0n ? [charge] : [],
    details: [
      {
        references: isOurs ? { endToEndId: reference.slice(0, 35) } : {},
        charges: [],
        counterparty: {},
        // Svc keeps no texts of payers: another text would make it another entry.
        remittance: kind === 'OWN' ? [postingReference] : [],
        creditorReferences: [],
        ...(kind === 'RETURN' ? { return: { reason: { code: line.reason ?? 'NARR' } } } : {}),
      },
    ],
  }
  return entry
}

const columns = ['date', 'kind', 'reference', 'bankReference', 'fact', 'posting', 'amount', 'balance']

/** Writes the ledger's statement as CSV (RFC 4180): the opening balance, each line with its balance, the closing balance. */
export async function* writeCsv(
  { currency, date, opening, closing }: LedgerStatement,
  lines: AsyncIterable<StatementLine>,
): AsyncGenerator<string, void, undefined> {
  const show = (units: bigint) => formatAmount(units, scaleOf(currency))
  yield row(columns)
  yield row([date, 'OPENING_BALANCE', '', '', '', '', '', show(opening)])
  let balance = opening
  for await (const { kind, reference, bankReference, fact, postingReference, amount } of lines) {
    balance += amount
    yield row([date, kind, reference, bankReference ?? '', fact, postingReference, show(amount), show(balance)])
  }
  yield row([date, 'CLOSING_BALANCE', '', '', '', '', '', show(closing)])
}

/** Quotes a field that needs it. A bank's text that a spreadsheet would take for a formula gets an apostrophe. */
function row(fields: readonly string[]): string {
  const written = fields.map((field) => {
    const safe = /^[=+@\t]|^-(?![\d.]+$)/.test(field) ? `'${field}` : field
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  })
  return `${written.join(',')}\r\n`
}
