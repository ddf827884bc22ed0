import { createHmac } from 'node:crypto'
import type { Tx } from '../../../db/database.ts'
import { sealBytes } from '../../../encryption/seal.ts'
import { newId } from '../../../lib/ids.ts'
import type { BankAccount } from '../../treasury/bank-account.ts'
import { recordFileAnswer, recordPaymentAnswer, type StatusDeps } from '../answers/statuses.ts'
import { readCorrection } from '../changes/correction.ts'
import { insertChange } from '../changes/store.ts'
import { type ScreenedPart, screenParts } from '../entries/credits.ts'
import { type EntryDeps, recordEntry } from '../entries/record.ts'
import { recordReturnMessage } from '../entries/returns.ts'
import type { ChangeRecord, IncomingFormat, IncomingRecord } from '../formats.ts'
import { type RecallDeps, recordRecall } from '../recalls/record.ts'
import { insertStatement, recordClosing } from './statement-store.ts'

export type ApplyDeps = EntryDeps &
  StatusDeps &
  RecallDeps & {
    /** Seals the corrections of banks, and hashes them. */
    changeKey: Buffer
    /** The bank corrects a payment that no file of ours has paid by ACH. */
    onForeignChange(change: { bankChangeId: string; code: string }): void
  }

/** A record with what was found out about it before the database transaction. */
export type ReadyRecord = { record: IncomingRecord; account?: BankAccount; parts: readonly ScreenedPart[] }

export async function readyRecord(
  deps: ApplyDeps,
  record: IncomingRecord,
  account: BankAccount | undefined,
): Promise<ReadyRecord> {
  if (!account) return { record, parts: [] }
  if (record.type !== 'ENTRY') return { record, account, parts: [] }
  return { record, account, parts: await screenParts(deps, account, record) }
}

/** `createdAt`: when the bank made the message, as it wrote it. */
export type AppliedFile = { bankFileId: string; format: IncomingFormat; createdAt: string }

/** Applies one record of a bank's file. Answers the id of a new credit. */
export async function applyRecord(
  deps: ApplyDeps,
  tx: Tx,
  { bankFileId, format, createdAt }: AppliedFile,
  { record, account, parts }: ReadyRecord,
): Promise<string | undefined> {
  switch (record.type) {
    case 'FILE_STATUS':
      await recordFileAnswer(deps, tx, { bankFileId, createdAt }, record)
      return undefined
    case 'PAYMENT_STATUS':
      await recordPaymentAnswer(deps, tx, { bankFileId, createdAt }, record)
      return undefined
    case 'RETURN':
      await recordReturnMessage(deps, tx, bankFileId, record)
      return undefined
    case 'RECALL':
      await recordRecall(deps, tx, bankFileId, record)
      return undefined
    case 'CHANGE':
      await recordChange(deps, tx, bankFileId, record)
      return undefined
    case 'STATEMENT':
      if (format === 'camt.053' && account)
        await insertStatement(tx, { bankFileId, bankAccountId: account.bankAccountId }, record)
      return undefined
    case 'BALANCE':
      if (format === 'camt.053' && record.code === 'CLBD') await recordClosing(tx, { bankFileId }, record)
      return undefined
    case 'ENTRY': {
      if (!account) throw new Error('an entry of a foreign account was not quarantined')
      const source = format === 'camt.053' ? 'STATEMENT' : 'NOTIFICATION'
      const bankEntryId = await recordEntry(deps, tx, { bankFileId, source, account, told: record, parts })
      return record.direction === 'CREDIT' ? bankEntryId : undefined
    }
  }
}

/** Records a notification of change. A second telling with another correction is a notification of its own. */
async function recordChange(deps: ApplyDeps, tx: Tx, bankFileId: string, change: ChangeRecord): Promise<void> {
  const { reference, code, corrected, isRefused } = change
  const hash = createHmac('sha256', deps.changeKey).update(`correction\n${corrected}`).digest('hex')
  const changeId = `${change.changeId}/${hash}`
  const isCorrection = !isRefused && readCorrection(code, corrected) !== undefined
  const bankChangeId = newId()
  const inserted = await insertChange(tx, {
    bankChangeId,
    changeId,
    bankFileId,
    reference,
    code,
    sealedCorrection: sealBytes(deps.changeKey, Buffer.from(corrected), changeId),
    isRefused,
    isCorrection,
  })
  if (isCorrection && inserted?.payoutId === null) deps.onForeignChange({ bankChangeId, code })
}
