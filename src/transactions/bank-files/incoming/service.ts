import type { Database, Tx } from '../../../db/database.ts'
import { advanceDue, whileLeased } from '../../../db/work.ts'
import { anyDue } from '../../../db/workers/due.ts'
import { newId } from '../../../lib/ids.ts'
import type { BankAccount } from '../../treasury/bank-account.ts'
import { keptName } from '../bank-file.ts'
import { announceUntold, explainWaiting } from '../entries/collective.ts'
import type { BankExchange, OpenedFile } from '../exchange.ts'
import { createFolderWatch, type FolderDeps } from '../folders/watch.ts'
import type { BankFormats } from '../formats.ts'
import { linkRecalls } from '../recalls/record.ts'
import { lockRecording } from '../recognition/lock-store.ts'
import { applyReversals, type ReversalDeps } from '../reversals/apply.ts'
import { dueReversals } from '../reversals/reversal-store.ts'
import { type ApplyDeps, applyRecord, type ReadyRecord, readyRecord } from './apply.ts'
import * as store from './file-store.ts'
import { createIntake } from './intake.ts'
import {
  accountOf,
  type CheckedFile,
  checkFile,
  createAccountFinder,
  type FindAccount,
  hashFile,
  verified,
} from './read.ts'

export type IncomingDeps = ApplyDeps &
  ReversalDeps &
  FolderDeps & {
    database: Database
    exchange: BankExchange
    formats: BankFormats
    listAccounts(): Promise<readonly BankAccount[]>
    onQuarantined(file: { bankFileId: string; code: string }): void
    onPoint(point: string): void
  }

export type IncomingService = ReturnType<typeof createIncomingService>

const chunkSize = 200
const retrySeconds = 30
/** About ten minutes of failures: the cause is in the file, and an operator must know. */
const mostFailures = 20

/**
 * Receives the files of banks. A file is known by its bytes, checked to its end before anything of it counts, and
 * applied in chunks that continue where a worker stopped. One file that fails stops no other.
 */
export function createIncomingService(deps: IncomingDeps) {
  const { database } = deps
  const folders = createFolderWatch(deps)
  const intake = createIntake(deps)
  return {
    due: anyDue(store.dueFiles, dueReversals),
    /** True when files wait, or when the folders can be used again or no longer. */
    hasArrivals: async (): Promise<boolean> =>
      (await folders.hasNews()) || (folders.wereUsable() && deps.exchange.hasIncoming()),

    /** Registers the files in incoming/, and applies those that are due. Answers how many there were. */
    receiveDue: async (limit: number, leaseMs: number): Promise<number> => {
      if (!(await folders.areUsable())) return applyReversals(deps, limit)
      await intake.receive()
      const applied = await advanceDue({
        claim: () => store.claimFiles(database, limit, leaseMs),
        advance: (file) => applyFile(deps, file, leaseMs),
        postpone: (file) => postpone(deps, file),
        onFailure: deps.onFailure,
        onAdvanced: () => deps.onPoint('bank file advanced'),
      })
      return applied + (await applyReversals(deps, limit))
    },

    sweep: folders.sweep,
  }
}

async function applyFile(deps: IncomingDeps, file: store.ClaimedFile, leaseMs: number): Promise<void> {
  const { exchange } = deps
  const isVirtual: Parameters<typeof createAccountFinder>[1] = async (named) =>
    (await deps.database.inTx((tx) => deps.findVirtualAccount(tx, named))) !== undefined
  const findAccount = createAccountFinder(await deps.listAccounts(), isVirtual)
  const kept = keptName(file.bank_file_id, file.name)
  let checked: CheckedFile
  try {
    const source = await openFile(deps, kept)
    const renew = () => store.renewLease(deps.database, file, leaseMs)
    checked = await whileLeased(renew, leaseMs, () =>
      checkFile(deps.formats, source.chunks, file.content_hash, findAccount),
    ).finally(source.close)
  } catch (error) {
    const unusable = readProblem(error)
    if (!unusable) throw error
    if (await isChanged(deps, file, kept)) return dropFile(deps, file, kept)
    await store.quarantineFile(deps.database, file, unusable)
    deps.onQuarantined({ bankFileId: file.bank_file_id, code: unusable.code })
    return exchange.quarantine(kept, `${unusable.code}: ${unusable.problem}`)
  }
  const again = await openFile(deps, kept)
  await applyChunks(deps, file, verified(again.chunks, checked.digests), { checked, findAccount, leaseMs }).finally(
    again.close,
  )
  await deps.database.inTx((tx) => finishFile(deps, tx, file, checked))
  deps.onPoint('bank file applied')
  await exchange.archive(kept, kept)
}

