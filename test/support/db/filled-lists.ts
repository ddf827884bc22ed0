import { listRules } from '../../../src/automation-rules/store.ts'
import { findByFilter } from '../../../src/customers/list-store.ts'
import type { Database, Queryable } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { ownerFilters, timeFilters } from '../../../src/lib/resources/filters.ts'
import { listAccounts } from '../../../src/payment-accounts/lists/list-store.ts'
import { reachOf } from '../../../src/payment-accounts/lists/reach.ts'
import { listQuotes } from '../../../src/quotes/lists/list-store.ts'
import { readMoneyFilter } from '../../../src/quotes/lists/money-filter.ts'
import { findDeposits } from '../../../src/transactions/deposits/list-store.ts'
import { findTransactions } from '../../../src/transactions/lists/list-store.ts'

const organizationId = newId()
const customerId = newId()
const accountId = newId()

const owner = `case when number % 100 = 0 then $2::uuid else gen_random_uuid() end`
const status = (rare: string, common: string) => `case when number % 500 = 0 then '${rare}' else '${common}' end`
const at = `timestamptz '2026-01-01' + number * interval '1 minute'`

/** Ids in the order of time, as Svc makes them. */
const id = `(lpad(to_hex(1700000000000 + number), 12, '0') || '7' || substr(md5(random()::text), 1, 19))::uuid`

const fillOf = (rows: string) => [
  `insert into svc.transactions (organization_id, transaction_id, customer_id, quote_id, status, correlation_id,
          source_payment_account_id, is_from_wallet, source_asset, source_method, source_amount,
          destination_payment_account_id, is_to_wallet, destination_asset, destination_method, destination_amount,
          exchange_rate, svc_fee, developer_fee, is_guaranteed, quote_expires_at, parts, status_history,
          status_written_at, step, created_at, updated_at, external_id)
   select $1, ${id}, ${owner}, gen_random_uuid(), ${status('FAILED', 'COMPLETED')}, 'order ' || number / 2,
          case when number % 100 = 0 then $3::uuid else gen_random_uuid() end, true, 'USDC/BASE', 'BASE', number,
          gen_random_uuid(), false, 'USD', 'ACH', 1, '1', 0, 0, false, ${at}, '{}', '{}', '{}', 'DONE', ${at}, ${at},
          'id ' || number from ${rows}`,
  `insert into svc.quotes (organization_id, quote_id, customer_id, source_payment_account_id, source_asset,
          source_method, source_amount, source_amount_text, destination_payment_account_id, destination_asset,
          destination_method, destination_amount, exchange_rate, svc_fee, developer_fee, is_guaranteed, derivation,
          transaction_parts, transfer_window, created_at, expires_at, external_id)
   select $1, ${id}, ${owner}, $3, 'USDC/BASE', 'BASE', number, '1', gen_random_uuid(), 'USD', 'ACH', 1,
          '1', 0, 0, false, '{}', '{}', '1 day', ${at}, ${at}, 'id ' || number from ${rows}`,
  `insert into svc.deposits (organization_id, deposit_id, method, external_id, asset, amount, held_at, status,
          customer_id, payment_account_id, transaction_id, seen_at, created_at, updated_at)
   select $1, ${id}, 'ACH', 'id ' || number, 'USD', number, 'usd-main', ${status('UNMATCHED', 'APPLIED')},
          ${owner}, case when number % 100 = 0 then $3::uuid else gen_random_uuid() end, gen_random_uuid(), ${at},
          ${at}, ${at} from ${rows}`,
  `insert into svc.customers (organization_id, customer_id, customer_type, status, data_key_id, sealed_profile,
          created_at, updated_at, external_id)
   select $1, case when number = 1 then $2::uuid else ${id} end, 'INDIVIDUAL',
          ${status('REJECTED', 'ACTIVE')}, $3, '', ${at}, ${at}, 'id ' || number from ${rows}`,
  `insert into svc.customer_search (organization_id, search_hash, customer_id)
   select $1, case when number % 100 = 0 then decode('aa', 'hex') else decode(md5(number::text), 'hex') end,
          gen_random_uuid() from ${rows} where $2::uuid <> $3::uuid`,
  `insert into svc.payment_accounts (organization_id, payment_account_id, customer_id, payment_account_type, status,
          is_third_party, data_key_id, sealed_profile, requested_at, created_at, wallet_type, address, external_id)
   select $1, ${id}, ${owner}, 'SVC_CRYPTO_WALLET', 'ACTIVE', false, $3, '', ${at}, ${at}, 'EVM', 'x',
          'id ' || number from ${rows}`,
  `insert into svc.automation_rules (organization_id, rule_id, customer_id, name, source_payment_account_id,
          source_asset, source_method, destination_payment_account_id, destination_asset, destination_method,
          amount_type, amount_text, amount_units, trigger_type, cron_schedule, status, created_at, updated_at,
          external_id)
   select $1, ${id}, ${owner}, 'A rule', case when number % 100 = 0 then $3::uuid else gen_random_uuid() end,
          'USDC/BASE', 'BASE', gen_random_uuid(), 'USD', 'ACH', 'PCT', '50', 500000, 'TIME_BASED', '0 9 * * mon',
          ${status('PAUSED', 'ACTIVE')}, ${at}, ${at}, 'id ' || number from ${rows}`,
]

/** The tables of the lists, in the order in which they are filled. */
export const filledTables = [
  'transactions',
  'quotes',
  'deposits',
  'customers',
  'customer_search',
  'payment_accounts',
  'automation_rules',
] as const

