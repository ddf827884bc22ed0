import type { AccountName, Money } from '../../../transactions/bank-files/formats.ts'
import { BankFileError } from '../bank-file-error.ts'
import {
  accountAt,
  all,
  dayOf,
  find,
  flagAt,
  moneyOf,
  need,
  needText,
  optional,
  partyName,
  plainDecimal,
  textAt,
} from './elements.ts'
import { messageOf } from './messages.ts'
import { notProvided } from './parties.ts'
import { type IsoService, serviceOf } from './services.ts'
import { readXml, type XmlElement } from './xml-reader.ts'

/** The parts of a pain.001 as a bank reads them. */
export type PaymentFilePart = PaymentFileHeader | PaymentBatch | PaymentOrder
export type PaymentFileHeader = { type: 'FILE'; version: string; messageId: string; createdAt: string; count: number }
export type PaymentBatch = {
  type: 'BATCH'
  paymentInformationId: string
  service: IsoService | undefined
  executionDate: string
  isBatchBooked: boolean
  debtor: { name?: string; account: AccountName; bankId?: string }
}
export type PaymentOrder = {
  type: 'PAYMENT'
  paymentInformationId: string
  instructionId?: string
  endToEndId: string
  amount: Money
  creditor: { name?: string; account: AccountName; bankId?: string; clearingSystem?: string; email?: string }
  ultimateDebtor?: string
  remittance: string[]
}

type Totals = { count: number; sum: bigint }
const sumScale = 17

/**
 * Reads a pain.001: its header, each batch before its payments, each payment. Counts and sums are checked at the end: the
 * file is sound once the generator has ended.
 */
export async function* readPain001(source: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<PaymentFilePart> {
  let message = { root: '', version: '' }
  const file: Totals = { count: 0, sum: 0n }
  let batch: Totals = { count: 0, sum: 0n }
  let header: XmlElement | undefined
  let batches = 0
  const events = readXml(source, (namespace) => {
    const chosen = messageOf(namespace, ['pain.001'])
    message = chosen
    return chosen.detached
  })
  for await (const { path, element, parents } of events) {
    const part = path.slice(message.root.length + 1)
    if (part === 'GrpHdr') {
      header = element
      yield fileHeader(element, message.version)
    } else if (part === 'PmtInf/CdtTrfTxInf') {
      const parent = parents.at(-1)
      if (!parent) continue
      if (batch.count === 0) yield paymentBatch(parent)
      const order = paymentOrder(element, needText(parent, 'PmtInfId'))
      batch.count += 1
      batch.sum += scaled(plainDecimal(need(element, 'Amt/InstdAmt')))
      yield order
    } else if (part === 'PmtInf') {
      if (batch.count === 0) throw new BankFileError('MALFORMED', 'PmtInf has no CdtTrfTxInf', element.line)
      // Read once more: nothing after the payments may have named another account.
      paymentBatch(element)
      checkTotals(element, batch)
      file.count += batch.count
      file.sum += batch.sum
      batch = { count: 0, sum: 0n }
      batches += 1
    }
  }
  if (!header || batches === 0) throw new BankFileError('MALFORMED', 'The message has no GrpHdr or no PmtInf')
  checkTotals(header, file)
}

function checkTotals(element: XmlElement, { count, sum }: Totals): void {
  const told = textAt(element, 'NbOfTxs')
  const control = find(element, 'CtrlSum')
  const isWrongCount = told !== undefined && (!/^\d{1,15}$/.test(told) || Number(told) !== count)
  if (isWrongCount || (control && scaled(plainDecimal(control)) !== sum)) {
    throw new BankFileError(
      'WRONG_TOTALS',
      `NbOfTxs or CtrlSum of ${element.name} differ from the payments`,
      element.line,
    )
  }
}

function scaled(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.slice(0, sumScale).padEnd(sumScale, '0'))
}

function fileHeader(element: XmlElement, version: string): PaymentFileHeader {
  const count = needText(element, 'NbOfTxs')
  if (!/^\d{1,15}$/.test(count)) throw new BankFileError('MALFORMED', 'NbOfTxs must be a number', element.line)
  return {
    type: 'FILE',
    version,
    messageId: needText(element, 'MsgId'),
    createdAt: needText(element, 'CreDtTm'),
    count: Number(count),
  }
}

function paymentBatch(element: XmlElement): PaymentBatch {
  const type = find(element, 'PmtTpInf')
  const date = find(element, 'ReqdExctnDt')
  const day = textAt(date, 'Dt') ?? textAt(date, 'DtTm') ?? date?.text ?? ''
  const instrument = textAt(type, 'LclInstrm/Prtry') ?? textAt(type, 'LclInstrm/Cd')
  return {
    type: 'BATCH',
    paymentInformationId: needText(element, 'PmtInfId'),
    service: serviceOf(textAt(type, 'SvcLvl/Cd'), instrument),
    executionDate: dayOf(day, element.line),
    isBatchBooked: flagAt(element, 'BtchBookg'),
    debtor: {
      ...optional('name', partyName(find(element, 'Dbtr'))),
      account: accountAt(element, 'DbtrAcct') ?? {},
      ...optional('bankId', bankOf(find(element, 'DbtrAgt')).bankId),
    },
  }
}

function paymentOrder(element: XmlElement, paymentInformationId: string): PaymentOrder {
  const remittance = all(find(element, 'RmtInf'), 'Ustrd').map(({ text }) => text)
  const account = accountAt(element, 'CdtrAcct') ?? {}
  if (account.number === notProvided) delete account.number
  const proxy = find(element, 'CdtrAcct/Prxy')
  const email = textAt(proxy, 'Tp/Cd') === 'EMAL' ? textAt(proxy, 'Id') : undefined
  return {
    type: 'PAYMENT',
    paymentInformationId,
    ...optional('instructionId', textAt(element, 'PmtId/InstrId')),
    endToEndId: needText(element, 'PmtId/EndToEndId'),
    amount: moneyOf(need(element, 'Amt/InstdAmt')),
    creditor: {
      ...optional('name', partyName(find(element, 'Cdtr'))),
      account,
      ...bankOf(find(element, 'CdtrAgt')),
      ...optional('email', email),
    },
    ...optional('ultimateDebtor', partyName(find(element, 'UltmtDbtr'))),
    remittance,
  }
}

function bankOf(agent: XmlElement | undefined): { bankId?: string; clearingSystem?: string } {
  const institution = find(agent, 'FinInstnId')
  const member = textAt(institution, 'ClrSysMmbId/MmbId')
  return {
    ...optional('bankId', member ?? textAt(institution, 'BICFI') ?? textAt(institution, 'BIC')),
    ...optional('clearingSystem', textAt(institution, 'ClrSysMmbId/ClrSysId/Cd')),
  }
}
