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

/** Moves a file by an operator's decision; undefined when it is not in that state. */
export async function decideFile(
  tx: Tx,
  bankFileId: string,
  { from, to }: Move<IncomingStatus>,
): Promise<ListedFile | undefined> {
  const [decided] = await tx.query<ListedFile>({
    name: 'decide bank file',
    text: `update svc.bank_files
              set status = $3, changed_at = svc.now(), failures = 0, due_at = case when $3 = 'RECEIVED' then clock_timestamp() end,
                  problem_code = case when $3 = 'RECEIVED' then null else problem_code end,
                  problem = case when $3 = 'RECEIVED' then null else problem end
            where bank_file_id = $1 and direction = 'INCOMING' and status = any($2) returning ${columns}`,
    values: [bankFileId, from, to],
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
  /** Why it matches nothing, where Svc can tell. */
  reason: string | null
}

/** A debit that a worker tries to reverse for a day, or since an operator found the deposit of an older one. */
const isStuck = `outcome = 'REVERSING' and recorded_at < svc.now() - interval '1 day'`

/** Lists entries that match nothing of ours, oldest first. */
export function listUnmatched(database: Queryable, limit: number): Promise<OpenEntry[]> {
  return database.query<OpenEntry>({
    name: 'list unmatched bank entries',
    text: `select bank_entry_id as "bankEntryId", bank_account_id as "bankAccountId", direction,
                  is_reversal as "isReversal", amount, currency, booking_date::text as "bookingDate",
                  bank_reference as "bankReference", statement_key as "statementKey",
                  case outcome when 'REVERSING' then 'a worker cannot take the deposit back: the log tells why'
                       else reason end as reason
             from svc.bank_entries where outcome = 'UNMATCHED' or ${isStuck} order by bank_entry_id limit $1`,
    values: [limit],
  })
}

export type OpenCounts = {
  quarantined: number
  /** Recalls of banks without an answer, or that name several payments, and files of recalls that cannot be read. */
  recalls: number
  /** Recalls that were accepted, without the bank's debit for 15 days. */
  unsettledRecalls: number
  unmatched: number
  duplicates: number
  disputed: number
  changes: number
  /** Files of banks that wait to be read or applied, without progress, for ten minutes. */
  delayed: number
  foldersUnusable: number
}

/** Counts what waits for an operator. */
export async function countOpen(database: Queryable): Promise<OpenCounts> {
  const [counted] = await database.query<OpenCounts>({
    name: 'count open bank files',
    text: `with contested as (
             select distinct file.bank_file_id, coalesce(file.bank_status = 'DUPLICATE', false) as is_duplicate
               from svc.bank_files as file join svc.bank_file_items as item using (bank_file_id)
               join svc.payouts as payout using (payout_id)
              where file.direction = 'OUTGOING' and payout.status in ('WAITING', 'SENDING', 'SENT')
                and (file.bank_status in ('DUPLICATE', 'DISPUTED') or item.bank_status = 'DISPUTED'))
           select (select count(*)::int from svc.bank_files where status = 'QUARANTINED') as quarantined,
                  (select count(*)::int from svc.bank_recalls as recall
                    where status = 'OPEN' or status = 'ACCEPTED' and (
                          select count(*) from svc.bank_recall_payments as named
                           where named.bank_recall_id = recall.bank_recall_id and named.ruled_out_at is null) > 1)
                + (select count(*)::int from svc.bank_files where status = 'QUARANTINED' and problem_code = 'RECALL') as recalls,
                  (select count(*)::int from svc.bank_recalls
                    where status = 'ACCEPTED' and decided_at < svc.now() - interval '15 days') as "unsettledRecalls",
                  (select count(*)::int from svc.bank_entries where outcome = 'UNMATCHED')
                + (select count(*)::int from svc.bank_entries where ${isStuck}) as unmatched,
                  (select count(*)::int from svc.bank_changes where status = 'OPEN') as changes,
                  (select count(*)::int from svc.bank_folders where problem is not null) as "foldersUnusable",
                  (select count(*)::int from svc.bank_files
                    where status = 'RECEIVED' and changed_at < svc.now() - interval '10 minutes') as delayed,
                  (select count(*)::int from contested where is_duplicate) as duplicates,
                  (select count(*)::int from contested where not is_duplicate) as disputed`,
  })
  if (!counted) throw new Error('the database counts no bank files')
  return counted
}
