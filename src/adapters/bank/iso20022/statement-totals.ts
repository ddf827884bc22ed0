import type { BalanceRecord, EntryRecord, Page } from '../../../transactions/bank-files/formats.ts'
import { BankFileError } from '../bank-file-error.ts'
import { find, plainDecimal, textAt } from './elements.ts'
import type { XmlElement } from './xml-reader.ts'

/** A statement has a handful: opening, closing and available ones. */
const mostBalances = 1_000

type Side = { count: number; units: bigint }

/**
 * Adds up the entries of a statement, and compares them with what the statement says of itself: the balances before and
 * after, and the summary of its entries. A statement in several pages has its balances on different ones. A notification
 * needs none. Balances beside the currency of the account prove nothing.
 */
export function createStatementTotals(accountCurrency: string | undefined) {
  const balances: BalanceRecord[] = []
  const sides: Record<'CREDIT' | 'DEBIT', Side> = { CREDIT: { count: 0, units: 0n }, DEBIT: { count: 0, units: 0n } }
  const currencies = new Set(accountCurrency === undefined ? [] : [accountCurrency])
  let booked = 0n
  let isAllBooked = true
  let hasOwnStatuses = false

  const one = (code: string) => {
    const isOwn = ({ amount }: BalanceRecord) => currencies.size === 0 || currencies.has(amount.currency)
    const [first, second] = balances.filter((balance) => balance.code === code && isOwn(balance))
    return second ? undefined : first
  }

  return {
    addBalance(balance: BalanceRecord): void {
      if (balances.length >= mostBalances)
        throw new BankFileError('MALFORMED', `A statement has more than ${mostBalances} balances`)
      balances.push(balance)
    },
    /** Adds an entry. One with a status of the bank's own counts as not booked, which the balances must prove. */
    addEntry({ direction, amount, status }: EntryRecord, hasOwnStatus = false): void {
      if (hasOwnStatus) hasOwnStatuses = true
      currencies.add(amount.currency)
      sides[direction].count += 1
      sides[direction].units += amount.units
      if (status === 'BOOKED') booked += signed({ direction, amount })
      else isAllBooked = false
    },
    check(statement: XmlElement, page: Page | undefined): void {
      const isOnePage = !page || (page.isLast && Number(page.number) === 1)
      const isWhole = isOnePage && currencies.size <= 1
      const opening = one('OPBD') ?? one('PRCD')
      const closing = one('CLBD')
      const isProven = opening && closing && opening.amount.currency === closing.amount.currency
      if (statement.name === 'Stmt' && isOnePage && !isProven) {
        throw new BankFileError(
          'MALFORMED',
          'The statement has no balance before its entries (OPBD or PRCD) or after them (CLBD), or several',
          statement.line,
        )
      }
      if (hasOwnStatuses && !(isWhole && opening && closing)) {
        throw new BankFileError(
          'MALFORMED',
          'An entry has a status of the bank’s own, and no balances tell whether it is booked',
          statement.line,
        )
      }
      if (!isWhole) return
      if (opening && closing && signed(opening) + booked !== signed(closing)) {
        throw new BankFileError('WRONG_TOTALS', 'The balances differ by another sum than the entries', statement.line)
      }
      if (!isAllBooked) return
      checkSummary(find(statement, 'TxsSummry/TtlCdtNtries'), sides.CREDIT)
      checkSummary(find(statement, 'TxsSummry/TtlDbtNtries'), sides.DEBIT)
    },
  }
}

function signed({ direction, amount }: Pick<EntryRecord, 'direction' | 'amount'>): bigint {
  return direction === 'CREDIT' ? amount.units : -amount.units
}

function checkSummary(summary: XmlElement | undefined, { count, units }: Side): void {
  const told = textAt(summary, 'NbOfNtries')
  const sum = find(summary, 'Sum')
  const isWrongCount = told !== undefined && (!/^\d{1,15}$/.test(told) || Number(told) !== count)
  if (!isWrongCount && (!sum || minorUnits(plainDecimal(withoutSign(sum))) === units)) return
  throw new BankFileError('WRONG_TOTALS', 'The summary of the statement differs from its entries', summary?.line)
}

/** A summary of debits may have its sum below zero. */
const withoutSign = (sum: XmlElement): XmlElement => ({ ...sum, text: sum.text.replace(/^-/, '') })

/** Every currency that Svc reads has two decimals; further ones must be zeros. */
function minorUnits(decimal: string): bigint | undefined {
  const [whole = '', fraction = ''] = decimal.split('.')
  if (!/^0*$/.test(fraction.slice(2))) return undefined
  return BigInt(whole + fraction.slice(0, 2).padEnd(2, '0'))
}
