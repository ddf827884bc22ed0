import type { Money } from '../../../../transactions/bank-files/formats.ts'
import { instant, money, reasons } from '../status-writer.ts'
import { branch, leaf, writeDocument } from '../xml-writer.ts'

/** A return as a bank tells it. */
export type NewReturn = {
  returnId: string
  originalFileId?: string
  /** The EndToEndId of the payment. */
  reference: string
  transactionId?: string
  originalAmount?: Money
  /** The amount that is returned: it may lack fees. */
  amount: Money
  /** YYYY-MM-DD */
  effectiveDate: string
  code: string
  text?: string
}

/** Writes a pacs.004.001.10. */
export function writeReturnMessage(message: {
  messageId: string
  createdAt: Date
  returns: readonly NewReturn[]
}): Generator<Buffer> {
  return writeDocument('pacs.004.001.10', pieces(message))
}

function* pieces(message: { messageId: string; createdAt: Date; returns: readonly NewReturn[] }): Generator<string> {
  const { messageId, createdAt, returns } = message
  yield `<PmtRtr>\n${branch(
    'GrpHdr',
    leaf('MsgId', messageId),
    leaf('CreDtTm', instant(createdAt)),
    leaf('NbOfTxs', String(returns.length)),
    branch('SttlmInf', leaf('SttlmMtd', 'CLRG')),
  )}\n`
  for (const item of returns) yield `${transaction(item)}\n`
  yield '</PmtRtr>\n'
}

function transaction(item: NewReturn): string {
  const reason = item.text === undefined ? { code: item.code } : { code: item.code, text: item.text }
  return branch(
    'TxInf',
    leaf('RtrId', item.returnId),
    item.originalFileId === undefined
      ? ''
      : branch('OrgnlGrpInf', leaf('OrgnlMsgId', item.originalFileId), leaf('OrgnlMsgNmId', 'pain.001.001.09')),
    leaf('OrgnlEndToEndId', item.reference),
    leaf('OrgnlTxId', item.transactionId),
    item.originalAmount ? money('OrgnlIntrBkSttlmAmt', item.originalAmount) : '',
    money('RtrdIntrBkSttlmAmt', item.amount),
    leaf('IntrBkSttlmDt', item.effectiveDate),
    reasons('RtrRsnInf', [reason]),
  )
}
