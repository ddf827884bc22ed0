import type { FileStatusRecord, PaymentStatus, PaymentStatusRecord } from '../../../transactions/bank-files/formats.ts'
import { BankFileError } from '../bank-file-error.ts'
import { moneyAt, needText, optional, reasonsOf, textAt } from './elements.ts'
import type { XmlElement, XmlEvent } from './xml-reader.ts'

/** ISO 20022 external code sets: payment group and transaction status. CANC and codes of a bank's own are OTHER. */
const meanings: ReadonlyMap<string, PaymentStatus> = new Map([
  ['ACTC', 'ACCEPTED'],
  ['ACCP', 'ACCEPTED'],
  ['ACSP', 'ACCEPTED'],
  ['ACWC', 'ACCEPTED'],
  ['ACFC', 'ACCEPTED'],
  ['ACSC', 'SETTLED'],
  ['ACCC', 'SETTLED'],
  ['RCVD', 'PENDING'],
  ['PDNG', 'PENDING'],
  ['ACWP', 'PENDING'],
  ['PATC', 'PENDING'],
  ['PART', 'PARTIAL'],
  ['RJCT', 'REJECTED'],
])

/** Reads the parts of a pain.002 that follow its header. */
export function createStatusReading() {
  let originalFileId: string | undefined
  return {
    *take(part: string, { element, parents }: XmlEvent): Generator<FileStatusRecord | PaymentStatusRecord> {
      if (part === 'OrgnlGrpInfAndSts') {
        if (originalFileId !== undefined) {
          throw new BankFileError('MALFORMED', 'The message answers more than one file', element.line)
        }
        originalFileId = needText(element, 'OrgnlMsgId')
        yield* fileStatus(element, originalFileId, 'GrpSts')
        return
      }
      if (originalFileId === undefined) {
        throw new BankFileError('MALFORMED', 'The message does not name the file that it answers', element.line)
      }
      if (part === 'OrgnlPmtInfAndSts/TxInfAndSts') {
        yield paymentStatus(element, parents.at(-1), originalFileId)
      } else if (part === 'OrgnlPmtInfAndSts') {
        yield* fileStatus(element, originalFileId, 'PmtInfSts')
      }
    },
    end(): void {
      if (originalFileId === undefined) throw new BankFileError('MALFORMED', 'The message has no OrgnlGrpInfAndSts')
    },
  }
}

function* fileStatus(element: XmlElement, originalFileId: string, name: string): Generator<FileStatusRecord> {
  const statusCode = textAt(element, name)
  const batch = name === 'PmtInfSts' ? needText(element, 'OrgnlPmtInfId') : undefined
  const reasons = reasonsOf(element, 'StsRsnInf')
  // A reason without a status may still say that the bank has the file already.
  if (statusCode === undefined && reasons.length === 0) return
  yield {
    type: 'FILE_STATUS',
    originalFileId,
    ...optional('paymentInformationId', batch),
    status: meanings.get(statusCode ?? '') ?? 'OTHER',
    statusCode: statusCode ?? '',
    reasons,
  }
}

function paymentStatus(
  element: XmlElement,
  batch: XmlElement | undefined,
  originalFileId: string,
): PaymentStatusRecord {
  const statusCode = textAt(element, 'TxSts') ?? ''
  return {
    type: 'PAYMENT_STATUS',
    originalFileId,
    ...optional('paymentInformationId', textAt(batch, 'OrgnlPmtInfId')),
    // We give both the same value.
    reference: providedText(element, 'OrgnlEndToEndId') ?? providedText(element, 'OrgnlInstrId') ?? '',
    ...optional('amount', moneyAt(element, 'OrgnlTxRef/Amt/InstdAmt')),
    status: meanings.get(statusCode) ?? 'OTHER',
    statusCode,
    reasons: reasonsOf(element, 'StsRsnInf'),
    ...optional('bankReference', textAt(element, 'AcctSvcrRef')),
  }
}

/** A text, unless it says that it was not provided. */
export function providedText(element: XmlElement | undefined, path: string): string | undefined {
  const text = textAt(element, path)
  return text === undefined || /^not ?provided$/i.test(text) ? undefined : text
}
