import type { Queryable, Tx } from '../../../db/database.ts'
import { type OutgoingBankFile, outgoingMoves } from '../bank-file.ts'

const columns = `file.bank_file_id as "bankFileId", file.status, file.message_id as "messageId", file.name,
  file.bank_account_id as "bankAccountId", file.service, file.currency, file.staging_name as "stagingName",
  file.not_after as "notAfter", file.not_after < svc.now() as "isOverdue", file.bank_status as "bankStatus",
  file.bank_reason as "bankReason", file.answered_by is null or exists (
    select from svc.bank_files as answer
     where answer.bank_file_id = file.answered_by and answer.status = 'APPLIED') as "isAnswerWhole"`

export type NewOutgoingFile = Pick<
  OutgoingBankFile,
  'bankFileId' | 'messageId' | 'name' | 'bankAccountId' | 'service' | 'currency' | 'notAfter'
> & {
  format: string
  executionDate: string
  contentHash: Buffer
  size: number
  total: bigint
  number: FileNumber | undefined
  createdAt: Date
}

/** The number of a NACHA file: one letter or digit per day and destination. */
export type FileNumber = { destination: string; day: string; modifier: string; round: number }

export async function insertFile(tx: Tx, file: NewOutgoingFile, items: readonly NewItem[]): Promise<void> {
  const { number } = file
  await tx.query({
    name: 'insert outgoing bank file',
    text: `insert into svc.bank_files (bank_file_id, direction, status, name, format, message_id, bank_account_id,
                  service, execution_date, content_hash, size, item_count, total, currency, not_after, destination,
                  number_day, modifier, modifier_round, created_at, changed_at)
           values ($1, 'OUTGOING', 'PREPARED', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
                  $18, svc.now())`,
    values: [
      file.bankFileId,
      file.name,
      file.format,
      file.messageId,
      file.bankAccountId,
      file.service,
      file.executionDate,
      file.contentHash,
      file.size,
      items.length,
      file.total,
      file.currency,
      file.notAfter,
      number?.destination ?? null,
      number?.day ?? null,
      number?.modifier ?? null,
      number?.round ?? 0,
      file.createdAt,
    ],
  })
  await tx.query({
    name: 'insert items of bank file',
    text: `insert into svc.bank_file_items (bank_file_id, place, reference, payout_id, attempt, amount)
           select $1, place, reference, payout_id, attempt, amount
             from unnest($2::text[], $3::uuid[], $4::integer[], $5::numeric[])
                  with ordinality as item (reference, payout_id, attempt, amount, place)`,
    values: [
      file.bankFileId,
      items.map(({ reference }) => reference),
      items.map(({ payoutId }) => payoutId),
      items.map(({ attempt }) => attempt),
      items.map(({ amount }) => amount),
    ],
  })
}

export type NewItem = { reference: string; payoutId: string; attempt: number; amount: bigint }

/**
 * Lets files lapse that were prepared for the same attempts and not committed: the worker prepares an attempt again only
 * then, and no worker can commit the former file any more.
 */
export async function supersedeFiles(tx: Tx, items: readonly NewItem[]): Promise<void> {
  await tx.query({
    name: 'supersede prepared bank files',
    text: `update svc.bank_files as file set status = 'LAPSED', changed_at = svc.now()
            where file.status = 'PREPARED' and exists (
                  select from svc.bank_file_items as item
                    join unnest($1::uuid[], $2::integer[]) as wanted (payout_id, attempt)
                      on item.payout_id = wanted.payout_id and item.attempt = wanted.attempt
                   where item.bank_file_id = file.bank_file_id)`,
    values: [items.map(({ payoutId }) => payoutId), items.map(({ attempt }) => attempt)],
  })
}

/** A number in use, with the file that has it. */
export type UsedNumber = { modifier: string; round: number; bankAccountId: string; service: string; createdAt: Date }

/** Locks the numbers of a day, and lists those in use. Files that can never leave any more free theirs. */
export async function lockNumbers(tx: Tx, destination: string, day: string): Promise<UsedNumber[]> {
  await tx.query({
    name: 'lock numbers of bank files',
    text: `select pg_advisory_xact_lock(hashtext('svc bank file numbers'), hashtext($1))`,
    values: [`${destination} ${day}`],
  })
  await tx.query({
    name: 'free numbers of bank files',
    text: `update svc.bank_files set status = 'LAPSED', changed_at = svc.now()
            where destination = $1 and number_day = $2 and status = 'PREPARED' and not_after < svc.now()`,
    values: [destination, day],
  })
  return tx.query({
    name: 'list numbers of bank files',
    text: `select modifier, modifier_round as round, bank_account_id as "bankAccountId", service,
                  created_at as "createdAt" from svc.bank_files
            where destination = $1 and number_day = $2 and modifier is not null and status <> 'LAPSED'`,
    values: [destination, day],
  })
}

export async function findFile(database: Queryable, messageId: string): Promise<OutgoingBankFile | undefined> {
  const [found] = await database.query<OutgoingBankFile>({
    name: 'find outgoing bank file',
    text: `select ${columns} from svc.bank_files as file where direction = 'OUTGOING' and message_id = $1`,
    values: [messageId],
  })
  return found
}

/**
 * Records the staged file, unless another process has staged it or its time is over. A file that was written more than an
 * hour ago is not recorded: it may be swept.
 */
export async function stageFile(
  database: Queryable,
  bankFileId: string,
  { stagingName, writtenAt }: { stagingName: string; writtenAt: Date },
): Promise<boolean> {
  const staged = await database.query({
    name: 'stage bank file',
    text: `update svc.bank_files set status = $3, staging_name = $2, changed_at = svc.now()
            where bank_file_id = $1 and status = any($4) and not_after >= svc.now()
              and $5 > clock_timestamp() - interval '1 hour' returning bank_file_id`,
    values: [bankFileId, stagingName, outgoingMoves.stage.to, outgoingMoves.stage.from, writtenAt],
  })
  return staged.length > 0
}

/** Records that a staged file was moved to the bank. */
export async function recordRelease(database: Queryable, bankFileId: string): Promise<void> {
  await database.query({
    name: 'record release of bank file',
    text: `update svc.bank_files set status = $2, changed_at = svc.now()
            where bank_file_id = $1 and status = any($3)`,
    values: [bankFileId, outgoingMoves.release.to, outgoingMoves.release.from],
  })
}

/** Lets a file lapse that is still in this status; false when another process was faster. */
export async function lapseFile(
  database: Queryable,
  { bankFileId, status }: Pick<OutgoingBankFile, 'bankFileId' | 'status'>,
): Promise<boolean> {
  const lapsed = await database.query({
    name: 'let bank file lapse',
    text: `update svc.bank_files set status = $3, changed_at = svc.now()
            where bank_file_id = $1 and status = $2 and status = any($4) returning bank_file_id`,
    values: [bankFileId, status, outgoingMoves.lapse.to, outgoingMoves.lapse.from],
  })
  return lapsed.length > 0
}
