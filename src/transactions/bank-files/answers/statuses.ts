import type { Tx } from '../../../db/database.ts'
import type { BankFileAnswer, BankItemAnswer } from '../bank-file.ts'
import { rematchBatch } from '../entries/payments.ts'
import type { FileStatusRecord, PaymentStatusRecord, Reason } from '../formats.ts'
import type { ReportDeps } from '../returns/record.ts'
import { bankTimeOf, firmnessOf } from './firmness.ts'
import * as store from './status-store.ts'

export type StatusDeps = ReportDeps & {
  /** The bank says that it has the file already: its payments may be paid. */
  onDuplicate(file: { messageId: string }): void
  /** The bank rejects what it has paid by its own word: nothing of it is retried. */
  onRejectedAfterPayment(file: { messageId: string; reference?: string }): void
  /** The bank accepts what it has rejected: it may be paid, so nothing of it is retried from now on. */
  onAcceptedAfterRejection(file: { messageId: string; reference?: string }): void
  /** The bank rejects the same payments in one file after another. */
  onRejectedOften(file: { messageId: string; rejections: number }): void
}

/** The message with an answer, and the bank's time of it. */
export type Answer = { bankFileId: string; createdAt: string }

const wordOf = ({ bankFileId, createdAt }: Answer, statusCode: string) => ({
  answeredBy: bankFileId,
  saidAt: bankTimeOf(createdAt),
  firmness: firmnessOf(statusCode),
})

const duplicateCodes = /^(AM05|DU0[1-5]|DUPL)$/

/** True when the bank has it already. The first copy may be paid, so nothing of the file is refused or retried. */
function isDuplicate(reasons: readonly Reason[]): boolean {
  return reasons.some(({ code, text = '' }) => duplicateCodes.test(code.trim()) || /duplicat/i.test(`${code} ${text}`))
}

const reasonOf = (reasons: readonly Reason[], statusCode: string) => reasons[0]?.code || statusCode

/** So many files with the same payment raise the alarm when the bank has rejected them all. */
const oftenRejected = 3

/** Records the bank's word about a whole file, and lets Svc ask about its payments. */
export async function recordFileAnswer(deps: StatusDeps, tx: Tx, answer: Answer, told: FileStatusRecord) {
  const { bankFileId } = answer
  const { originalFileId: messageId, status, reasons, statusCode } = told
  if (isDuplicate(reasons)) return recordDuplicate(deps, tx, answer, told)
  const answered = fileAnswerOf(status)
  if (!answered) return
  const word = { status: answered, reason: reasonOf(reasons, statusCode), ...wordOf(answer, statusCode) }
  const changed = await store.recordFileStatus(tx, messageId, word)
  if (!changed) return reportUnknown(deps, tx, bankFileId, messageId)
  // The debit entry confirms a payment; the bank's word that it settled only keeps it from being retried.
  if (status === 'SETTLED') await store.settleItems(tx, changed.bankFileId, word.answeredBy)
  if (changed.bankStatus === 'DISPUTED') return deps.onAcceptedAfterRejection({ messageId })
  if (answered !== 'REJECTED') return
  if (changed.bankStatus !== 'REJECTED') return deps.onRejectedAfterPayment({ messageId })
  const rejections = await store.countRejections(tx, changed.bankFileId)
  if (rejections >= oftenRejected) deps.onRejectedOften({ messageId, rejections })
  for (const reference of await store.listReferences(tx, changed.bankFileId))
    await hint(deps, tx, bankFileId, reference)
}

/** Marks a file that the bank has already by its own word, at whichever level of its message it says so. */
async function recordDuplicate(
  deps: StatusDeps,
  tx: Tx,
  answer: Answer,
  {
    originalFileId: messageId,
    reasons,
    statusCode,
  }: Pick<FileStatusRecord, 'originalFileId' | 'reasons' | 'statusCode'>,
) {
  const word = { status: 'DUPLICATE', reason: reasonOf(reasons, statusCode), ...wordOf(answer, statusCode) } as const
  const changed = await store.recordFileStatus(tx, messageId, word)
  deps.onDuplicate({ messageId })
  if (!changed) await reportUnknown(deps, tx, answer.bankFileId, messageId)
}

function fileAnswerOf(status: FileStatusRecord['status']): BankFileAnswer | undefined {
  if (status === 'SETTLED') return 'ACCEPTED'
  return status === 'OTHER' ? undefined : status
}

/** Records the bank's word about one payment of the file that it names. */
export async function recordPaymentAnswer(deps: StatusDeps, tx: Tx, answer: Answer, told: PaymentStatusRecord) {
  const { bankFileId } = answer
  const { originalFileId: messageId, reference, status, statusCode, reasons, amount } = told
  const isDuplicated = isDuplicate(reasons)
  if (isDuplicated) await recordDuplicate(deps, tx, answer, told)
  const answered: BankItemAnswer | undefined = isDuplicated ? 'PENDING' : itemAnswerOf(status)
  if (!answered) return
  const key = { messageId, reference, amount: amount ?? null }
  const reason = reasons[0]?.code || null
  const word = { status: answered, reason, ...wordOf(answer, statusCode) }
  const changed = await store.recordItemStatus(tx, key, word)
  if (!changed) return reportUnknown(deps, tx, bankFileId, `${messageId} ${reference}`)
  if (answered !== 'REJECTED') {
    if (changed.bankStatus === 'DISPUTED' && !isDuplicated) deps.onAcceptedAfterRejection({ messageId, reference })
    return
  }
  if (changed.bankStatus !== 'REJECTED') return deps.onRejectedAfterPayment({ messageId, reference })
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
