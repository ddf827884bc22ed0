import type { ReturnRecord } from '../../../../transactions/bank-files/formats.ts'
import { BankFileError } from '../../bank-file-error.ts'
import { dayOf, knownMoneyAt, moneyOf, need, optional, reasonsOf, textAt } from '../elements.ts'
import { providedText } from '../pain002-reader.ts'
import type { XmlElement, XmlEvent } from '../xml-reader.ts'

/** Reads the parts of a pacs.004 that follow its header, whose count of transactions it checks. */
export function createReturnReading() {
  let header: XmlElement | undefined
  let group: XmlElement | undefined
  let count = 0
  return {
    begin(element: XmlElement): void {
      header = element
    },
    *take(part: string, { element }: XmlEvent): Generator<ReturnRecord> {
      if (part === 'OrgnlGrpInf') {
        group = element
        return
      }
      count += 1
      yield returnRecord(element, { header, group })
    },
    end(): void {
      const told = textAt(header, 'NbOfTxs')
      if (told !== undefined && /^\d{1,15}$/.test(told) && Number(told) === count && count > 0) return
      throw new BankFileError('WRONG_TOTALS', 'NbOfTxs differs from the transactions of the message')
    },
  }
}

type Around = { header: XmlElement | undefined; group: XmlElement | undefined }

function returnRecord(element: XmlElement, { header, group }: Around): ReturnRecord {
  const amount = moneyOf(need(element, 'RtrdIntrBkSttlmAmt'))
  if (amount.units === 0n) throw new BankFileError('WRONG_AMOUNT', 'RtrdIntrBkSttlmAmt must not be 0', element.line)
  const reference = providedText(element, 'OrgnlEndToEndId') ?? ''
  const transactionId = providedText(element, 'OrgnlTxId') ?? providedText(element, 'OrgnlUETR')
  const ownId = providedText(element, 'RtrId')
  if (ownId === undefined && transactionId === undefined && reference === '') {
    throw new BankFileError('MALFORMED', 'TxInf names neither the return nor the original payment', element.line)
  }
  const [reason = { code: '' }] = [...reasonsOf(element, 'RtrRsnInf'), ...(group ? reasonsOf(group, 'RtrRsnInf') : [])]
  const day = textAt(element, 'IntrBkSttlmDt') ?? textAt(header, 'IntrBkSttlmDt')
  const fileId = providedText(element, 'OrgnlGrpInf/OrgnlMsgId') ?? providedText(group, 'OrgnlMsgId')
  return {
    type: 'RETURN',
    source: 'pacs.004',
    // A return without an id of its own is named by what it returns: a payment is returned once this way.
    returnId: ownId ?? ['pacs.004', transactionId ?? '', reference].join('/'),
    reference,
    ...optional('originalFileId', fileId),
    original: 'CREDIT',
    amount,
    ...optional('originalAmount', knownMoneyAt(element, 'OrgnlIntrBkSttlmAmt')),
    code: reason.code,
    ...optional('text', reason.text),
    isDishonored: false,
    isContested: false,
    ...optional('effectiveDate', day === undefined ? undefined : dayOf(day, element.line)),
  }
}
