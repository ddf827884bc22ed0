import type { Database, Tx } from '../../../db/database.ts'
import { advanceDue } from '../../../db/work.ts'
import { newId } from '../../../lib/ids.ts'
import type { BankAccount } from '../../treasury/bank-account.ts'
import { keptName } from '../bank-file.ts'
import { applyReversals, type ReversalDeps } from '../entries/reversals.ts'
import type { BankExchange, OpenedFile } from '../exchange.ts'
import type { BankFormats } from '../formats.ts'
import { type ApplyDeps, applyRecord, type ReadyRecord, readyRecord } from './apply.ts'
import * as store from './file-store.ts'
import { accountOf, type CheckedFile, checkFile, createAccountFinder, type FindAccount, hashFile } from './read.ts'

export type IncomingDeps = ApplyDeps &
  ReversalDeps & {
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

/**
 * Receives the files of banks. A file is known by its bytes, checked to its end before anything of it counts, and
 * applied in chunks that continue where a worker stopped. One file that fails stops no other.
 */
export function createIncomingService(deps: IncomingDeps) {
  const { database, exchange } = deps
  return {
    /** Registers the files in incoming/, and applies those that are due. Answers how many there were. */
    receiveDue: async (limit: number, leaseMs: number): Promise<number> => {
      await scan(deps)
      const applied = await advanceDue({
        claim: () => store.claimFiles(database, limit, leaseMs),
        advance: (file) => applyFile(deps, file, leaseMs),
        postpone: (file) => store.postponeFile(database, file, retrySeconds),
        onFailure: deps.onFailure,
        onAdvanced: () => deps.onPoint('bank file advanced'),
      })
      return applied + (await applyReversals(deps, limit))
    },

    /** Lists names in incoming/, for tests and operators. */
    listIncoming: () => exchange.listIncoming(),
  }
}

async function scan(deps: IncomingDeps): Promise<void> {
  for (const { name, size, isSettled } of await deps.exchange.listIncoming()) {
    if (!isSettled) continue
    await register(deps, name, size).catch(deps.onFailure)
  }
}

async function register({ database, exchange }: IncomingDeps, name: string, size: number): Promise<void> {
  const source = await exchange.openIncoming(name)
  if (!source) return
  const contentHash = await hashFile(source)
  const known = await store.registerFile(database, { bankFileId: newId(), name, contentHash, size })
  const isWaiting = known.status === 'RECEIVED' && known.name === name
  if (known.isNew || isWaiting) return
  const kept = keptName(known.bankFileId, known.name)
  // A worker died before it had moved the file.
  if (known.status === 'QUARANTINED' && !(await exchange.isQuarantined(kept)))
    return exchange.quarantine(name, kept, known.problem ?? 'unknown')
  const deliveries = await store.countDelivery(database, known.bankFileId)
  await exchange.archive(name, `${known.bankFileId}-again-${deliveries}-${name}`)
}

async function applyFile(deps: IncomingDeps, file: store.ClaimedFile, leaseMs: number): Promise<void> {
  const { exchange } = deps
  const isVirtual: Parameters<typeof createAccountFinder>[1] = async (named) =>
    (await deps.database.inTx((tx) => deps.findVirtualAccount(tx, named))) !== undefined
  const findAccount = createAccountFinder(await deps.listAccounts(), isVirtual)
  const source = await openFile(deps, file)
  let checked: CheckedFile
  try {
    checked = await checkFile(deps.formats, source.chunks, file.content_hash, findAccount).finally(source.close)
  } catch (error) {
    const unusable = readProblem(error)
    if (!unusable) throw error
    if (await isChanged(deps, file)) return store.dropFile(deps.database, file)
    await store.quarantineFile(deps.database, file, unusable)
    deps.onQuarantined({ bankFileId: file.bank_file_id, code: unusable.code })
    return exchange.quarantine(file.name, keptAs(file), `${unusable.code}: ${unusable.problem}`)
  }
  const again = await openFile(deps, file)
  await applyChunks(deps, file, again.chunks, { checked, findAccount, leaseMs }).finally(again.close)
  await store.finishFile(deps.database, file, checked.records)
  deps.onPoint('bank file applied')
  await exchange.archive(file.name, keptAs(file))
}

async function openFile({ exchange }: IncomingDeps, { name, bank_file_id }: store.ClaimedFile): Promise<OpenedFile> {
  const find = () => exchange.openIncoming(name)
  const opened =
    (await find()) ?? ((await exchange.restore(keptName(bank_file_id, name), name)) ? await find() : undefined)
  if (!opened) throw new Error(`the bank file ${bank_file_id} is not in incoming/ any more`)
  return opened
}

/** True when a file has other bytes than those that were registered: its upload had only paused. */
async function isChanged(deps: IncomingDeps, file: store.ClaimedFile): Promise<boolean> {
  return !(await hashFile(await openFile(deps, file))).equals(file.content_hash)
}

const keptAs = ({ bank_file_id, name }: store.ClaimedFile) => keptName(bank_file_id, name)

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
  const { format, messageId } = checked.first
  await store.lockRecording(tx)
  await store.recordProgress(tx, file, {
    recordsDone: place,
    leaseMs,
    format,
    messageId,
    bankAccountId: checked.account?.bankAccountId ?? null,
  })
  for (const record of ready) await applyRecord(deps, tx, { bankFileId: file.bank_file_id, format }, record)
}
