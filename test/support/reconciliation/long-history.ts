import { type Connection, openDatabase, type Tx } from '../../../src/db/database.ts'
import { platformOrganizationId } from '../../../src/lib/ids.ts'

/** The bookings: odd ones are payouts, even ones deposits; one of the last day is a charge that nothing explains. */
const facts = `create temporary table facts on commit drop as
  select number, $1::date + number % $2::integer as day, number = $3::integer - 1 as is_charge, number % 2 = 1 as is_payout,
         md5('file ' || number % $2::integer)::uuid as file_id, md5('told ' || number)::uuid as told_id,
         md5('stated ' || number)::uuid as stated_id, md5('subject ' || number)::uuid as subject_id,
         md5('payout ' || number)::uuid as payout_id, 'NAME-' || number as name
    from generate_series(1, $3::integer) as number`

const inserts = [
  `insert into svc.bank_entries (bank_entry_id, bank_file_id, bank_account_id, source, statement_key, position,
          entry_reference, payer_hash, trait_hashes, direction, is_reversal, amount, currency, booking_date, fingerprint,
          outcome, repeats, external_id, part_count, recorded_at)
   select told_id, md5('notification ' || number)::uuid, 'eur-main', 'NOTIFICATION', 'told', 1, '1', ''::bytea, '{}'::bytea[], 'DEBIT', false,
          number, 'EUR', day, ''::bytea, 'PAYMENT', null::uuid, null, 1, svc.now() from facts where is_payout and not is_charge
    union all
   select stated_id, file_id, 'eur-main', 'STATEMENT', 'stated', number, number::text, '', '{}',
          case when is_payout or is_charge then 'DEBIT' else 'CREDIT' end, false, number, 'EUR', day, '',
          case when is_charge then 'UNMATCHED' when is_payout then 'REPEATED' else 'DEPOSIT' end,
          case when is_payout and not is_charge then told_id end, case when not is_payout then name end, 1, svc.now()
     from facts`,
  `insert into svc.bank_payments (reference, bank_entry_id, external_reference, amount, recorded_at)
   select name, told_id, name, number, svc.now() from facts where is_payout and not is_charge`,
  `insert into svc.bank_entry_parts (bank_entry_id, place, bank_account_id, amount, trait_hashes, external_id)
   select stated_id, 1, 'eur-main', number, '{}', name from facts where not is_payout and not is_charge`,
  `insert into svc.bank_statements (bank_file_id, statement_key, bank_account_id, series, sequence, closing, day, recorded_at)
   select file_id, 'stated', 'eur-main', day::text, null,
          sum(sum(case when is_payout or is_charge then -number else number end)) over (order by day), day, svc.now()
     from facts group by file_id, day`,
  `insert into svc.payouts (organization_id, payout_id, transaction_id, purpose, method, asset, amount, payment_account_id,
          customer_id, pays_from, status, created_at)
   select '${platformOrganizationId}', payout_id, subject_id, 'PAYOUT', 'SEPA', 'EUR', number, subject_id, subject_id,
          'eur-main', 'CONFIRMED', svc.now() from facts where is_payout and not is_charge`,
  `insert into svc.bank_file_items (bank_file_id, place, reference, payout_id, attempt, amount)
   select md5('outgoing')::uuid, number, name, payout_id, 1, number from facts where is_payout and not is_charge`,
  `insert into svc.deposits (organization_id, deposit_id, method, book, external_id, asset, amount, held_at, status, seen_at,
          created_at, updated_at)
   select '${platformOrganizationId}', subject_id, 'SEPA', 'eur-main', name, 'EUR', number, 'eur-main', 'UNMATCHED', svc.now(),
          svc.now(), svc.now() from facts where not is_payout and not is_charge`,
  `insert into svc.ledger_lines (organization_id, posting_id, entry_number, holder, asset, day, reference, fact, amount)
   select '${platformOrganizationId}', payout_id, 1, 'eur-main', 'EUR', day,
          case when is_payout then 'transaction:' || subject_id || ':payout' else 'deposit:' || subject_id || ':received' end,
          case when is_payout then 'PAYOUT' else 'DEPOSIT' end, case when is_payout then number else -number end
     from facts where not is_charge`,
  `insert into svc.open_entries (bank_account_id, bank_entry_id)
   select bank_account_id, bank_entry_id from svc.bank_entries`,
  `insert into svc.open_lines (bank_account_id, day, posting_id, entry_number, organization_id)
   select holder, day, posting_id, entry_number, organization_id from svc.ledger_lines`,
]

const longMs = 1_800_000

/** The day so many days before another one. */
export function daysBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)
}

/**
 * Writes so many bookings of eur-main, as years of files would leave them behind, over the days before one. What the rows
 * refer to does not matter to a comparison.
 */
export async function fillLongHistory(
  connection: Connection,
  { count, days, until }: { count: number; days: number; until: string },
): Promise<void> {
  const owner = openDatabase({ connection, statementTimeoutMs: longMs })
  const fill = async (tx: Tx) => {
    await tx.query({ text: `select set_config('session_replication_role', 'replica', true)` })
    await tx.query({ text: facts, values: [daysBefore(until, days), days, count], query_timeout: longMs })
    for (const text of inserts) await tx.query({ text, query_timeout: longMs })
  }
  await owner.inTx(fill)
  // The server gathers statistics by itself, some time after so many changes.
  await owner.query({ text: 'analyze', query_timeout: longMs })
  await owner.close()
}
