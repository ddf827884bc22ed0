import type {
  AccountName,
  BalanceRecord,
  Charge,
  EntryDetail,
  LedgerStatement,
  Page,
  StatedEntry,
} from '../../../transactions/bank-files/formats.ts'
import { namedAccount } from './parties.ts'
import { instant, money } from './status-writer.ts'
import { branch, leaf, streamDocument, writeDocument } from './xml-writer.ts'

export type NewEntry = StatedEntry
export type NewBalance = Omit<BalanceRecord, 'type' | 'account' | 'statementKey'>

/** A statement (camt.053) or notification (camt.054) as a bank writes it. */
export type NewStatement = {
  statementId: string
  electronicSequence?: string
  legalSequence?: string
  page?: Page
  account: AccountName
  /** A camt.053 needs the ones before and after its entries. */
  balances?: readonly NewBalance[]
  entries: Iterable<NewEntry>
}
export type StatementMessage = { messageId: string; createdAt: Date; statements: Iterable<NewStatement> }

/** Writes a camt.053.001.08. */
export function writeStatement(message: StatementMessage): Generator<Buffer> {
  return writeDocument('camt.053.001.08', pieces(message, { root: 'BkToCstmrStmt', name: 'Stmt' }))
}

/** Writes a camt.054.001.08. */
export function writeNotification(message: StatementMessage): Generator<Buffer> {
  return writeDocument('camt.054.001.08', pieces(message, { root: 'BkToCstmrDbtCdtNtfctn', name: 'Ntfctn' }))
}

const ownStatement: Names = { root: 'BkToCstmrStmt', name: 'Stmt' }

/** Writes the ledger's own statement as a camt.053.001.08, entry by entry. */
export function streamStatement(
  statement: LedgerStatement,
  entries: AsyncIterable<StatedEntry>,
): AsyncGenerator<Buffer> {
  return streamDocument('camt.053.001.08', statementPieces(statement, entries))
}

async function* statementPieces(
  { statementId, createdAt, account, currency, date, opening, closing }: LedgerStatement,
  entries: AsyncIterable<StatedEntry>,
): AsyncGenerator<string> {
  const balance = (code: string, units: bigint): NewBalance => ({
    code,
    direction: units < 0n ? 'DEBIT' : 'CREDIT',
    amount: { currency, units: units < 0n ? -units : units },
    date,
  })
  const balances = [balance('OPBD', opening), balance('CLBD', closing)]
  yield messageHead({ messageId: statementId, createdAt }, ownStatement)
  yield statementHead({ statementId, account, balances }, createdAt, ownStatement)
  for await (const entry of entries) yield `${entryElement(entry)}\n`
  yield `</${ownStatement.name}>\n</${ownStatement.root}>\n`
}

type Names = { root: string; name: string }

function* pieces({ messageId, createdAt, statements }: StatementMessage, names: Names): Generator<string> {
  yield messageHead({ messageId, createdAt }, names)
  for (const { entries, ...statement } of statements) {
    yield statementHead(statement, createdAt, names)
    for (const entry of entries) yield `${entryElement(entry)}\n`
    yield `</${names.name}>\n`
  }
  yield `</${names.root}>\n`
}

function messageHead({ messageId, createdAt }: Omit<StatementMessage, 'statements'>, { root }: Names): string {
  return `<${root}>\n${branch('GrpHdr', leaf('MsgId', messageId), leaf('CreDtTm', instant(createdAt)))}\n`
}

function statementHead(statement: Omit<NewStatement, 'entries'>, createdAt: Date, { name }: Names): string {
  const { statementId, electronicSequence, legalSequence, page, account, balances = [] } = statement
  const pagination = page ? leaf('PgNb', page.number) + leaf('LastPgInd', String(page.isLast)) : ''
  const sequence = leaf('ElctrncSeqNb', electronicSequence) + leaf('LglSeqNb', legalSequence)
  const named = `${leaf('CreDtTm', instant(createdAt))}${namedAccount('Acct', account)}\n`
  const told = balances.map((balance) => `${balanceElement(balance)}\n`).join('')
  return `<${name}>${leaf('Id', statementId)}${branch(`${name}Pgntn`, pagination)}${sequence}${named}${told}`
}

const direction = (side: 'CREDIT' | 'DEBIT' | undefined) =>
  leaf('CdtDbtInd', side && (side === 'CREDIT' ? 'CRDT' : 'DBIT'))

