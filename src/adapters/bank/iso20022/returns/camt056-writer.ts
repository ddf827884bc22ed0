import type { AccountName, Money } from '../../../../transactions/bank-files/formats.ts'
import { instant, money, reasons } from '../status-writer.ts'
import { branch, leaf, writeDocument } from '../xml-writer.ts'

/** A recall as the bank of a payer tells it. */
export type NewRecall = {
  messageId: string
  createdAt: Date
  recallId: string
  /** The id that the banks gave the payment. */
  transactionId: string
  amount: Money
  /** YYYY-MM-DD */
  settledOn: string
  code: string
  debtor: { name?: string; account?: AccountName }
}

/** Writes a camt.056.001.08 about one payment. */
export function writeRecallMessage(recall: NewRecall): Generator<Buffer> {
  return writeDocument('camt.056.001.08', pieces(recall))
}

function* pieces(recall: NewRecall): Generator<string> {
  const { messageId, createdAt, transactionId, amount, settledOn, code, debtor } = recall
  const { iban, number } = debtor.account ?? {}
  const account = iban === undefined ? branch('Othr', leaf('Id', number)) : leaf('IBAN', iban)
  yield '<FIToFIPmtCxlReq>\n'
  yield `${branch('Assgnmt', leaf('Id', messageId), leaf('CreDtTm', instant(createdAt)))}\n`
  yield `${branch('CtrlData', leaf('NbOfTxs', '1'))}\n`
  yield `${branch(
    'Undrlyg',
    branch(
      'TxInf',
      leaf('CxlId', recall.recallId),
      leaf('OrgnlTxId', transactionId),
      money('OrgnlIntrBkSttlmAmt', amount),
      leaf('OrgnlIntrBkSttlmDt', settledOn),
      reasons('CxlRsnInf', [{ code }]),
      branch(
        'OrgnlTxRef',
        branch('Dbtr', branch('Pty', leaf('Nm', debtor.name))),
        branch('DbtrAcct', branch('Id', account)),
      ),
    ),
  )}\n</FIToFIPmtCxlReq>\n`
}
