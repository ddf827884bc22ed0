import type { Queryable } from '../../../db/database.ts'
import { businessNow, firstOf } from '../../../db/workers/due.ts'

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
                  coalesce(entry.reason, 'reversed') as reason,
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

/** Lets a reversal wait for its deposit, each time longer. After a day it is for an operator. */
export async function postponeReversing(database: Queryable, bankEntryId: string): Promise<void> {
  await database.query({
    name: 'postpone reversing bank entry',
    text: `update svc.bank_entries
              set outcome = case when svc.now() - recorded_at > interval '1 day' then 'UNMATCHED' else outcome end,
                  due_at = case when svc.now() - recorded_at <= interval '1 day' then svc.now()
                    + greatest(interval '0.2 seconds', least(svc.now() - recorded_at, interval '10 minutes')) end
            where bank_entry_id = $1 and outcome = 'REVERSING'`,
    values: [bankEntryId],
  })
}