function balanceElement({ code, direction: side, amount, date }: NewBalance): string {
  const type = branch('Tp', branch('CdOrPrtry', leaf('Cd', code)))
  return branch('Bal', type, money('Amt', amount), direction(side), branch('Dt', leaf('Dt', date)))
}

const statuses = { BOOKED: 'BOOK', PENDING: 'PDNG', INFO: 'INFO' } as const

function entryElement(entry: NewEntry): string {
  const batch = entry.batch
  return branch(
    'Ntry',
    leaf('NtryRef', entry.entryReference),
    money('Amt', entry.amount),
    direction(entry.direction),
    leaf('RvslInd', entry.isReversal ? 'true' : undefined),
    branch('Sts', leaf('Cd', statuses[entry.status])),
    branch('BookgDt', leaf('Dt', entry.bookingDate)),
    branch('ValDt', leaf('Dt', entry.valueDate)),
    leaf('AcctSvcrRef', entry.bankReference),
    transactionCode('BkTxCd', entry.bankTransactionCode ?? 'PMNT/NTAV/NTAV'),
    charges(entry.charges),
    branch(
      'NtryDtls',
      branch(
        'Btch',
        leaf('MsgId', batch?.fileId),
        leaf('PmtInfId', batch?.paymentInformationId),
        leaf('NbOfTxs', batch?.count?.toString()),
        batch?.total ? money('TtlAmt', batch.total) : '',
      ),
      ...entry.details.map((detail) => detailElement(detail, entry)),
    ),
  )
}

/** Writes "PMNT/RCDT/ESCT" as domain, family and sub-family, and any other text as the bank's own code. */
function transactionCode(name: string, code: string | undefined): string {
  if (code === undefined) return ''
  const [domain, family, subFamily] = code.split('/')
  if (!subFamily) return branch(name, branch('Prtry', leaf('Cd', code)))
  return branch(
    name,
    branch('Domn', leaf('Cd', domain), branch('Fmly', leaf('Cd', family), leaf('SubFmlyCd', subFamily))),
  )
}

function charges(all: readonly Charge[]): string {
  const records = all.map((charge) =>
    branch(
      'Rcrd',
      money('Amt', charge.amount),
      direction(charge.direction),
      leaf('ChrgInclInd', charge.isIncluded ? 'true' : undefined),
    ),
  )
  return branch('Chrgs', ...records)
}

function detailElement(detail: EntryDetail, entry: NewEntry): string {
  const { references, counterparty, ownAccount } = detail
  const isPayer = ((detail.direction ?? entry.direction) === 'CREDIT') !== entry.isReversal
  const other = party(isPayer ? 'Dbtr' : 'Cdtr', counterparty.name, counterparty.account)
  const own = party(isPayer ? 'Cdtr' : 'Dbtr', undefined, ownAccount)
  return branch(
    'TxDtls',
    branch(
      'Refs',
      leaf('MsgId', references.messageId),
      leaf('AcctSvcrRef', references.bankReference),
      leaf('PmtInfId', references.paymentInformationId),
      leaf('InstrId', references.instructionId),
      leaf('EndToEndId', references.endToEndId),
      leaf('UETR', references.uetr),
      leaf('TxId', references.transactionId),
      leaf('ClrSysRef', references.clearingReference),
    ),
    detail.amount ? money('Amt', detail.amount) + direction(detail.direction ?? entry.direction) : '',
    charges(detail.charges),
    branch('RltdPties', ...(isPayer ? [other, own] : [own, other])),
    branch(
      'RmtInf',
      ...detail.remittance.map((text) => leaf('Ustrd', text.slice(0, 140))),
      ...detail.creditorReferences.map((text) => branch('Strd', branch('CdtrRefInf', leaf('Ref', text)))),
    ),
    returnElement(detail.return),
  )
}

function party(name: string, partyName: string | undefined, account: AccountName | undefined): string {
  const { iban, number } = account ?? {}
  const named = account ? namedAccount(`${name}Acct`, { ...(iban ? { iban } : {}), ...(number ? { number } : {}) }) : ''
  return branch(name, branch('Pty', leaf('Nm', partyName?.slice(0, 140)))) + named
}

function returnElement(returned: EntryDetail['return']): string {
  if (!returned) return ''
  const { reason, originalBankTransactionCode } = returned
  const code = reason?.code ?? ''
  return branch(
    'RtrInf',
    transactionCode('OrgnlBkTxCd', originalBankTransactionCode),
    branch('Rsn', code.length <= 4 ? leaf('Cd', code) : leaf('Prtry', code)),
    leaf('AddtlInf', reason?.text?.slice(0, 105)),
  )
}
