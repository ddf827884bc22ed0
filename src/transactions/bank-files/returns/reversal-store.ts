import type { Tx } from '../../../db/database.ts'
import type { ToldReturn } from './return.ts'

/** True when the debit that paid a reference has this reference of the bank, in any message that told it. */
export async function isPaidUnder(tx: Tx, reference: string, bankReference: string | null): Promise<boolean> {
  const found = await tx.query({
    name: 'is reference paid under a reference of the bank',
    text: `select from svc.bank_payments as payment
            where payment.reference = $1 and (payment.external_reference = $2 or exists (
                  select from svc.bank_entries as told
                   where told.bank_reference = $2 and payment.bank_entry_id in (told.bank_entry_id, told.repeats)
                     and told.direction = 'DEBIT'))`,
    values: [reference, bankReference],
  })
  return found.length > 0
}

/** A reversal under a reference of the bank that no debit had when it came. */
export type WaitingReversal = { reportId: string; told: ToldReturn & { bankEntryId: string } }

/** Finds reversals that wait for an operator because the debit that they name was not known. */
export async function findWaitingReversals(
  tx: Tx,
  rail: string,
  bankAccountId: string,
  bankReference: string,
): Promise<WaitingReversal[]> {
  type Found = Omit<ToldReturn, 'amount' | 'bankEntryId'> & { bankEntryId: string; amount: string; reportId: string }
  const found = await tx.query<Found>({
    name: 'find reversals that wait for their debit',
    text: `select entry.bank_entry_id as "bankEntryId", entry.bank_file_id as "bankFileId", entry.currency,
                  report.report_id as "reportId", substr(report.reference, 8) as reference,
                  report.content->>'amount' as amount, report.content->>'reason' as reason,
                  report.content->>'valueDate' as "valueDate", report.content->>'returnId' as identity
             from svc.bank_entries as entry
             join svc.rail_reports as report on report.rail = $3 and report.content->>'entryId' = entry.bank_entry_id::text
            where entry.bank_account_id = $1 and entry.bank_reference = $2 and entry.direction = 'CREDIT'
              and entry.is_reversal and entry.outcome = 'RETURN' and report.reference like 'return %'
              and report.redirected_to is null and coalesce(report.result, 'UNMATCHED') = 'UNMATCHED'
            order by report.received_at, report.report_id`,
    values: [bankAccountId, bankReference, rail],
  })
  return found.map(({ reportId, amount, ...told }) => ({ reportId, told: { ...told, amount: BigInt(amount) } }))
}

/** Ends the wait of a report that Svc can apply by itself now; false when an operator was faster. */
export async function withdrawReport(tx: Tx, rail: string, reportId: string): Promise<boolean> {
  const withdrawn = await tx.query({
    name: 'withdraw rail report',
    text: `update svc.rail_reports set result = 'RESOLVED', due_at = null, lease_until = null, fence = fence + 1
            where rail = $1 and report_id = $2 and redirected_to is null and coalesce(result, 'UNMATCHED') = 'UNMATCHED'
        returning report_id`,
    values: [rail, reportId],
  })
  return withdrawn.length > 0
}
