import type { Tx } from '../../../db/database.ts'
import { openEntries } from '../open-store.ts'
import type { PartIdentity } from './part.ts'

/** A transaction in the books: not the placeholder of a collective entry that other entries explain. */
export const isMoney = `not (coalesce(entry.untold_count, 0) > 1 and entry.outcome = 'REPEATED' and part.repeats_entry_id is null)`

/** A transaction of a credit that a debit may take back. */
export type ReversiblePart = {
  bankEntryId: string
  place: number
  isByBank: boolean
  isByNetwork: boolean
  isByPayer: boolean
  isSameAmount: boolean
}

/** Finds the transactions that a reversal names by a reference of the bank, of the networks or of the payer. */
export function findReversible(tx: Tx, bankAccountId: string, told: PartIdentity): Promise<ReversiblePart[]> {
  return tx.query<ReversiblePart>({
    name: 'find reversible parts of bank entries',
    text: `select original.bank_entry_id as "bankEntryId", original.place,
                  bool_or(coalesce(part.bank_reference = $2 or entry.bank_reference = $2, false)) as "isByBank",
                  bool_or(part.network_hashes && $3) as "isByNetwork", bool_or(part.payer_hashes && $4) as "isByPayer",
                  original.amount = $5 as "isSameAmount"
             from svc.bank_entry_parts as part
             join svc.bank_entries as entry using (bank_entry_id)
             join svc.bank_entry_parts as original
               on original.bank_entry_id = coalesce(part.repeats_entry_id, part.bank_entry_id)
              and original.place = coalesce(part.repeats_place, part.place)
            where part.bank_account_id = $1 and original.amount >= $5 and not part.is_return and ${isMoney}
              and (part.bank_reference = $2 or entry.bank_reference = $2 or part.network_hashes && $3
                   or part.payer_hashes && $4)
            group by original.bank_entry_id, original.place order by 1, 2 limit 1000`,
    values: [bankAccountId, told.bankReference, told.networkHashes, told.payerHashes, told.amount],
  })
}

/** A transaction that the reversal of a whole collective entry takes back. */
export type WholePart = { bankEntryId: string; place: number; amount: string; isTouched: boolean }

/** Finds all transactions under a reference of the bank, or in a batch. */
export function findWhole(
  tx: Tx,
  bankAccountId: string,
  named: { bankReference: string | null; batchHashes: readonly Buffer[] },
): Promise<WholePart[]> {
  return tx.query<WholePart>({
    name: 'find whole collective entry',
    text: `select original.bank_entry_id as "bankEntryId", original.place, original.amount,
                  exists (select from svc.bank_entry_reversals as reversal join svc.bank_entries as debit
                              on debit.bank_entry_id = reversal.bank_entry_id and debit.outcome in ('REVERSING', 'REVERSAL')
                           where reversal.reversed_entry_id = original.bank_entry_id
                             and reversal.reversed_place = original.place) as "isTouched"
             from svc.bank_entry_parts as part
             join svc.bank_entries as entry using (bank_entry_id)
             join svc.bank_entry_parts as original
               on original.bank_entry_id = coalesce(part.repeats_entry_id, part.bank_entry_id)
              and original.place = coalesce(part.repeats_place, part.place)
            where part.bank_account_id = $1 and not part.is_return and ${isMoney}
              and (part.bank_reference = $2 or entry.bank_reference = $2 or part.batch_hashes && $3)
            group by original.bank_entry_id, original.place order by 1, 2 limit 10000`,
    values: [bankAccountId, named.bankReference, named.batchHashes],
  })
}

export type NewReversal = { reversedEntryId: string; reversedPlace: number; amount: bigint }

export async function insertReversals(tx: Tx, bankEntryId: string, reversals: readonly NewReversal[]): Promise<void> {
  await tx.query({
    name: 'insert reversals of bank entry',
    text: `with changed as (
           insert into svc.bank_entry_reversals (bank_entry_id, place, reversed_entry_id, reversed_place, amount, chosen_at)
           select $1, place, reversed_entry_id, reversed_place, amount, svc.now()
             from unnest($2::uuid[], $3::integer[], $4::numeric[])
                  with ordinality as reversal (reversed_entry_id, reversed_place, amount, place)
           returning bank_entry_id)
           ${openEntries}`,
    values: [
      bankEntryId,
      reversals.map(({ reversedEntryId }) => reversedEntryId),
      reversals.map(({ reversedPlace }) => reversedPlace),
      reversals.map(({ amount }) => amount),
    ],
  })
}
