import type { Queryable, Tx } from '../../../db/database.ts'
import { type Claimed, claimWork, requireFence, type WorkTable } from '../../../db/work.ts'
import { dueIn } from '../../../db/workers/due.ts'
import { type IncomingStatus, incomingMoves } from '../bank-file.ts'

const files: WorkTable = { table: 'svc.bank_files', key: ['bank_file_id'], dueBy: 'real time' }

export type ReceivedFile = { bankFileId: string; name: string; contentHash: Buffer; size: number }
export type KnownFile = {
  bankFileId: string
  name: string
  status: IncomingStatus
  problemCode: string | null
  problem: string | null
}

const known = `bank_file_id as "bankFileId", name, status, problem_code as "problemCode",
               problem_code || ': ' || problem as problem`

/**
 * Registers a file by its content. Answers it, or the file that has the same bytes if the bank sent them before; undefined
 * when another process registers it at this moment.
 */
export async function registerFile(database: Queryable, file: ReceivedFile): Promise<KnownFile | undefined> {
  const [registered] = await database.query<KnownFile>({
    name: 'register incoming bank file',
    text: `with registered as (
             insert into svc.bank_files (bank_file_id, direction, status, name, content_hash, size, created_at, changed_at,
                    due_at)
             values ($1, 'INCOMING', 'RECEIVED', $2, $3, $4, svc.now(), svc.now(), clock_timestamp())
                 on conflict do nothing returning ${known})
           select "bankFileId", name, status, "problemCode", problem from registered
            union all
           select ${known} from svc.bank_files where direction = 'INCOMING' and content_hash = $3`,
    values: [file.bankFileId, file.name, file.contentHash, file.size],
  })
  return registered
}

export function findFiles(database: Queryable, bankFileIds: readonly string[]): Promise<KnownFile[]> {
  return database.query<KnownFile>({
    name: 'find incoming bank files',
    text: `select ${known} from svc.bank_files where direction = 'INCOMING' and bank_file_id = any($1)`,
    values: [bankFileIds],
  })
}

/** Lets a worker read a dropped file, whose bytes the bank has sent after all. */
export async function reviveFile(database: Queryable, bankFileId: string): Promise<void> {
  const { from, to } = incomingMoves.revive
  await database.query({
    name: 'revive bank file',
    text: `update svc.bank_files
              set status = $2, problem_code = null, problem = null, due_at = clock_timestamp(), changed_at = svc.now(),
                  deliveries = deliveries + 1
            where bank_file_id = $1 and status = any($3) and problem_code = 'CHANGED'`,
    values: [bankFileId, to, from],
  })
}

export async function countDelivery(database: Queryable, bankFileId: string): Promise<number> {
  const [counted] = await database.query<{ deliveries: number }>({
    name: 'count delivery of bank file',
    text: 'update svc.bank_files set deliveries = deliveries + 1 where bank_file_id = $1 returning deliveries',
    values: [bankFileId],
  })
  return counted?.deliveries ?? 0
}

export type ClaimedFile = Claimed<{ bank_file_id: string; name: string; content_hash: Buffer; records_done: string }>

export const dueFiles = dueIn(files)

export function claimFiles(database: Queryable, limit: number, leaseMs: number): Promise<ClaimedFile[]> {
  return claimWork(database, files, { limit, leaseMs, columns: ['name', 'content_hash', 'records_done'] })
}

export async function renewLease(database: Queryable, { bank_file_id, fence }: ClaimedFile, leaseMs: number) {
  await database.query({
    name: 'renew lease of bank file',
    text: `update svc.bank_files set lease_until = clock_timestamp() + $3 * interval '1 millisecond'
            where bank_file_id = $1 and fence = $2 and due_at is not null`,
    values: [bank_file_id, fence, leaseMs],
  })
}

/** Lets a worker try a file later; answers how often workers have failed since its last progress. */
export async function postponeFile(
  database: Queryable,
  { bank_file_id, fence }: ClaimedFile,
  seconds: number,
): Promise<number> {
  const [postponed] = await database.query<{ failures: number }>({
    name: 'postpone bank file',
    text: `update svc.bank_files
              set due_at = clock_timestamp() + $3 * interval '1 second', lease_until = null, failures = failures + 1
            where bank_file_id = $1 and fence = $2 and due_at is not null returning failures`,
    values: [bank_file_id, fence, seconds],
  })
  return postponed?.failures ?? 0
}

export type FileFacts = { format: string; messageId: string; bankAccountId: string | null }

/** Records the progress in a file, and renews the lease; throws when another worker has taken it over. */
export async function recordProgress(
  tx: Tx,
  { bank_file_id, fence }: ClaimedFile,
  { recordsDone, leaseMs, format, messageId, bankAccountId }: FileFacts & { recordsDone: number; leaseMs: number },
): Promise<void> {
  const touched = await tx.query({
    name: 'record progress in bank file',
    text: `update svc.bank_files
              set records_done = $3, failures = 0, format = $5, message_id = $6, bank_account_id = $7, changed_at = svc.now(),
                  lease_until = clock_timestamp() + $4 * interval '1 millisecond'
            where bank_file_id = $1 and fence = $2 and records_done <= $3 and status = 'RECEIVED' returning bank_file_id`,
    values: [bank_file_id, fence, recordsDone, leaseMs, format, messageId, bankAccountId],
  })
  requireFence(touched)
}

export async function finishFile(
  database: Queryable,
  { bank_file_id, fence }: ClaimedFile,
  itemCount: number,
): Promise<void> {
  const { from, to } = incomingMoves.apply
  const touched = await database.query({
    name: 'finish bank file',
    text: `update svc.bank_files
              set status = $4, item_count = $3, due_at = null, lease_until = null, changed_at = svc.now()
            where bank_file_id = $1 and fence = $2 and status = any($5) returning bank_file_id`,
    values: [bank_file_id, fence, itemCount, to, from],
  })
  requireFence(touched)
}

export async function quarantineFile(
  database: Queryable,
  { bank_file_id, fence }: ClaimedFile,
  { code, problem }: { code: string; problem: string },
): Promise<void> {
  const { from, to } = incomingMoves.quarantine
  const touched = await database.query({
    name: 'quarantine bank file',
    text: `update svc.bank_files
              set status = $5, problem_code = $3, problem = $4, due_at = null, lease_until = null, changed_at = svc.now()
            where bank_file_id = $1 and fence = $2 and status = any($6) returning bank_file_id`,
    values: [bank_file_id, fence, code, problem, to, from],
  })
  requireFence(touched)
}

/** Ends the reading of bytes that were not the whole file: the next scan registers what the file has become. */
export async function dropFile(database: Queryable, { bank_file_id, fence }: ClaimedFile): Promise<void> {
  const { from, to } = incomingMoves.drop
  const touched = await database.query({
    name: 'drop incomplete bank file',
    text: `update svc.bank_files
              set status = $3, problem_code = 'CHANGED', problem = 'The file was still being written',
                  due_at = null, lease_until = null, changed_at = svc.now()
            where bank_file_id = $1 and fence = $2 and status = any($4) returning bank_file_id`,
    values: [bank_file_id, fence, to, from],
  })
  requireFence(touched)
}
