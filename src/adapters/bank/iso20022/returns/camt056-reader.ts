import { createHash } from 'node:crypto'
import type { RecallRecord } from '../../../../transactions/bank-files/formats.ts'
import { BankFileError } from '../../bank-file-error.ts'
import { accountAt, find, moneyAt, optional, partyName, reasonsOf, textAt } from '../elements.ts'
import { providedText } from '../pain002-reader.ts'
import type { XmlElement, XmlEvent } from '../xml-reader.ts'

/** Reads the parts of a camt.056 that follow its assignment. A request to cancel a whole file is not read. */
export function createRecallReading() {
  let control: XmlElement | undefined
  let count = 0
  return {
    *take(part: string, { element }: XmlEvent): Generator<RecallRecord> {
      if (part === 'CtrlData') control = element
      if (part === 'Undrlyg' && textAt(element, 'OrgnlGrpInfAndCxl/GrpCxl') === 'true')
        throw new BankFileError('MALFORMED', 'The bank recalls a whole file without its payments', element.line)
      if (part !== 'Undrlyg/TxInf') return
      count += 1
      yield recallRecord(element)
    },
    end(): void {
      const told = textAt(control, 'NbOfTxs')
      if (count > 0 && (told === undefined || told === String(count))) return
      throw new BankFileError('WRONG_TOTALS', 'NbOfTxs differs from the payments that the message recalls')
    },
  }
}

function recallRecord(element: XmlElement): RecallRecord {
  const amount = moneyAt(element, 'OrgnlIntrBkSttlmAmt') ?? moneyAt(element, 'OrgnlTxRef/IntrBkSttlmAmt')
  if (amount?.units === 0n) throw new BankFileError('WRONG_AMOUNT', 'OrgnlIntrBkSttlmAmt must not be 0', element.line)
  const ids = {
    ...optional('endToEndId', providedText(element, 'OrgnlEndToEndId')),
    ...optional('instructionId', providedText(element, 'OrgnlInstrId')),
    ...optional('transactionId', providedText(element, 'OrgnlTxId')),
    ...optional('uetr', providedText(element, 'OrgnlUETR')),
    ...optional('clearingReference', providedText(element, 'OrgnlClrSysRef')),
  }
  if (Object.keys(ids).length === 0)
    throw new BankFileError('MALFORMED', 'TxInf names no id of the payment that is recalled', element.line)
  const original = find(element, 'OrgnlTxRef')
  const codes = reasonsOf(element, 'CxlRsnInf').map((reason) => reason.code ?? '')
  // A suspicion counts wherever the bank tells it.
  const code = codes.find((each) => /^frau?d/i.test(each)) ?? codes[0] ?? ''
  const ownId = providedText(element, 'CxlId') ?? textAt(element, 'Case/Id')
  return {
    type: 'RECALL',
    // Banks reuse ids, or have none: only the same recall of the same payment is a second telling.
    recallId: ['camt.056', ownId ?? '', hashOf([ids, amount?.currency, String(amount?.units), code])].join('/'),
    ...optional('amount', amount),
    code,
    detail: {
      references: ids,
      charges: [],
      counterparty: {
        ...optional('name', partyName(find(original, 'Dbtr'))),
        ...optional('account', accountAt(original, 'DbtrAcct')),
      },
      remittance: [],
      creditorReferences: [],
    },
  }
}

const hashOf = (told: unknown) => createHash('sha256').update(JSON.stringify(told)).digest('hex')
