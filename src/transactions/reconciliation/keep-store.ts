import type { Database, Tx } from '../../db/database.ts'
import { allowTime } from './store.ts'

/** The most lines or entries that one database transaction names. */
const sliceSize = 10_000

/** The time limit of a slice, which no caller waits for: with a long history that is all open it takes seconds. */
const longMs = 600_000

const lowestId = '00000000-0000-0000-0000-000000000000'

type LinePlace = { day: string; posting: string; entry: number }

/** Keeps the names of an account's lines and bookings, so that later comparisons need not find them again. */
export async function keepNames(database: Database, bankAccountId: string): Promise<void> {
  let line: LinePlace | undefined = { day: '-infinity', posting: lowestId, entry: 0 }
  while (line) {
    const after: LinePlace = line
    line = await inOneMoment(database, (tx) => keepLines(tx, bankAccountId, after))
  }
  let entry: string | undefined = lowestId
  while (entry) {
    const after: string = entry
    entry = await inOneMoment(database, (tx) => keepBookings(tx, bankAccountId, after))
  }
}

/** Works on one moment: records that commit meanwhile stay open. */
function inOneMoment<Result>(database: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return database.inTx(async (tx) => {
    await tx.query({ text: 'set transaction isolation level repeatable read' })
    await allowTime(tx, longMs)
    return work(tx)
  })
}

async function keepLines(tx: Tx, bankAccountId: string, after: LinePlace): Promise<LinePlace | undefined> {
  const [last] = await tx.query<{ [Part in keyof LinePlace]: LinePlace[Part] | null }>({
    name: 'keep names of ledger lines',
    text: `select p_day::text as day, p_posting as posting, p_entry as entry
             from svc.keep_ledger_lines($1, $2, $3, $4, $5::smallint)`,
    values: [bankAccountId, sliceSize, after.day, after.posting, after.entry],
    query_timeout: longMs,
  })
  return last?.day ? (last as LinePlace) : undefined
}

async function keepBookings(tx: Tx, bankAccountId: string, after: string): Promise<string | undefined> {
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
    return wrong
  })
}
