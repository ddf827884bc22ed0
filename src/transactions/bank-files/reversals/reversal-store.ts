import type { Queryable, Tx } from '../../../db/database.ts'
import { businessNow, firstOf } from '../../../db/workers/due.ts'
import { openEntries } from '../open-store.ts'

export type ReversingEntry = {
  bankEntryId: string
  bankAccountId: string
  reason: string
  identity: string
  /** The deposits that it takes back. */
  parts: { externalId: string; amount: string }[]
}

/** Holds while entries that take deposits back are due. */
export const dueReversals = firstOf(
  `svc.bank_entries where outcome = 'REVERSING' and due_at <= ${businessNow} order by due_at`,
)

/** Lists entries that take deposits back and are due, the longest due first. */
export function listReversing(database: Queryable, limit: number): Promise<ReversingEntry[]> {
  return database.query<ReversingEntry>({
    name: 'list reversing bank entries',
    text: `select entry.bank_entry_id as "bankEntryId", entry.bank_account_id as "bankAccountId",
                  -- A sentence tells why an operator had to find the deposit.
                  coalesce(substring(entry.reason from '^\\S+$'), 'reversed') as reason,
                  entry.external_id as identity,
                  (select json_agg(json_build_object('externalId', reversed.external_id, 'amount', reversal.amount::text)
                            order by reversal.place)
                     from svc.bank_entry_reversals as reversal
                     join svc.bank_entry_parts as reversed on reversed.bank_entry_id = reversal.reversed_entry_id
                      and reversed.place = reversal.reversed_place
                    where reversal.bank_entry_id = entry.bank_entry_id) as parts
             from svc.bank_entries as entry
            where entry.outcome = 'REVERSING' and entry.due_at <= svc.now()
            order by entry.due_at, entry.bank_entry_id limit $1`,
    values: [limit],
  })
}

/**
 * Lets a reversal wait for its deposit, each time longer, and is for an operator after a day when it may give up. Else it
 * is tried again soon, however old the entry is: an operator may have found its deposit weeks later.
 */
export async function postponeReversing(
  database: Queryable,
  bankEntryId: string,
  { mayGiveUp }: { mayGiveUp: boolean },
): Promise<void> {
  await database.query({
    name: 'postpone reversing bank entry',
    text: `update svc.bank_entries
              set outcome = case when $2 and svc.now() - recorded_at > interval '1 day' then 'UNMATCHED' else outcome end,
                  due_at = case when not $2 then svc.now() + interval '5 seconds'
                    when svc.now() - recorded_at <= interval '1 day' then svc.now()
                    + greatest(interval '0.2 seconds', least(svc.now() - recorded_at, interval '10 minutes')) end
            where bank_entry_id = $1 and outcome = 'REVERSING'`,
    values: [bankEntryId, mayGiveUp],
  })
}

/**
 * Lets a debit that matches nothing take a deposit of its account back, as far as that is left and a recall wants it:
 * charges of the bank in the same amount stay unexplained. False when the two do not fit, or the debit names several
 * deposits or payouts.
 */
export async function chooseReversed(tx: Tx, bankEntryId: string, depositId: string): Promise<boolean> {
  const chosen = await tx.query({
    name: 'choose deposit that a bank entry reverses',
    text: `with entry as (
             select bank_entry_id, bank_account_id, amount from svc.bank_entries
              where bank_entry_id = $1 and outcome = 'UNMATCHED' and direction = 'DEBIT'
                and (select count(*) from svc.bank_entry_reversals where bank_entry_id = $1) < 2
                and not exists (select from svc.bank_payments where bank_entry_id = $1)
                and not exists (select from svc.bank_second_debits where bank_entry_id = $1)
                for no key update),
           changed as (
             insert into svc.bank_entry_reversals (bank_entry_id, place, reversed_entry_id, reversed_place, amount)
             select entry.bank_entry_id, 1, part.bank_entry_id, part.place,
                    least(entry.amount, deposit.amount - deposit.reversed_amount,
                          -- A debit of the whole deposit is no matter of a part that was recalled.
                          case when entry.amount < deposit.amount - deposit.reversed_amount then
                          (select sum(recall.amount) from svc.bank_recall_payments as named
                             join svc.bank_recalls as recall on recall.bank_recall_id = named.bank_recall_id
                            where named.bank_account_id = deposit.book and named.external_id = deposit.external_id
                              and named.ruled_out_at is null and recall.status in ('OPEN', 'ACCEPTED')
                           having bool_and(recall.amount is not null)) end)
               from entry
               join svc.deposits as deposit on deposit.book = entry.bank_account_id and deposit.deposit_id = $2
                and deposit.organization_id in (select organization_id from svc.organizations)
                and deposit.status <> 'ASSIGNED' and deposit.amount > deposit.reversed_amount
               join svc.bank_entry_parts as part on part.bank_account_id = entry.bank_account_id
                and part.external_id = deposit.external_id and part.amount = deposit.amount
                and part.repeats_entry_id is null
              order by part.bank_entry_id limit 1
                 on conflict (bank_entry_id, place) do update
                    set reversed_entry_id = excluded.reversed_entry_id, reversed_place = excluded.reversed_place,
                        amount = excluded.amount
             returning bank_entry_id),
           opened as (${openEntries})
           update svc.bank_entries as entry
              set outcome = 'REVERSING', due_at = svc.now(),
                  external_id = coalesce(entry.external_id, entry.bank_entry_id::text)
             from changed
            where entry.bank_entry_id = changed.bank_entry_id returning entry.bank_entry_id`,
    values: [bankEntryId, depositId],
  })
  return chosen.length > 0
}
