import type {
  BalanceRecord,
  EntryDetail,
  EntryRecord,
  Page,
  StatementRecord,
} from '../../../transactions/bank-files/formats.ts'
import { BankFileError } from '../bank-file-error.ts'
import { hasOwnStatus, mostDetails, needDirection, readDetail, readEntry, type StatementFacts } from './camt-entry.ts'
import { accountAt, dayAt, find, flagAt, knownMoneyAt, need, needText, optional, textAt } from './elements.ts'
import { createStatementTotals } from './statement-totals.ts'
import type { XmlElement, XmlEvent } from './xml-reader.ts'

type StatementPart = StatementRecord | BalanceRecord | EntryRecord

type Open = {
  facts: StatementFacts
  entries: number
  details: EntryDetail[]
  totals: ReturnType<typeof createStatementTotals>
}

/** Reads the parts of a camt.053 or camt.054 that follow its header. */
export function createStatementReading() {
  let open: Open | undefined
  let statements = 0

  return {
    *take(part: string, { element, parents }: XmlEvent): Generator<StatementPart> {
      // Around a part stand the document, the message and the statement.
      const [, , statement = element, entry] = parents
      if (!open) {
        const record = statementRecord(statement)
        const { account, statementId, statementKey } = record
        const facts = { account, statementId, statementKey }
        open = { facts, entries: 0, details: [], totals: createStatementTotals(account.currency) }
        yield record
      }
      if (parents.length === 2) {
        // Read once more: nothing after the entries may have named another account.
        const { page } = statementRecord(element)
        open.totals.check(element, page)
        open = undefined
        statements += 1
      } else if (part.endsWith('/Bal')) {
        const balance = balanceRecord(element, open.facts)
        if (!balance) return
        open.totals.addBalance(balance)
        yield balance
      } else if (part.endsWith('/Ntry')) {
        open.entries += 1
        const record = readEntry(element, open.facts, open.entries, open.details)
        open.details = []
        open.totals.addEntry(record, hasOwnStatus(element))
        yield record
      } else if (entry) {
        open.details.push(readDetail(element, entry))
        if (open.details.length > mostDetails) {
          throw new BankFileError('TOO_LARGE', `An entry has more than ${mostDetails} transactions`, element.line)
        }
      }
    },
    end(): void {
      if (statements === 0) throw new BankFileError('MALFORMED', 'The message has no statement')
    },
  }
}

function statementRecord(statement: XmlElement): StatementRecord {
  const statementId = needText(statement, 'Id')
  const account = accountAt(statement, 'Acct')
  if (!account || (account.iban === undefined && account.number === undefined)) {
    throw new BankFileError('MALFORMED', `${statement.name} does not name its account`, statement.line)
  }
  const electronicSequence = textAt(statement, 'ElctrncSeqNb')
  const legalSequence = textAt(statement, 'LglSeqNb')
  const page = pageOf(statement, 'StmtPgntn') ?? pageOf(statement, 'NtfctnPgntn')
  return {
    type: 'STATEMENT',
    account,
    statementId,
    statementKey: [statementId, electronicSequence ?? '', legalSequence ?? '', page?.number ?? ''].join('|'),
    ...optional('electronicSequence', electronicSequence),
    ...optional('legalSequence', legalSequence),
    ...optional('page', page),
    ...optional('createdAt', textAt(statement, 'CreDtTm')),
  }
}

/** Reads the page of a message or statement that has several. */
export function pageOf(element: XmlElement, name: string): Page | undefined {
  const pagination = find(element, name)
  return pagination && { number: needText(pagination, 'PgNb'), isLast: flagAt(pagination, 'LastPgInd') }
}

/** Reads a balance; undefined for one in a currency that Svc does not know. */
function balanceRecord(element: XmlElement, { account, statementKey }: StatementFacts): BalanceRecord | undefined {
  need(element, 'Amt')
  const amount = knownMoneyAt(element, 'Amt')
  return (
    amount && {
      type: 'BALANCE',
      account,
      statementKey,
      code: textAt(element, 'Tp/CdOrPrtry/Cd') ?? textAt(element, 'Tp/CdOrPrtry/Prtry') ?? '',
      direction: needDirection(element),
      amount,
      ...optional('date', dayAt(element, 'Dt')),
    }
  )
}
