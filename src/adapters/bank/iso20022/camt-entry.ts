import { BankFileError } from '../bank-file-error.ts'
import type { AccountName, Charge, DetailReferences, EntryDetail, EntryRecord } from '../files.ts'
import {
  accountAt,
  all,
  dayAt,
  directionAt,
  find,
  flagAt,
  moneyAt,
  moneyOf,
  need,
  optional,
  partyName,
  textAt,
} from './elements.ts'
import { providedText } from './pain002-reader.ts'
import type { XmlElement } from './xml-reader.ts'

export type StatementFacts = { account: AccountName; statementId: string; statementKey: string }

const statuses: ReadonlyMap<string, EntryRecord['status']> = new Map([
  ['BOOK', 'BOOKED'],
  ['PDNG', 'PENDING'],
  ['INFO', 'INFO'],
])

/** Reads an entry (Ntry), whose transactions were read before. */
export function readEntry(
  element: XmlElement,
  { account, statementId, statementKey }: StatementFacts,
  position: number,
  details: EntryDetail[],
): EntryRecord {
  // Older versions have the code itself as text.
  const code = textAt(element, 'Sts/Cd') ?? need(element, 'Sts').text
  const status = statuses.get(code)
  if (!status) throw new BankFileError('MALFORMED', 'Sts of Ntry must be BOOK, PDNG or INFO', element.line)
  const direction = needDirection(element)
  const bankReference = providedText(element, 'AcctSvcrRef')
  const amount = moneyOf(need(element, 'Amt'))
  return {
    type: 'ENTRY',
    account,
    statementId,
    statementKey,
    entryReference: providedText(element, 'NtryRef') ?? bankReference ?? `#${position}`,
    position,
    ...optional('bankReference', bankReference),
    direction,
    isReversal: flagAt(element, 'RvslInd'),
    status,
    amount,
    ...optional('bookingDate', dayAt(element, 'BookgDt')),
    ...optional('valueDate', dayAt(element, 'ValDt')),
    ...optional('bankTransactionCode', bankTransactionCode(find(element, 'BkTxCd'))),
    charges: chargesOf(element),
    ...optional('batch', batchOf(element)),
    details,
  }
}

export function needDirection(element: XmlElement): 'CREDIT' | 'DEBIT' {
  const direction = directionAt(element, 'CdtDbtInd')
  if (!direction) throw new BankFileError('MALFORMED', `${element.name} has no CdtDbtInd`, element.line)
  return direction
}

function batchOf(element: XmlElement): EntryRecord['batch'] {
  const batches = all(element, 'NtryDtls').flatMap((details) => all(details, 'Btch'))
  const [batch] = batches
  if (!batch || batches.length > 1) return undefined
  const count = textAt(batch, 'NbOfTxs')
  return {
    ...optional('fileId', providedText(batch, 'MsgId')),
    ...optional('paymentInformationId', providedText(batch, 'PmtInfId')),
    ...optional('count', count && /^\d{1,15}$/.test(count) ? Number(count) : undefined),
    ...optional('total', moneyAt(batch, 'TtlAmt')),
  }
}

/** Domain, family and sub-family, or the bank's own code. */
function bankTransactionCode(element: XmlElement | undefined): string | undefined {
  const domain = textAt(element, 'Domn/Cd')
  if (domain === undefined) return textAt(element, 'Prtry/Cd')
  return [domain, textAt(element, 'Domn/Fmly/Cd'), textAt(element, 'Domn/Fmly/SubFmlyCd')].filter(Boolean).join('/')
}

/** Charges of newer versions are records of one element; in older ones each is an element of its own. */
function chargesOf(element: XmlElement): Charge[] {
  return all(element, 'Chrgs')
    .flatMap((charges) => (find(charges, 'Amt') ? [charges] : all(charges, 'Rcrd')))
    .map((charge) => ({
      amount: moneyOf(need(charge, 'Amt')),
      direction: directionAt(charge, 'CdtDbtInd') ?? 'DEBIT',
      isIncluded: flagAt(charge, 'ChrgInclInd'),
    }))
}

/** Reads one transaction (TxDtls) of an entry. */
export function readDetail(element: XmlElement, entry: XmlElement): EntryDetail {
  const direction = directionAt(element, 'CdtDbtInd')
  const isCredit = (direction ?? directionAt(entry, 'CdtDbtInd')) === 'CREDIT'
  // A reversed entry still has the parties of the original transaction: its direction was the other one.
  const isPayer = isCredit !== flagAt(entry, 'RvslInd')
  const parties = find(element, 'RltdPties')
  const [other, own] = isPayer ? (['Dbtr', 'Cdtr'] as const) : (['Cdtr', 'Dbtr'] as const)
  const remittance = find(element, 'RmtInf')
  const structured = all(remittance, 'Strd')
  return {
    references: referencesOf(find(element, 'Refs')),
    ...optional('amount', moneyAt(element, 'Amt') ?? moneyAt(element, 'AmtDtls/TxAmt/Amt')),
    ...optional('direction', direction),
    charges: chargesOf(element),
    counterparty: {
      ...optional('name', partyName(find(parties, other))),
      ...optional('account', accountAt(parties, `${other}Acct`)),
    },
    ...optional('ownAccount', accountAt(parties, `${own}Acct`)),
    remittance: [
      ...all(remittance, 'Ustrd').map(({ text }) => text),
      ...structured.flatMap((item) => all(item, 'AddtlRmtInf').map(({ text }) => text)),
    ],
    creditorReferences: structured.map((item) => textAt(item, 'CdtrRefInf/Ref')).filter((text) => text !== undefined),
    ...optional('return', returnOf(find(element, 'RtrInf'))),
  }
}

function returnOf(element: XmlElement | undefined): EntryDetail['return'] {
  if (!element) return undefined
  const code = textAt(element, 'Rsn/Cd') ?? textAt(element, 'Rsn/Prtry')
  const text = all(element, 'AddtlInf')
    .map((line) => line.text)
    .join(' ')
  return {
    ...optional('reason', code === undefined ? undefined : { code, ...optional('text', text || undefined) }),
    ...optional('originalBankTransactionCode', bankTransactionCode(find(element, 'OrgnlBkTxCd'))),
  }
}

function referencesOf(element: XmlElement | undefined): DetailReferences {
  return {
    ...optional('messageId', providedText(element, 'MsgId')),
    ...optional('bankReference', providedText(element, 'AcctSvcrRef')),
    ...optional('paymentInformationId', providedText(element, 'PmtInfId')),
    ...optional('instructionId', providedText(element, 'InstrId')),
    ...optional('endToEndId', providedText(element, 'EndToEndId')),
    ...optional('uetr', providedText(element, 'UETR')),
    ...optional('transactionId', providedText(element, 'TxId')),
    ...optional('clearingReference', providedText(element, 'ClrSysRef')),
  }
}