async function finishFile(
  deps: IncomingDeps,
  tx: Tx,
  file: store.ClaimedFile,
  { records, isLastPage }: CheckedFile,
): Promise<void> {
  await lockRecording(tx)
  // A further page may tell the credits of a day one by one.
  if (isLastPage) await explainWaiting(deps, tx, file.bank_file_id)
  await announceUntold(deps, tx, file.bank_file_id)
  await store.finishFile(tx, file, records)
}

/** Lets a worker try a file later, or quarantines it once workers have failed too often. Its records so far count. */
async function postpone(deps: IncomingDeps, file: store.ClaimedFile): Promise<void> {
  const failures = await store.postponeFile(deps.database, file, retrySeconds)
  if (failures < mostFailures) return
  const problem = `Svc failed ${failures} times to apply it: the log tells why`
  await store.quarantineFile(deps.database, file, { code: 'FAILED', problem })
  deps.onQuarantined({ bankFileId: file.bank_file_id, code: 'FAILED' })
  await deps.exchange.quarantine(keptName(file.bank_file_id, file.name), `FAILED: ${problem}`)
}

async function openFile({ exchange }: IncomingDeps, kept: string): Promise<OpenedFile> {
  const find = () => exchange.openTaken(kept)
  const opened = (await find()) ?? ((await exchange.restore(kept)) ? await find() : undefined)
  if (!opened) throw new Error(`the bank file ${kept} is neither in received/ nor in quarantine/`)
  return opened
}

/** True when a file has other bytes than those that were registered: its upload had only paused. */
async function isChanged(deps: IncomingDeps, file: store.ClaimedFile, kept: string): Promise<boolean> {
  const { contentHash } = await hashFile(await openFile(deps, kept))
  return !contentHash.equals(file.content_hash)
}

/** Ends the reading of a file that was not complete, and lets the next scan register what it has become. */
async function dropFile(deps: IncomingDeps, file: store.ClaimedFile, kept: string): Promise<void> {
  await store.dropFile(deps.database, file)
  await deps.exchange.rename(kept, keptName(newId(), file.name))
}

/** An error of the file itself has a code; any other error is ours, and the file is tried again. */
function readProblem(error: unknown): { code: string; problem: string } | undefined {
  if (!(error instanceof Error) || !['BankFileError', 'UnusableFile'].includes(error.name)) return undefined
  const { code, message } = error as Error & { code: string }
  return { code, problem: message.slice(0, 500) }
}

type Applying = { checked: CheckedFile; findAccount: FindAccount; leaseMs: number }

async function applyChunks(
  deps: IncomingDeps,
  file: store.ClaimedFile,
  source: AsyncIterable<Buffer>,
  applying: Applying,
): Promise<void> {
  let place = 0
  let chunk: ReadyRecord[] = []
  const flush = async () => {
    const ready = chunk
    chunk = []
    if (ready.length > 0) await deps.database.inTx((tx) => applyChunk(deps, tx, file, { ...applying, ready, place }))
    deps.onPoint('bank records applied')
  }
  for await (const record of deps.formats.readIncoming(source)) {
    place += 1
    if (place <= Number(file.records_done)) continue
    chunk.push(await readyRecord(deps, record, await accountOf(record, applying.findAccount)))
    if (chunk.length >= chunkSize) await flush()
  }
  await flush()
}

async function applyChunk(
  deps: IncomingDeps,
  tx: Tx,
  file: store.ClaimedFile,
  { checked, leaseMs, ready, place }: Applying & { ready: readonly ReadyRecord[]; place: number },
): Promise<void> {
  const { format, messageId, createdAt } = checked.first
  await lockRecording(tx)
  await store.recordProgress(tx, file, {
    recordsDone: place,
    leaseMs,
    format,
    messageId,
    bankAccountId: checked.account?.bankAccountId ?? null,
  })
  const applied = { bankFileId: file.bank_file_id, format, createdAt }
  const applying = { ...deps, findVirtualAccount: rememberAccounts(deps.findVirtualAccount) }
  const credits: string[] = []
  for (const record of ready) {
    const credit = await applyRecord(applying, tx, applied, record)
    if (credit) credits.push(credit)
  }
  await linkRecalls(applying, tx, credits)
}

/** Looks each account up once for a chunk: the credits of a statement name a few accounts of ours. */
function rememberAccounts(find: ApplyDeps['findVirtualAccount']): ApplyDeps['findVirtualAccount'] {
  const found = new Map<string, ReturnType<typeof find>>()
  return (tx, named) => {
    const key = JSON.stringify(named)
    const known = found.get(key) ?? find(tx, named)
    found.set(key, known)
    return known
  }
}
