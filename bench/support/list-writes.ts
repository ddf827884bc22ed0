/** The hashes of a customer: of the email, of a name of ten letters, and of its prefixes of three and more. */
const hashes = 10

const at = `timestamptz '2026-01-01' + number * interval '1 second'`
const organization = `'01999999-0000-7000-8000-000000000000'::uuid`

/** Ids in the order of time, as Svc makes them. */
const id = `(lpad(to_hex(1700000000000 + number), 12, '0') || '7' || substr(md5(random()::text), 1, 19))::uuid`

/** The rows of each table with a list, by their number. */
export const inserts = {
  transactions: `
    insert into svc.transactions (organization_id, transaction_id, customer_id, quote_id, status, correlation_id,
           external_id, source_payment_account_id, is_from_wallet, source_asset, source_method, source_amount,
           destination_payment_account_id, is_to_wallet, destination_asset, destination_method, destination_amount,
           exchange_rate, svc_fee, developer_fee, is_guaranteed, quote_expires_at, parts, status_history,
           status_written_at, step, created_at, updated_at)
    select ${organization}, ${id}, gen_random_uuid(), gen_random_uuid(), 'CREATED', 'order ' || number, 'id ' || number,
           gen_random_uuid(), true, 'USDC/BASE', 'BASE', 1, gen_random_uuid(), false, 'USD', 'ACH', 1, '1', 0, 0, false,
           ${at}, '{}', '{}', '{}', 'SCREEN', ${at}, ${at}`,
  quotes: `
    insert into svc.quotes (organization_id, quote_id, customer_id, source_payment_account_id, source_asset,
           source_method, source_amount, source_amount_text, destination_payment_account_id, destination_asset,
           destination_method, destination_amount, exchange_rate, svc_fee, developer_fee, is_guaranteed, derivation,
           transaction_parts, transfer_window, created_at, expires_at, external_id)
    select ${organization}, ${id}, gen_random_uuid(), gen_random_uuid(), 'USDC/BASE', 'BASE', 1, '1', gen_random_uuid(),
           'USD', 'ACH', 1, '1', 0, 0, false, repeat('x', 600), '{}', '1 day', ${at}, ${at}, 'id ' || number`,
  deposits: `
    insert into svc.deposits (organization_id, deposit_id, method, external_id, asset, amount, held_at, status,
           customer_id, payment_account_id, transaction_id, seen_at, created_at, updated_at)
    select ${organization}, ${id}, 'ACH', 'id ' || number, 'USD', 1, 'usd-main', 'APPLIED', gen_random_uuid(),
           gen_random_uuid(), gen_random_uuid(), ${at}, ${at}, ${at}`,
  customers: `
    insert into svc.customers (organization_id, customer_id, customer_type, status, data_key_id, sealed_profile,
           created_at, updated_at, external_id)
    select ${organization}, ${id}, 'INDIVIDUAL', 'CREATED', gen_random_uuid(), decode(repeat('ab', 200), 'hex'), ${at},
           ${at}, 'id ' || number`,
  customer_search: `
    insert into svc.customer_search (organization_id, search_hash, customer_id)
    select ${organization}, substr(decode(md5(number || ' ' || text), 'hex'), 1, 12),
           (lpad(to_hex(1700000000000 + number), 12, '0') || '7' || lpad(to_hex(number), 19, '0'))::uuid
      from generate_series(1, ${hashes}) as text,`,
  payment_accounts: `
    insert into svc.payment_accounts (organization_id, payment_account_id, customer_id, payment_account_type, status,
           is_third_party, data_key_id, sealed_profile, requested_at, created_at, wallet_type, address, external_id)
    select ${organization}, ${id}, gen_random_uuid(), 'SVC_CRYPTO_WALLET', 'ACTIVE', false, gen_random_uuid(),
           decode(repeat('ab', 100), 'hex'), ${at}, ${at}, 'EVM', 'x', 'id ' || number`,
  automation_rules: `
    insert into svc.automation_rules (organization_id, rule_id, customer_id, name, source_payment_account_id,
           source_asset, source_method, destination_payment_account_id, destination_asset, destination_method,
           amount_type, amount_text, amount_units, trigger_type, cron_schedule, next_run_at, api_key_id, created_at,
           updated_at, external_id)
    select ${organization}, ${id}, gen_random_uuid(), 'A rule', gen_random_uuid(), 'USDC/BASE', 'BASE',
           gen_random_uuid(), 'USD', 'ACH', 'PCT', '50', 500000, 'TIME_BASED', '0 9 * * mon', ${at},
           gen_random_uuid(), ${at}, ${at}, 'id ' || number`,
} as const

/** Inserts the rows of these numbers. */
export function fillTable(table: keyof typeof inserts, first: number, last: number): string {
  const from = inserts[table].trimEnd().endsWith(',') ? '' : 'from'
  return `${inserts[table]} ${from} generate_series(${first}, ${last}) as number`
}

/** A write, and the indexes that lists have put on it. Webhooks are few: none of their indexes is measured. */
type ListWrite = { table: keyof typeof inserts; write: string; sql: string; indexes: readonly string[] }

const indexesOf = {
  transactions: [
    'by_customer',
    'by_source',
    'by_destination',
    'by_status',
    'by_created',
    'by_updated',
    'by_correlation',
    'external_id',
  ],
  quotes: ['by_customer', 'by_created', 'external_id'],
  deposits: ['by_customer', 'by_account', 'by_transaction', 'by_status', 'by_created', 'by_updated'],
  customers: ['by_status', 'by_created', 'external_id'],
  customer_search: ['pkey', 'by_customer'],
  payment_accounts: ['by_customer', 'external_id'],
  automation_rules: ['by_customer', 'by_source', 'external_id'],
} as const satisfies Record<keyof typeof inserts, readonly string[]>

/** Every index that a list reads, by its name in the database. */
export const measuredIndexes = Object.entries(indexesOf).flatMap(([table, names]) =>
  names.map((name) => `${table}_${name}`),
)

/** The writes to measure, after `stored` rows. */
export function listWrites(stored: number, written: number): ListWrite[] {
  const insert = (table: keyof typeof inserts, write: string): ListWrite => ({
    table,
    write,
    sql: fillTable(table, stored + 1, stored + written),
    indexes: indexesOf[table],
  })
  const update = `update svc.transactions set status = 'PROCESSING', updated_at = updated_at + interval '1 hour'
                   where transaction_id in (select transaction_id from svc.transactions
                                             order by transaction_id desc limit ${written})`
  return [
    insert('transactions', 'POST /transactions'),
    { table: 'transactions', write: 'a change of status', sql: update, indexes: indexesOf.transactions },
    insert('quotes', 'POST /quotes'),
    insert('deposits', 'a new deposit'),
    insert('customers', 'POST /customers'),
    insert('customer_search', `${hashes} hashes of names`),
    insert('payment_accounts', 'POST /payment-accounts'),
    insert('automation_rules', 'POST /automation-rules'),
  ]
}
