import { scaleOf } from '../../../catalog/currencies.ts'
import { formatAmount } from '../../../lib/money.ts'
import type { Money, Reason } from '../../../transactions/bank-files/formats.ts'
import { branch, leaf, writeDocument } from './xml-writer.ts'

/** A bank's answer to a pain.001. */
export type StatusReport = {
  messageId: string
  createdAt: Date
  original: { fileId: string; messageName: string }
  /** The status of the whole file. */
  group?: StatusOf
  batches: Iterable<BatchStatus>
}
type StatusOf = { statusCode: string; reasons?: readonly Reason[] }
export type BatchStatus = {
  paymentInformationId: string
  status?: StatusOf
  payments: Iterable<PaymentStatusOf>
}
export type PaymentStatusOf = StatusOf & {
  reference: string
  instructionId?: string
  amount?: Money
  bankReference?: string
}

/** Writes a pain.002.001.11. */
export function writeStatusReport(report: StatusReport): Generator<Buffer> {
  return writeDocument('pain.002.001.11', pieces(report))
}

function* pieces({ messageId, createdAt, original, group, batches }: StatusReport): Generator<string> {
  yield `<CstmrPmtStsRpt>\n${branch('GrpHdr', leaf('MsgId', messageId), leaf('CreDtTm', instant(createdAt)))}\n`
  yield `${branch(
    'OrgnlGrpInfAndSts',
    leaf('OrgnlMsgId', original.fileId),
    leaf('OrgnlMsgNmId', original.messageName),
    leaf('GrpSts', group?.statusCode),
    reasons('StsRsnInf', group?.reasons),
  )}\n`
  for (const { paymentInformationId, status, payments } of batches) {
    yield `<OrgnlPmtInfAndSts>${leaf('OrgnlPmtInfId', paymentInformationId)}`
    yield leaf('PmtInfSts', status?.statusCode) + reasons('StsRsnInf', status?.reasons)
    for (const payment of payments) yield `\n${paymentStatus(payment)}`
    yield '</OrgnlPmtInfAndSts>\n'
  }
  yield '</CstmrPmtStsRpt>\n'
}

function paymentStatus(payment: PaymentStatusOf): string {
  return branch(
    'TxInfAndSts',
    leaf('OrgnlInstrId', payment.instructionId),
    leaf('OrgnlEndToEndId', payment.reference),
    leaf('TxSts', payment.statusCode),
    reasons('StsRsnInf', payment.reasons),
    leaf('AcctSvcrRef', payment.bankReference),
    payment.amount ? branch('OrgnlTxRef', branch('Amt', money('InstdAmt', payment.amount))) : '',
  )
}

/** Writes a moment of UTC. */
export function instant(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`
}

export function money(name: string, { currency, units }: Money): string {
  return leaf(name, formatAmount(units, scaleOf(currency)), ['Ccy', currency])
}

/** Writes reasons. A code of four characters or fewer is one of ISO 20022; a longer one is the bank's own. */
export function reasons(name: string, all: readonly Reason[] = []): string {
  return all
    .map(({ code, text }) => {
      const cut = text?.slice(0, 105)
      return branch(
        name,
        branch('Rsn', code.length <= 4 ? leaf('Cd', code) : leaf('Prtry', code)),
        leaf('AddtlInf', cut),
      )
    })
    .join('')
}
