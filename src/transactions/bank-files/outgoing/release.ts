import type { Database } from '../../../db/database.ts'
import type { OutgoingBankFile } from '../bank-file.ts'
import type { BankExchange } from '../exchange.ts'
import * as store from './file-store.ts'
import { isRecalled, mayBePaidBefore } from './item-store.ts'

export type ReleaseDeps = { database: Database; exchange: BankExchange; onPoint(point: string): void }

/**
 * Releases a committed file once. The bytes are staged first, where no bank sees them, and the staged name is recorded;
 * then the file is moved into outgoing/. The move decides between processes, and between release and withdrawal.
 */
export async function releaseFile(deps: ReleaseDeps, file: OutgoingBankFile, content: Buffer, signal: AbortSignal) {
  if (file.status === 'PREPARED') {
    signal.throwIfAborted()
    const writtenAt = new Date()
    const stagingName = await deps.exchange.stage(content)
    deps.onPoint('bank file written')
    if (await store.stageFile(deps.database, file.bankFileId, { stagingName, writtenAt })) {
      deps.onPoint('bank file staged')
      signal.throwIfAborted()
    } else await deps.exchange.discard(stagingName)
  }
  const staged = await store.findFile(deps.database, file.messageId)
  return staged ? finishRelease(deps, staged) : undefined
}

/**
 * Moves a staged file to the bank, or withdraws it when its time is over, when the bank has said meanwhile that a former
 * file may be paid, or when a bank recalls money that it pays: its other payments share the next file. Answers the file as
 * it is then: still STAGED when the folders cannot be used, because a file that is missing proves nothing then.
 */
export async function finishRelease(deps: ReleaseDeps, file: OutgoingBankFile): Promise<OutgoingBankFile | undefined> {
  const { stagingName } = file
  if (file.status !== 'STAGED' || stagingName === null) return file
  if ((await deps.exchange.findProblem()) !== undefined) return file
  const { bankFileId } = file
  const mustStay =
    file.isOverdue ||
    (await mayBePaidBefore(deps.database, bankFileId)) ||
    (await isRecalled(deps.database, bankFileId))
  if (mustStay) await withdrawFile(deps, file)
  else {
    const isMoved = await deps.exchange.release(stagingName, file.name)
    deps.onPoint('bank file released')
    if (isMoved || !(await deps.exchange.isWithdrawn(file.name))) await store.recordRelease(deps.database, bankFileId)
    else await store.lapseFile(deps.database, file)
  }
  return store.findFile(deps.database, file.messageId)
}

/** Keeps a file from leaving for ever; false when it may have left. */
export async function withdrawFile(deps: ReleaseDeps, file: OutgoingBankFile): Promise<boolean> {
  const { status, stagingName } = file
  if (status === 'LAPSED') return true
  if (status === 'PREPARED') return store.lapseFile(deps.database, file)
  if (status !== 'STAGED' || stagingName === null) return false
  if ((await deps.exchange.findProblem()) !== undefined) return false
  const isMoved = await deps.exchange.withdraw(stagingName, file.name)
  deps.onPoint('bank file withdrawn')
  if (isMoved || (await deps.exchange.isWithdrawn(file.name))) return store.lapseFile(deps.database, file)
  await store.recordRelease(deps.database, file.bankFileId)
  return false
}
