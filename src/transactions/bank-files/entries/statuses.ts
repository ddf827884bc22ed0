import type { Tx } from '../../../db/database.ts'
import type { BankFileAnswer, BankItemAnswer } from '../bank-file.ts'
import type { FileStatusRecord, PaymentStatusRecord, Reason } from '../formats.ts'
import { type ReportDeps, rematchBatch } from './payments.ts'
import * as store from './status-store.ts'

export type StatusDeps = ReportDeps & {
  /** The bank says that it has the file already: its payments may be paid. */
  onDuplicate(file: { messageId: string }): void
}

const duplicateCodes = /^(AM05|DU0[1-5]|DUPL)$/

/** True for a rejection because the bank has it already. The first copy may be paid, so nothing is refused or retried. */
function isDuplicate(reasons: readonly Reason[]): boolean {
  return reasons.some(({ code, text = '' }) => duplicateCodes.test(code) || /duplicat/i.test(text))
}

const reasonOf = (reasons: readonly Reason[], statusCode: string) => reasons[0]?.code ?? statusCode

/** Records the bank's word about a whole file, and lets Svc ask about its payments. */
export async function recordFileAnswer(deps: StatusDeps, tx: Tx, bankFileId: string, told: FileStatusRecord) {
  const { originalFileId: messageId, status, reasons, statusCode } = told
  const answer = fileAnswerOf(status, isDuplicate(reasons))
  const changed = answer && (await store.recordFileStatus(tx, messageId, answer, reasonOf(reasons, statusCode)))
  if (answer && !changed) return reportUnknown(deps, tx, bankFileId, messageId)
  if (!changed) return
  if (answer === 'DUPLICATE') deps.onDuplicate({ messageId })
  if (answer !== 'REJECTED') return
  for (const reference of await store.listReferences(tx, changed.bankFileId))
    await hint(deps, tx, bankFileId, reference)
}

function fileAnswerOf(status: FileStatusRecord['status'], isDuplicated: boolean): BankFileAnswer | undefined {
  if (status === 'REJECTED') return isDuplicated ? 'DUPLICATE' : 'REJECTED'
  // The debit entry confirms a payment; the bank's word that it settled does not.
  if (status === 'SETTLED') return 'ACCEPTED'
  return status === 'OTHER' ? undefined : status
}

/** Records the bank's word about one payment of the file that it names. */
export async function recordPaymentAnswer(deps: StatusDeps, tx: Tx, bankFileId: string, told: PaymentStatusRecord) {
  const { originalFileId: messageId, reference, status, reasons, statusCode, amount } = told
  const isRejected = status === 'REJECTED'
  const isDuplicated = isRejected && isDuplicate(reasons)
  if (isDuplicated) deps.onDuplicate({ messageId })
  const answer: BankItemAnswer | undefined = isDuplicated ? 'PENDING' : itemAnswerOf(status)
  if (!answer) return
  const key = { messageId, reference, amount: amount?.units ?? null }
  const changed = await store.recordItemStatus(tx, key, answer, reasonOf(reasons, statusCode))
  if (!changed) return reportUnknown(deps, tx, bankFileId, `${messageId} ${reference}`)
  if (answer !== 'REJECTED') return
  await hint(deps, tx, bankFileId, reference)
  await rematchBatch(deps, tx, changed.bankFileId)
}

function itemAnswerOf(status: PaymentStatusRecord['status']): BankItemAnswer | undefined {
  if (status === 'PARTIAL' || status === 'OTHER') return undefined
  return status
}

/** Makes Svc ask: only the answer decides, because the message may be older than the latest attempt. */
function hint(deps: ReportDeps, tx: Tx, bankFileId: string, reference: string): Promise<unknown> {
  return deps.report(tx, { reportId: `status ${bankFileId} ${reference}`, reference, report: { state: 'DEAD' } })
}

/** Leaves a message about a file or payment that we never sent to an operator. */
function reportUnknown(deps: ReportDeps, tx: Tx, bankFileId: string, named: string): Promise<unknown> {
  return deps.report(tx, { reportId: `unknown ${bankFileId} ${named}`, reference: named, report: { state: 'DEAD' } })
}
