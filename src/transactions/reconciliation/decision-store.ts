import type { Queryable, Tx } from '../../db/database.ts'
import { openEntries } from '../bank-files/open-store.ts'
import { type Accepted, nameKey } from './reconciliation.ts'

type Named = { kind: string; reference: string }

/** Reads the differences of an account that an operator has accepted. */
export async function readAccepted(database: Queryable, bankAccountId: string): Promise<Accepted> {
  const rows = await database.query<Named & { amount: string }>({
    name: 'read accepted differences',
    text: `select kind, reference, amount from svc.accepted_differences
            where bank_account_id = $1 and withdrawn_at is null`,
    values: [bankAccountId],
  })
  return new Map(rows.map((row) => [nameKey(row), BigInt(row.amount)]))
}

/** Accepts what a bank has more than the ledger under a name. It replaces what was accepted of the name before. */
export async function acceptDifference(
  tx: Tx,
  bankAccountId: string,
  { kind, reference }: Named,
  amount: bigint,
): Promise<void> {
  await tx.query({
    name: 'accept difference',
    text: `insert into svc.accepted_differences (bank_account_id, kind, reference, amount, accepted_at)
           values ($1, $2, $3, $4, svc.now())
               on conflict (bank_account_id, kind, reference) do update
                  set amount = excluded.amount, accepted_at = excluded.accepted_at, withdrawn_at = null`,
    values: [bankAccountId, kind, reference, amount],
  })
}

/** Gives bookings the name of a posting; false when one of them has a name already. They wait for no operator then. */
export async function explainEntries(tx: Tx, bankEntryIds: readonly string[], reference: string): Promise<boolean> {
  const explained = await tx.query({
    name: 'explain bank entries',
    text: `with changed as (
           insert into svc.explained_entries (bank_entry_id, reference, explained_at)
           select bank_entry_id, $2, svc.now() from unnest($1::uuid[]) as told (bank_entry_id)
               on conflict (bank_entry_id) do update
                  set reference = excluded.reference, explained_at = excluded.explained_at, withdrawn_at = null
                where explained_entries.withdrawn_at is not null
           returning bank_entry_id),
           opened as (${openEntries}),
           resolved as (
           update svc.bank_entries as entry set outcome = 'RESOLVED' from changed
            where entry.bank_entry_id = changed.bank_entry_id and entry.outcome = 'UNMATCHED')
           select bank_entry_id from changed`,
    values: [bankEntryIds, reference],
  })
  return explained.length === bankEntryIds.length
}

/** Takes the acceptance of a difference back; false when there is none. */
export async function withdrawAccepted(tx: Tx, bankAccountId: string, { kind, reference }: Named): Promise<boolean> {
  const withdrawn = await tx.query({
    name: 'withdraw accepted difference',
    text: `update svc.accepted_differences set withdrawn_at = svc.now()
            where bank_account_id = $1 and kind = $2 and reference = $3 and withdrawn_at is null returning reference`,
    values: [bankAccountId, kind, reference],
  })
  return withdrawn.length > 0
}

/** Takes the name of a posting from the bookings of an account that it explained. Those wait for an operator again. */
export async function withdrawExplained(tx: Tx, bankAccountId: string, reference: string): Promise<string[]> {
  const withdrawn = await tx.query<{ bankEntryId: string }>({
    name: 'withdraw explained bank entries',
    text: `with changed as (
           update svc.explained_entries as explained set withdrawn_at = svc.now() from svc.bank_entries as entry
            where explained.reference = $2 and explained.withdrawn_at is null
              and entry.bank_entry_id = explained.bank_entry_id and entry.bank_account_id = $1
           returning explained.bank_entry_id),
           opened as (${openEntries}),
           unmatched as (
           update svc.bank_entries as entry set outcome = 'UNMATCHED' from changed
            where entry.bank_entry_id = changed.bank_entry_id and entry.outcome = 'RESOLVED')
           select bank_entry_id as "bankEntryId" from changed order by bank_entry_id`,
    values: [bankAccountId, reference],
  })
  return withdrawn.map(({ bankEntryId }) => bankEntryId)
}
