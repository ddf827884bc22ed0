import type { Tx } from '../../../db/database.ts'
import type { ReversiblePart } from '../entries/reversal-store.ts'
import { isMoney } from '../entries/reversal-store.ts'

export type NewRecall = {
  bankRecallId: string
  recallId: string
  bankFileId: string
  currency: string | null
  amount: bigint | null
  code: string
  bankReference: string | null
  networkHashes: readonly Buffer[]
  payerHashes: readonly Buffer[]
}

/** Inserts a recall; false when it was told before. */
export async function insertRecall(tx: Tx, recall: NewRecall): Promise<boolean> {
  const inserted = await tx.query({
    name: 'insert recall',
    text: `insert into svc.bank_recalls (bank_recall_id, recall_id, bank_file_id, currency, amount, code, bank_reference,
                  network_hashes, payer_hashes, status, recorded_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'OPEN', svc.now())
               on conflict (recall_id) do nothing returning bank_recall_id`,
    values: [
      recall.bankRecallId,
      recall.recallId,
      recall.bankFileId,
      recall.currency,
      recall.amount,
      recall.code,
      recall.bankReference,
      recall.networkHashes,
      recall.payerHashes,
    ],
  })
  return inserted.length > 0
}

export type RecalledPart = ReversiblePart & {
  bankRecallId: string
  book: string
  externalId: string
  /** The recall has a payment already. */
  isLinked: boolean
}

/** A payment of recall.bank_recall_id that no operator has ruled out. */
const hasPayment = `exists (select from svc.bank_recall_payments as named
                          where named.bank_recall_id = recall.bank_recall_id and named.ruled_out_at is null)`

/** Judges `candidates (bank_recall_id, bank_entry_id, place)`. An id of the networks names its payment with any amount. */
const judgeCandidates = `select recall.bank_recall_id as "bankRecallId", original.bank_account_id as book,
         original.external_id as "externalId", original.bank_entry_id as "bankEntryId", original.place,
         bool_or(coalesce(part.bank_reference = recall.bank_reference
                          or entry.bank_reference = recall.bank_reference, false)) as "isByBank",
         bool_or(part.network_hashes && recall.network_hashes) as "isByNetwork",
         bool_or(part.payer_hashes && recall.payer_hashes) as "isByPayer",
         coalesce(original.amount = recall.amount, false) as "isSameAmount", ${hasPayment} as "isLinked"
    from candidates
    join svc.bank_recalls as recall on recall.bank_recall_id = candidates.bank_recall_id
    join svc.bank_entry_parts as part on part.bank_entry_id = candidates.bank_entry_id and part.place = candidates.place
    join svc.bank_entries as entry on entry.bank_entry_id = part.bank_entry_id
    join svc.bank_entry_parts as original
      on original.bank_entry_id = coalesce(part.repeats_entry_id, part.bank_entry_id)
     and original.place = coalesce(part.repeats_place, part.place)
   where not part.is_return and ${isMoney}
     and (part.network_hashes && recall.network_hashes
          or coalesce(original.amount >= recall.amount, true)
             and (part.bank_reference = recall.bank_reference or entry.bank_reference = recall.bank_reference
                  or part.payer_hashes && recall.payer_hashes))
   group by recall.bank_recall_id, original.bank_account_id, original.external_id, original.bank_entry_id,
            original.place, original.amount, recall.amount
   order by 1, 4, 5 limit 1000`

/**
 * Finds the transactions of credits that a new recall may name: by the bank's reference, an id of the networks or the
 * payer. Each is a lookup in an index of its own.
 */
export function findRecalled(tx: Tx, bankRecallId: string): Promise<RecalledPart[]> {
  return tx.query<RecalledPart>({
    name: 'find recalled parts of bank entries',
    text: `with told as (
             select recall.bank_recall_id, account.bank_account_id, recall.bank_reference, recall.network_hashes,
                    recall.payer_hashes
               from svc.bank_recalls as recall
               join svc.bank_accounts as account on account.currency = coalesce(recall.currency, account.currency)
              where recall.bank_recall_id = $1),
           candidates as (
             select told.bank_recall_id, part.bank_entry_id, part.place
               from told join svc.bank_entry_parts as part on part.bank_account_id = told.bank_account_id
                and part.bank_reference = told.bank_reference
              union
             select told.bank_recall_id, part.bank_entry_id, part.place
               from told join svc.bank_entries as entry on entry.bank_account_id = told.bank_account_id
                and entry.bank_reference = told.bank_reference
               join svc.bank_entry_parts as part on part.bank_entry_id = entry.bank_entry_id
              union
             select told.bank_recall_id, part.bank_entry_id, part.place
               from told join svc.bank_entry_parts as part on part.network_hashes && told.network_hashes
                and part.bank_account_id = told.bank_account_id
              union
             select told.bank_recall_id, part.bank_entry_id, part.place
               from told join svc.bank_entry_parts as part on part.payer_hashes && told.payer_hashes
                and part.bank_account_id = told.bank_account_id)
           ${judgeCandidates}`,
    values: [bankRecallId],
  })
}

/** Finds the recalls that may name a transaction of these entries, and whose payment no operator has chosen. */
export function findRecalls(tx: Tx, bankEntryIds: readonly string[]): Promise<RecalledPart[]> {
  return tx.query<RecalledPart>({
    name: 'find recalls of bank entries',
    text: `with candidates as (
             select recall.bank_recall_id, part.bank_entry_id, part.place
               from svc.bank_recalls as recall
               join svc.bank_accounts as account on account.currency = coalesce(recall.currency, account.currency)
               join svc.bank_entry_parts as part on part.bank_account_id = account.bank_account_id
              where recall.status in ('OPEN', 'ACCEPTED') and recall.linked_at is null
                and part.bank_entry_id = any($1))
           ${judgeCandidates}`,
    values: [bankEntryIds],
  })
}

/** Adds payments to a recall, unless an operator has chosen its payment or decided about it meanwhile. */
export async function linkRecall(tx: Tx, bankRecallId: string, payments: readonly RecalledPart[]): Promise<void> {
  await tx.query({
    name: 'link recall',
    text: `with recall as (
             select bank_recall_id from svc.bank_recalls
              where bank_recall_id = $1 and linked_at is null and status in ('OPEN', 'ACCEPTED') for no key update)
           insert into svc.bank_recall_payments (bank_recall_id, bank_account_id, external_id)
           select distinct bank_recall_id, book, external_id
             from recall cross join unnest($2::text[], $3::text[]) as payment (book, external_id)
               on conflict do nothing`,
    values: [bankRecallId, payments.map(({ book }) => book), payments.map(({ externalId }) => externalId)],
  })
}