/** Fills the tables of the lists with this many rows of one organization. */
export async function fillLists(database: Database, rows: number): Promise<void> {
  for (const [at, text] of fillOf(`generate_series(1, ${rows}) as number`).entries()) {
    await database.query({ text, values: [organizationId, customerId, accountId] })
    await database.query({ text: `analyze svc.${filledTables[at]}` })
  }
}

const slice = { after: undefined, limit: 101 }
const [of, from, to] = [[organizationId], '2026-01-05T00:00:00Z', '2026-01-06T00:00:00Z']
const createdFrom = from
const range = { createdFrom, createdTo: to }
const changed = { updatedFrom: from, updatedTo: to }
const dollars = { currency: 'USD', amountFrom: '1', amountTo: '100' }
const coins = { currency: 'USDC', amountFrom: '0.001', amountTo: '0.002' }
const leading = [...ownerFilters, ...timeFilters]
const aa = [{ organizationId, hashes: [Buffer.from('aa', 'hex')] }]

type Lists = Record<string, (filter: never) => (explaining: Queryable) => Promise<unknown>>
/** The statements of the lists, by their filters. */
export const lists = {
  transactions: (filter) => (on) => findTransactions(on, of, filter, readMoneyFilter(filter, leading), slice),
  quotes: (filter) => (on) => listQuotes(on, of, filter, readMoneyFilter(filter, leading), slice),
  deposits: (filter) => (on) => findDeposits(on, of, filter, readMoneyFilter(filter, leading), slice),
  customers: (filter) => (on) => findByFilter(on, of, filter, [], slice),
  'customers by hash': (filter) => (on) => findByFilter(on, of, filter, aa, slice),
  'payment accounts': (filter) => (on) => listAccounts(on, of, filter, slice),
  'automation rules': (filter) => (on) => listRules(on, of, filter, slice),
} satisfies Lists

// biome-ignore format: a table is read by column
/** The filters of the lists, and what the plan of each must use. */
export const listCases = [
  ['transactions',      { status: 'FAILED' },                              'transactions_by_status'],
  ['transactions',      { correlationId: 'order 7' },                      'transactions_by_correlation'],
  ['transactions',      { externalId: 'id 7' },                            'transactions_external_id'],
  ['transactions',      range,                                             'transactions_by_created'],
  ['transactions',      { createdFrom },                                   'transactions_by_created'],
  ['transactions',      changed,                                           'transactions_by_updated'],
  ['transactions',      { ...range, rail: 'ACH', ...coins },               'transactions_by_created'],
  ['transactions',      { ...range, status: 'COMPLETED' },                 'transactions_by_created'],
  ['transactions',      { customerId, rail: 'ACH' },                       'transactions_by_customer'],
  ['transactions',      { customerId, ...coins },                          'transactions_by_customer'],
  ['transactions',      { customerId, ...range },                          'transactions_by_'],
  ['transactions',      { paymentAccountId: accountId, rail: 'ACH' },    'transactions_by_source'],
  ['transactions',      { paymentAccountId: accountId, rail: 'ACH' },      'transactions_by_destination'],
  ['transactions',      { status: 'COMPLETED' },                           'transactions_'],
  ['transactions',      { customerId, status: 'FAILED' },                  'transactions_by_'],
  ['transactions',      { updatedFrom: from },                             'transactions_by_updated'],
  ['quotes',            {},                                                'quotes_pkey'],
  ['quotes',            { customerId },                                    'quotes_by_customer'],
  ['quotes',            { externalId: 'id 7' },                            'quotes_external_id'],
  ['quotes',            { ...range, rail: 'ACH' },                         'quotes_by_created'],
  ['quotes',            { createdFrom },                                   'quotes_by_created'],
  ['deposits',          { ...range, rail: 'ACH' },                         'deposits_by_created'],
  ['deposits',          { status: 'UNMATCHED' },                           'deposits_'],
  ['deposits',          { status: 'APPLIED' },                             'deposits_'],
  ['deposits',          { paymentAccountId: accountId },                   'deposits_by_account'],
  ['deposits',          { transactionId: accountId },                      'deposits_by_transaction'],
  ['deposits',          { ...changed, ...dollars },                        'deposits_by_updated'],
  ['deposits',          { customerId, ...dollars },                        'deposits_by_customer'],
  ['customers',         { status: 'REJECTED' },                            'customers_by_status'],
  ['customers',         { status: 'ACTIVE' },                              'customers_'],
  ['customers',         { createdFrom },                                   'customers_by_created'],
  ['customers',         { externalId: 'id 7' },                            'customers_external_id'],
  ['customers',         { ...range, type: 'BUSINESS' },                    'customers_by_created'],
  ['customers by hash', {},                                                'customer_search_pkey'],
  ['customers by hash', { status: 'ACTIVE', type: 'INDIVIDUAL' },          'customer_search_pkey'],
  ['payment accounts',  { customerId, status: 'ACTIVE' },                  '(customer_id ='],
  ['payment accounts',  { customerId, reach: reachOf('BASE', () => true) }, '(customer_id ='],
  ['payment accounts',  { externalId: 'id 7' },                            'payment_accounts_external_id'],
  ['automation rules',  { customerId },                                    'automation_rules_by_customer'],
  ['automation rules',  { customerId, status: 'PAUSED' },                  'automation_rules_by_customer'],
  ['automation rules',  { sourcePaymentAccountId: accountId },             'automation_rules_by_source'],
  ['automation rules',  { externalId: 'id 7' },                            'automation_rules_external_id'],
] as const
