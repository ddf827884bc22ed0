import type { Queryable, Tx } from '../../../db/database.ts'
import { type Claimed, claimWork, type Due, type WorkTable } from '../../../db/work.ts'
import { businessNow, dueIn } from '../../../db/workers/due.ts'

/** Opens an account of the bank's ledger on first use. */
export async function insertAccount(tx: Tx, account: string, currency: string, balance: bigint): Promise<void> {
  await tx.query({
    name: 'insert sandbox bank account',
    text: `insert into svc.sandbox_bank_accounts (account, currency, stated_balance) values ($1, $2, $3)
               on conflict (account) do nothing`,
    values: [account, currency, String(balance)],
  })
}

/** Reserves numbers for new entries of an account; answers the first of them. Locks the account until the commit. */
export async function reserveEntryNumbers(tx: Tx, account: string, count: number): Promise<bigint> {
  const [reserved] = await tx.query<{ last: string }>({
    name: 'reserve numbers of sandbox bank entries',
    text: `update svc.sandbox_bank_accounts set entries = entries + $2 where account = $1 returning entries::text as last`,
    values: [account, count],
  })
  if (!reserved) throw new Error('the sandbox bank does not keep this account')
  return BigInt(reserved.last) - BigInt(count) + 1n
}

export type StoredEntry = {
  account: string
  number: string
  direction: 'CREDIT' | 'DEBIT'
  amount: string
  bankReference: string
  /** YYYY-MM-DD, in business time. */
  bookedOn: string
  sealedDetails: Buffer
}

const entryColumns = `account, number::text as number, direction, amount::text as amount,
  bank_reference as "bankReference", to_char(booked_at at time zone 'UTC', 'YYYY-MM-DD') as "bookedOn",
  sealed_details as "sealedDetails"`

export async function insertEntry(tx: Tx, entry: Omit<StoredEntry, 'bookedOn'>): Promise<void> {
  const { account, number, direction, amount, bankReference, sealedDetails } = entry
  await tx.query({
    name: 'insert sandbox bank entry',
    text: `insert into svc.sandbox_bank_entries (account, number, direction, amount, bank_reference, booked_at,
                  sealed_details)
           values ($1, $2, $3, $4, $5, svc.now(), $6)`,
    values: [account, number, direction, amount, bankReference, sealedDetails],
  })
}

/** Finds the first entry with this reference of the bank. */
export async function findEntry(
  database: Queryable,
  account: string,
  bankReference: string,
): Promise<StoredEntry | undefined> {
  const [found] = await database.query<StoredEntry>({
    name: 'find sandbox bank entry',
    text: `select ${entryColumns} from svc.sandbox_bank_entries
            where account = $1 and bank_reference = $2 order by number limit 1`,
    values: [account, bankReference],
  })
  return found
}

/** Lists the accounts with entries that no statement lists; only those of past days unless `untilNow`. */
/** Holds while entries of an earlier day are in no statement. */
export const hasEndedDays: Due = `exists (select from svc.sandbox_bank_entries
            where statement is null and booked_at < date_trunc('day', ${businessNow}, 'UTC'))`

export async function findUnstatedAccounts(database: Queryable, untilNow: boolean): Promise<string[]> {
  const found = await database.query<{ account: string }>({
    name: 'find unstated accounts of sandbox bank',
    text: `select distinct account from svc.sandbox_bank_entries
            where statement is null and ($1 or booked_at < date_trunc('day', svc.now(), 'UTC')) order by account`,
    values: [untilNow],
  })
  return found.map(({ account }) => account)
}

export type AccountState = { statements: string; statedBalance: string }

/** Locks an account, so that it gets one statement at a time. */
export async function lockAccount(tx: Tx, account: string): Promise<AccountState | undefined> {
  const [locked] = await tx.query<AccountState>({
    name: 'lock sandbox bank account',
    text: `select statements::text as statements, stated_balance::text as "statedBalance"
             from svc.sandbox_bank_accounts where account = $1 for no key update`,
    values: [account],
  })
  return locked
}

export function listUnstated(tx: Tx, account: string, untilNow: boolean): Promise<StoredEntry[]> {
  return tx.query<StoredEntry>({
    name: 'list unstated entries of sandbox bank',
    text: `select ${entryColumns} from svc.sandbox_bank_entries
            where account = $1 and statement is null and ($2 or booked_at < date_trunc('day', svc.now(), 'UTC'))
            order by number`,
    values: [account, untilNow],
  })
}

export async function recordStatement(
  tx: Tx,
  account: string,
  { number, closing, entries }: { number: bigint; closing: bigint; entries: readonly string[] },
): Promise<void> {
  await tx.query({
    name: 'mark stated entries of sandbox bank',
    text: `update svc.sandbox_bank_entries set statement = $2 where account = $1 and number = any($3::bigint[])`,
    values: [account, String(number), entries],
  })
  await tx.query({
    name: 'count statement of sandbox bank',
    text: 'update svc.sandbox_bank_accounts set statements = $2, stated_balance = $3 where account = $1',
    values: [account, String(number), String(closing)],
  })
}

const letters: WorkTable = { table: 'svc.sandbox_bank_letters', key: ['letter_id'], dueBy: 'real time' }

export const dueLetters = dueIn(letters)

export async function insertLetter(
  tx: Tx,
  { letterId, name, sealedContent }: { letterId: string; name: string; sealedContent: Buffer },
): Promise<void> {
  await tx.query({
    name: 'insert sandbox bank letter',
    text: `insert into svc.sandbox_bank_letters (letter_id, name, sealed_content, due_at)
           values ($1, $2, $3, clock_timestamp())`,
    values: [letterId, name, sealedContent],
  })
}

export type ClaimedLetter = Claimed<{ letter_id: string; name: string; sealed_content: Buffer }>

export function claimLetters(database: Queryable, limit: number, leaseMs: number): Promise<ClaimedLetter[]> {
  return claimWork(database, letters, { limit, leaseMs, columns: ['name', 'sealed_content'] })
}

/** Ends the work about a letter that was written, or, after a failure, tries again later. */
export async function finishLetter(
  database: Queryable,
  { letter_id, fence }: ClaimedLetter,
  retryInSeconds: number | null,
): Promise<void> {
  await database.query({
    name: 'finish sandbox bank letter',
    text: `update svc.sandbox_bank_letters
              set lease_until = null, due_at = clock_timestamp() + $3 * interval '1 second'
            where letter_id = $1 and fence = $2`,
    values: [letter_id, fence, retryInSeconds],
  })
}
