import type { Queryable, Tx } from '../../db/database.ts'
import type { PageSlice } from '../../lib/pages.ts'
import type { Move } from '../../lib/transitions.ts'
import type { BankFileStatus, IncomingStatus, ListedFile } from './bank-file.ts'

const columns = `bank_file_id as "bankFileId", direction, status, name, format, message_id as "messageId",
  bank_account_id as "bankAccountId", service, execution_date::text as "executionDate", currency,
  item_count as "itemCount", total, bank_status as "bankStatus", bank_reason as "bankReason",
  problem_code as "problemCode", problem, deliveries, created_at as "createdAt", changed_at as "changedAt"`

export type FileFilter = { status?: BankFileStatus; direction?: 'OUTGOING' | 'INCOMING' }

export function listFiles(
  database: Queryable,
  { status, direction }: FileFilter,
  slice: PageSlice,
): Promise<ListedFile[]> {
  return database.query<ListedFile>({
    name: 'list bank files',
    text: `select ${columns} from svc.bank_files
            where bank_file_id < coalesce($1::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
              and ($3::text is null or status = $3) and ($4::text is null or direction = $4)
            order by bank_file_id desc limit $2`,
    values: [slice.after ?? null, slice.limit, status ?? null, direction ?? null],
  })
}

export async function findFile(database: Queryable, bankFileId: string): Promise<ListedFile | undefined> {
  const [found] = await database.query<ListedFile>({
    name: 'find bank file',
    text: `select ${columns} from svc.bank_files where bank_file_id = $1`,
    values: [bankFileId],
  })
  return found
}

/** Moves a file by an operator's decision, to another name if it is read again; undefined when it is not in that state. */
export async function decideFile(
  tx: Tx,
  bankFileId: string,
  { from, to }: Move<IncomingStatus>,
  newName?: string,
): Promise<ListedFile | undefined> {
  const [decided] = await tx.query<ListedFile>({
    name: 'decide bank file',
    text: `update svc.bank_files
              set status = $3, name = coalesce($4, name), changed_at = svc.now(), due_at = case when $3 = 'RECEIVED' then clock_timestamp() end,
                  problem_code = case when $3 = 'RECEIVED' then null else problem_code end,
                  problem = case when $3 = 'RECEIVED' then null else problem end
            where bank_file_id = $1 and direction = 'INCOMING' and status = any($2) returning ${columns}`,
    values: [bankFileId, from, to, newName ?? null],
  })
  return decided
}

export type OpenEntry = {
  bankEntryId: string
  bankAccountId: string
  direction: 'CREDIT' | 'DEBIT'
  isReversal: boolean
  amount: string
  currency: string
  bookingDate: string | null
  bankReference: string | null
  statementKey: string
}

/** Lists entries that match nothing of ours, oldest first. */
export function listUnmatched(database: Queryable, limit: number): Promise<OpenEntry[]> {
  return database.query<OpenEntry>({
    name: 'list unmatched bank entries',
    text: `select bank_entry_id as "bankEntryId", bank_account_id as "bankAccountId", direction,
                  is_reversal as "isReversal", amount, currency, booking_date::text as "bookingDate",
                  bank_reference as "bankReference", statement_key as "statementKey"
             from svc.bank_entries where outcome = 'UNMATCHED' order by bank_entry_id limit $1`,
    values: [limit],
  })
}

export type ListedChange = { changeId: string; reference: string; code: string; recordedAt: Date }

/** Lists notifications of change, newest first. */
export function listChanges(database: Queryable, limit: number): Promise<ListedChange[]> {
  return database.query<ListedChange>({
    name: 'list bank changes',
    text: `select change_id as "changeId", reference, code, recorded_at as "recordedAt"
             from svc.bank_changes order by recorded_at desc, change_id limit $1`,
    values: [limit],
  })
}

export type OpenCounts = { quarantined: number; unmatched: number; duplicates: number }

/** Counts what waits for an operator. */
export async function countOpen(database: Queryable): Promise<OpenCounts> {
  const [counted] = await database.query<OpenCounts>({
    name: 'count open bank files',
    text: `select (select count(*)::int from svc.bank_files where status = 'QUARANTINED') as quarantined,
                  (select count(*)::int from svc.bank_entries where outcome = 'UNMATCHED') as unmatched,
                  (select count(*)::int from svc.bank_files as file where bank_status = 'DUPLICATE'
                      and exists (select from svc.bank_file_items as item where item.bank_file_id = file.bank_file_id
                        and not exists (select from svc.bank_payments as payment
                                         where payment.reference = item.reference))) as duplicates`,
  })
  return counted ?? { quarantined: 0, unmatched: 0, duplicates: 0 }
}
