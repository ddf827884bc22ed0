import type { FiatLabel } from '../../../catalog/currencies.ts'
import type { Queryable, Tx } from '../../../db/database.ts'
import { businessNow, firstOf } from '../../../db/workers/due.ts'
import { freeAmount } from '../../deposits/recalls/store.ts'
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
 * Lets a reversal wait, each time as long as since its deposit was chosen, at most 5 minutes. One that may give up is for
 * an operator after a day.
 */
export async function postponeReversing(
  database: Queryable,
  bankEntryId: string,
  { mayGiveUp }: { mayGiveUp: boolean },
): Promise<void> {
  await database.query({
    name: 'postpone reversing bank entry',
    text: `update svc.bank_entries as entry
              set outcome = case when $2 and reversal.age > interval '1 day' then 'UNMATCHED' else outcome end,
                  due_at = case when not $2 or reversal.age <= interval '1 day'
                    then svc.now() + greatest(interval '0.2 seconds', least(reversal.age, interval '5 minutes')) end
             from (select svc.now() - max(chosen_at) as age from svc.bank_entry_reversals where bank_entry_id = $1) as reversal
            where entry.bank_entry_id = $1 and entry.outcome = 'REVERSING'`,
    values: [bankEntryId, mayGiveUp],
  })
}

/** A debit that matches nothing, and a deposit that it may take back, in smallest units. */
export type Fit = {
  currency: FiatLabel
  /** The part of the debit that pays nothing of ours. */
  free: string
  /** The part of the deposit that was not reversed, and that no other debit is about to take. */
  left: string
  /** The amount that each open recall of the deposit wants; null is all. */
  recalled: (string | null)[]
  /** The part that these recalls still want together; null without one, and when one wants all. */
  wanted: string | null
  reversedEntryId: string
  reversedPlace: number
}

/** The part of a row of `deposit` that other debits are about to take. */
const taking = `(select coalesce(sum(reversal.amount), 0) from svc.bank_entry_parts as own
              join svc.bank_entry_reversals as reversal on reversal.reversed_entry_id = own.bank_entry_id
               and reversal.reversed_place = own.place
              join svc.bank_entries as other on other.bank_entry_id = reversal.bank_entry_id
               and other.outcome = 'REVERSING'
             where own.bank_account_id = deposit.book and own.external_id = deposit.external_id)`

/**
 * Finds how a debit that matches nothing fits a deposit of its account, and keeps both from changing. Undefined when
 * the two do not fit, or the debit names a file of ours or several deposits.
 */
export async function findFit(tx: Tx, bankEntryId: string, depositId: string): Promise<Fit | undefined> {
  // A statement of its own: the next one sees what another operator chose while this one waited.
  await tx.query({
    name: 'lock deposit that a bank entry may reverse',
    text: `with entry as materialized (select from svc.bank_entries where bank_entry_id = $1 for no key update)
           select from entry cross join svc.deposits as deposit
            where deposit.organization_id in (select organization_id from svc.organizations) and deposit.deposit_id = $2
              for no key update of deposit`,
    values: [bankEntryId, depositId],
  })
  const [found] = await tx.query<Fit>({
    name: 'find deposit that a bank entry may reverse',
    text: `with entry as (
             select debit.bank_account_id, debit.currency, ${freeAmount} as free from svc.bank_entries as debit
              where debit.bank_entry_id = $1 and debit.outcome = 'UNMATCHED' and debit.direction = 'DEBIT'
                and debit.batch_file_id is null
                and (select count(*) from svc.bank_entry_reversals where bank_entry_id = $1) < 2)
           select entry.currency, entry.free, deposit.amount - deposit.reversed_amount - ${taking} as left,
                  coalesce(recalls.amounts, '{}') as recalled, recalls.wanted,
                  part.bank_entry_id as "reversedEntryId", part.place as "reversedPlace"
             from entry
             join svc.deposits as deposit on deposit.book = entry.bank_account_id and deposit.deposit_id = $2
              and deposit.organization_id in (select organization_id from svc.organizations)
              and deposit.status <> 'ASSIGNED' and deposit.amount > deposit.reversed_amount + ${taking}
             join svc.bank_entry_parts as part on part.bank_account_id = entry.bank_account_id
              and part.external_id = deposit.external_id and part.amount = deposit.amount
              and part.repeats_entry_id is null
            cross join lateral (
                  select array_agg(recall.amount::text) as amounts,
                         case when bool_and(recall.amount is not null) then greatest(sum(recall.amount) - ${taking}
                         - (select coalesce(sum(reversal.amount), 0) from svc.deposits as reversed
                              join svc.deposit_reversals as reversal on reversal.organization_id = reversed.organization_id
                               and reversal.deposit_id = reversed.deposit_id
                             where reversed.book = deposit.book and reversed.external_id = deposit.external_id
                               and reversal.recorded_at >= min(recall.recorded_at))
                         + (select coalesce(sum(ended.amount), 0)
                              from svc.bank_recall_payments as named join svc.bank_recalls as ended using (bank_recall_id)
                             where named.bank_account_id = deposit.book and named.external_id = deposit.external_id
                               and named.ruled_out_at is null and ended.status = 'SETTLED'
                               and ended.decided_at >= min(recall.recorded_at)), 0) end as wanted
                      from svc.bank_recall_payments as named
                      join svc.bank_recalls as recall on recall.bank_recall_id = named.bank_recall_id
                     where named.bank_account_id = deposit.book and named.external_id = deposit.external_id
                       and named.ruled_out_at is null and recall.status in ('OPEN', 'ACCEPTED')) as recalls
            where entry.free > 0 order by part.bank_entry_id limit 1`,
    values: [bankEntryId, depositId],
  })
  return found
}

/** Lets a debit take an amount of a deposit back. What else it has stays unexplained, such as charges of the bank. */
export async function startReversing(
  tx: Tx,
  bankEntryId: string,
  { reversedEntryId, reversedPlace }: Fit,
  amount: bigint,
): Promise<void> {
  await tx.query({
    name: 'let a bank entry reverse a deposit',
    text: `with changed as (
             insert into svc.bank_entry_reversals (bank_entry_id, place, reversed_entry_id, reversed_place, amount, chosen_at)
             values ($1, 1, $2, $3, $4, svc.now())
                 on conflict (bank_entry_id, place) do update
                    set reversed_entry_id = excluded.reversed_entry_id, reversed_place = excluded.reversed_place,
                        amount = excluded.amount, chosen_at = excluded.chosen_at
             returning bank_entry_id),
           opened as (${openEntries})
           update svc.bank_entries as entry
              set outcome = 'REVERSING', due_at = svc.now(),
                  external_id = coalesce(entry.external_id, entry.bank_entry_id::text)
             from changed where entry.bank_entry_id = changed.bank_entry_id`,
    values: [bankEntryId, reversedEntryId, reversedPlace, amount],
  })
}
