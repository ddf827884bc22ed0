import { BankFileError } from '../bank-file-error.ts'
import type { BalanceRecord, EntryRecord, Page } from '../files.ts'
import { find, plainDecimal, textAt } from './elements.ts'
import type { XmlElement } from './xml-reader.ts'

type Side = { count: number; units: bigint }

/**
 * Adds up the entries of a statement, and compares them with what the statement says of itself: the balances before and
 * after, and the summary of its entries. A statement in several pages has its balances on different ones.
 */
export function createStatementTotals() {
  const balances: BalanceRecord[] = []
  const sides: Record<'CREDIT' | 'DEBIT', Side> = { CREDIT: { count: 0, units: 0n }, DEBIT: { count: 0, units: 0n } }
  const currencies = new Set<string>()
  let booked = 0n
  let isAllBooked = true

  const one = (code: string) => {
    const [first, second] = balances.filter((balance) => balance.code === code)
    return second ? undefined : first
  }

  return {
    addBalance(balance: BalanceRecord): void {
      balances.push(balance)
      currencies.add(balance.amount.currency)
    },
    addEntry({ direction, amount, status }: EntryRecord): void {
      currencies.add(amount.currency)
      sides[direction].count += 1
      sides[direction].units += amount.units
      if (status === 'BOOKED') booked += signed({ direction, amount })
      else isAllBooked = false
    },
    check(statement: XmlElement, page: Page | undefined): void {
      if (currencies.size > 1 || (page && !(page.isLast && Number(page.number) === 1))) return
      const opening = one('OPBD') ?? one('PRCD')
      const closing = one('CLBD')
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
  const isWrongCount = told !== undefined && told !== String(count)
  if (!isWrongCount && (!sum || minorUnits(plainDecimal(sum)) === units)) return
  throw new BankFileError('WRONG_TOTALS', 'The summary of the statement differs from its entries', summary?.line)
}

/** Every currency that Svc reads has two decimals; further ones must be zeros. */
function minorUnits(decimal: string): bigint | undefined {
  const [whole = '', fraction = ''] = decimal.split('.')
  if (!/^0*$/.test(fraction.slice(2))) return undefined
  return BigInt(whole + fraction.slice(0, 2).padEnd(2, '0'))
}
