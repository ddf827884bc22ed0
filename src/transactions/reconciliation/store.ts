import type { Queryable, Tx } from '../../db/database.ts'
import type { ComparedName, ItemKind } from './reconciliation.ts'

export async function readToday(database: Queryable): Promise<string> {
  const [clock] = await database.query<{ today: string }>({
    name: 'read business day',
    text: `select (svc.now() at time zone 'UTC')::date::text as today`,
  })
  return clock?.today ?? ''
}

type ComparedRow = Omit<ComparedName, 'ledger' | 'outside' | 'ledgerNow' | 'outsideNow'> &
  Record<'ledger' | 'outside' | 'ledgerNow' | 'outsideNow', string>

/** Lets the statements of a database transaction take longer. */
export async function allowTime(tx: Tx, timeoutMs: number): Promise<void> {
  await tx.query({ text: `select set_config('statement_timeout', $1, true)`, values: [String(timeoutMs)] })
}

/** The names that agree and are listed: those after a name, in the order of kinds and references. */
export type MatchedSlice = { kind: string; reference: string; limit: number }

/** Compares the ledger with the bookings of a bank account at the end of a day: every open name, and some that agree. */
export async function compareAccount(
  tx: Tx,
  { bankAccountId, date }: { bankAccountId: string; date: string },
  { matched, timeoutMs, isFull }: { matched: MatchedSlice; timeoutMs: number | undefined; isFull: boolean },
): Promise<ComparedName[]> {
  const rows = await tx.query<ComparedRow>({
    name: 'reconcile bank account',
    text: `select kind, reference, ledger, outside, ledger_day::text as "ledgerDay", outside_day::text as "outsideDay",
                  is_of_day as "isOfDay", ledger_now as "ledgerNow", outside_now as "outsideNow", last_day::text as "lastDay"
             from svc.reconcile_bank_account($1, $2, $3, $4, $5, $6)`,
    values: [bankAccountId, date, matched.kind, matched.reference, matched.limit, isFull],
    ...(timeoutMs === undefined ? {} : { query_timeout: timeoutMs + 2_000 }),
  })
  return rows.map((row) => ({
    ...row,
    ledger: BigInt(row.ledger),
    outside: BigInt(row.outside),
    ledgerNow: BigInt(row.ledgerNow),
    outsideNow: BigInt(row.outsideNow),
  }))
}

/** Reads the ledger's balance of a bank account at the end of a day. Money that we hold is positive. */
export async function readLedgerBalance(
  database: Queryable,
  { bankAccountId, date }: { bankAccountId: string; date: string },
  isFull: boolean,
): Promise<bigint> {
  const [found] = await database.query<{ balance: string }>({
    name: 'sum ledger lines of bank account',
    text: 'select svc.sum_ledger_lines($1, $2, $3) as balance',
    values: [bankAccountId, date, isFull],
  })
  return BigInt(found?.balance ?? 0)
}

/** Finds the day of the last statement up to a day; undefined before the first. */
export async function findLastStatement(tx: Tx, bankAccountId: string, date: string): Promise<string | undefined> {
  const [found] = await tx.query<{ day: string | null }>({
    name: 'find last bank statement',
    text: `select max(day)::text as day from svc.bank_statements where bank_account_id = $1 and day <= $2`,
    values: [bankAccountId, date],
  })
  return found?.day ?? undefined
}

/** A line of the ledger's own statement of a bank account. */
export type StatementLine = {
  kind: ItemKind
  reference: string
  /** Positive for money that came in. */
  amount: bigint
  postingId: string
  entryNumber: number
  postingReference: string
  fact: string
  /** The bank's own reference, where a message of the bank has told it. */
  bankReference: string | null
  /** The bank's reason for a return. */
  reason: string | null
  /** Charges that the bank told together with a payout. The ledger has a line of its own for those that it booked. */
  costs: bigint
}

export type LinePlace = Pick<StatementLine, 'postingId' | 'entryNumber'>

/** Reads the lines of a day that follow a place. */
export async function pageLines(
  database: Queryable,
  { bankAccountId, date }: { bankAccountId: string; date: string },
  after: LinePlace,
  limit: number,
): Promise<StatementLine[]> {
  const rows = await database.query<Omit<StatementLine, 'amount' | 'costs'> & { amount: string; costs: string | null }>(
    {
      name: 'page ledger lines of bank account',
      text: `select kind, reference, amount, posting_id as "postingId", entry_number as "entryNumber",
                  posting_reference as "postingReference", fact, bank_reference as "bankReference", reason, costs
             from svc.page_ledger_lines($1, $2, $3, $4, $5)`,
      values: [bankAccountId, date, after.postingId, after.entryNumber, limit],
    },
  )
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount), costs: BigInt(row.costs ?? 0) }))
}
