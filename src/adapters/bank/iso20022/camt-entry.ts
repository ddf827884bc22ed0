import type {
  AccountName,
  Charge,
  DetailReferences,
  EntryDetail,
  EntryRecord,
  Money,
} from '../../../transactions/bank-files/formats.ts'
import { BankFileError } from '../bank-file-error.ts'
import {
  accountAt,
  all,
  dayAt,
  directionAt,
  find,
  flagAt,
  knownMoneyAt,
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
  ['FUTR', 'PENDING'],
  ['INFO', 'INFO'],
])

/** A transaction count over this is that of no batch: an entry is at most one payment file. */
export const mostDetails = 250_000

/** Reads an entry (Ntry), whose transactions were read before. */
export function readEntry(
  element: XmlElement,
  { account, statementId, statementKey }: StatementFacts,
  position: number,
  details: EntryDetail[],
): EntryRecord {
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
    status: statusOf(element),
    amount,
    ...optional('bookingDate', dayAt(element, 'BookgDt')),
    ...optional('valueDate', dayAt(element, 'ValDt')),
    ...optional('bankTransactionCode', bankTransactionCode(find(element, 'BkTxCd'))),
    charges: chargesOf(element, amount.currency),
    ...optional('batch', batchOf(element)),
    details,
  }
}

function statusOf(element: XmlElement): EntryRecord['status'] {
  const own = textAt(element, 'Sts/Prtry')
  // Older versions have the code itself as text.
  const status = statuses.get(own ?? textAt(element, 'Sts/Cd') ?? need(element, 'Sts').text)
  if (status) return status
  if (own !== undefined) return 'PENDING'
  throw new BankFileError('MALFORMED', 'Sts of Ntry must be BOOK, PDNG, FUTR or INFO', element.line)
}

/** True for a status of the bank's own. Svc takes it for "not booked" if the balances of the statement agree. */
export function hasOwnStatus(element: XmlElement): boolean {
  const own = textAt(element, 'Sts/Prtry')
  return own !== undefined && !statuses.has(own)
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
  const told = textAt(batch, 'NbOfTxs')
  const count = told && /^\d{1,15}$/.test(told) ? Number(told) : undefined
  if (count !== undefined && count > mostDetails)
    throw new BankFileError('TOO_LARGE', `An entry has more than ${mostDetails} transactions`, batch.line)
  return {
    ...optional('fileId', providedText(batch, 'MsgId')),
    ...optional('paymentInformationId', providedText(batch, 'PmtInfId')),
    ...optional('count', count),
    ...optional('total', knownMoneyAt(batch, 'TtlAmt')),
  }
}

/** Domain, family and sub-family, or the bank's own code. */
function bankTransactionCode(element: XmlElement | undefined): string | undefined {
  const domain = textAt(element, 'Domn/Cd')
  if (domain === undefined) return textAt(element, 'Prtry/Cd')
  return [domain, textAt(element, 'Domn/Fmly/Cd'), textAt(element, 'Domn/Fmly/SubFmlyCd')].filter(Boolean).join('/')
}

/**
 * Reads the charges in the currency of the entry: those of other banks, in other currencies, are no part of its amount.
 * Charges of newer versions are records of one element; in older ones each is an element of its own.
 */
function chargesOf(element: XmlElement, currency: string | undefined): Charge[] {
  return all(element, 'Chrgs')
    .flatMap((charges) => (find(charges, 'Amt') ? [charges] : all(charges, 'Rcrd')))
    .filter((charge) => find(charge, 'Amt')?.attributes.Ccy === currency)
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
  const currency = find(entry, 'Amt')?.attributes.Ccy
  return {
    references: referencesOf(find(element, 'Refs')),
    ...optional('amount', amountOf(element, currency)),
    ...optional('direction', direction),
    charges: chargesOf(element, currency),
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

/** The amount of a transaction in the currency of its entry. A payer may have instructed it in any other one. */
function amountOf(element: XmlElement, currency: string | undefined): Money | undefined {
  const told = [find(element, 'Amt'), find(element, 'AmtDtls/TxAmt/Amt')]
  const own = told.find((amount) => amount !== undefined && amount.attributes.Ccy === currency)
  return own && moneyOf(own)
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
