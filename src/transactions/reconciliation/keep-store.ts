import type { Database, Queryable, Tx } from '../../db/database.ts'
import type { Due } from '../../db/work.ts'

/** The most lines or entries that one database transaction names. */
const largeSlice = 10_000

/** The time limit of a slice, which no caller waits for: with a long history that is all open it takes seconds. */
const longMs = 600_000

const lowestId = '00000000-0000-0000-0000-000000000000'

type Slice = { bankAccountId: string; sliceSize: number }
type LinePlace = { day: string; posting: string; entry: number }

/** Keeps the names of an account's lines and bookings, so that later comparisons need not find them again. */
export async function keepNames(database: Database, bankAccountId: string, sliceSize = largeSlice): Promise<void> {
  const slice = { bankAccountId, sliceSize }
  await beginKeeping(database, bankAccountId)
  while ((await inOneMoment(database, (tx) => forgetStale(tx, slice))) > 0);
  let line: LinePlace | undefined = { day: '-infinity', posting: lowestId, entry: 0 }
  while (line) {
    const after: LinePlace = line
    line = await inOneMoment(database, (tx) => keepLines(tx, slice, after))
  }
  let entry: string | undefined = lowestId
  while (entry) {
    const after: string = entry
    entry = await inOneMoment(database, (tx) => keepBookings(tx, slice, after))
  }
}

/**
 * Works on one moment, and alone on what is kept: records that commit meanwhile stay open. PostgreSQL chooses the moment
 * with the first query. Neither "set" nor "lock table" is one, so it comes after all that others have kept.
 */
function inOneMoment<Result>(database: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return database.inTx(async (tx) => {
    await tx.query({ text: 'set transaction isolation level repeatable read' })
    await tx.query({ text: `set local statement_timeout = ${longMs}` })
    await tx.query({ text: 'lock table svc.kept_accounts in share update exclusive mode', query_timeout: longMs })
    return work(tx)
  })
}

/** Enters an account whose names are kept from now on, so that they are proved in time. */
async function beginKeeping(database: Queryable, bankAccountId: string): Promise<void> {
  await database.query({
    name: 'begin to keep names',
    text: 'insert into svc.kept_accounts (bank_account_id) values ($1) on conflict do nothing',
    values: [bankAccountId],
  })
}

async function forgetStale(tx: Tx, { bankAccountId, sliceSize }: Slice): Promise<number> {
  const [forgotten] = await tx.query<{ count: number }>({
    name: 'forget stale names',
    text: 'select svc.forget_stale_bookings($1, $2) as count',
    values: [bankAccountId, sliceSize],
    query_timeout: longMs,
  })
  return forgotten?.count ?? 0
}

async function keepLines(tx: Tx, { bankAccountId, sliceSize }: Slice, after: LinePlace) {
  const [last] = await tx.query<{ [Part in keyof LinePlace]: LinePlace[Part] | null }>({
    name: 'keep names of ledger lines',
    text: `select p_day::text as day, p_posting as posting, p_entry as entry
             from svc.keep_ledger_lines($1, $2, $3, $4, $5::smallint)`,
    values: [bankAccountId, sliceSize, after.day, after.posting, after.entry],
    query_timeout: longMs,
  })
  return last?.day ? (last as LinePlace) : undefined
}

async function keepBookings(tx: Tx, { bankAccountId, sliceSize }: Slice, after: string): Promise<string | undefined> {
  const [last] = await tx.query<{ entry: string | null }>({
    name: 'keep names of bank bookings',
    text: 'select svc.keep_bank_bookings($1, $2, $3) as entry',
    values: [bankAccountId, sliceSize, after],
    query_timeout: longMs,
  })
  return last?.entry ?? undefined
}

export type WrongName = { kind: string; reference: string }

/**
 * Makes all names of an account anew from its records, and compares them with the kept ones. Where one differs, it forgets
 * what is kept.
 */
export function proveNames(database: Database, bankAccountId: string): Promise<WrongName[]> {
  return inOneMoment(database, async (tx) => {
    const limited = { values: [bankAccountId], query_timeout: longMs }
    const wrong = await tx.query<WrongName>({
      text: 'select kind, reference from svc.find_wrong_names($1) order by kind, reference',
      ...limited,
    })
    if (wrong.length > 0) await tx.query({ text: 'select svc.reopen_bank_account($1)', ...limited })
    await tx.query({
      text: 'update svc.kept_accounts set proved_at = clock_timestamp(), wrong = $2 where bank_account_id = $1',
      values: [bankAccountId, wrong.length],
    })
    return wrong
  })
}

const proofEndsAt = `proved_at + interval '7 days'`

/** Holds while an account was not proved for a week. */
export const unprovedDue: Due = `exists (select from svc.kept_accounts where ${proofEndsAt} <= clock_timestamp())`

export async function listUnproved(database: Queryable): Promise<string[]> {
  const unproved = await database.query<{ bankAccountId: string }>({
    name: 'list unproved accounts',
    text: `select bank_account_id as "bankAccountId" from svc.kept_accounts where ${proofEndsAt} <= clock_timestamp()
            order by proved_at`,
  })
  return unproved.map(({ bankAccountId }) => bankAccountId)
}

/** Counts the accounts of which something was kept wrongly at the last proof, and those not proved for two weeks. */
export async function countDoubtful(database: Queryable): Promise<number> {
  const [counted] = await database.query<{ count: number }>({
    name: 'count doubtful accounts',
    text: `select count(*)::integer as count from svc.kept_accounts
            where wrong > 0 or ${proofEndsAt} <= clock_timestamp() - interval '7 days'`,
  })
  return counted?.count ?? 0
}
