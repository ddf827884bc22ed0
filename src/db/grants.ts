import type { Check } from './verify.ts'

/**
 * The columns that processes may change after the insert, by table. The other columns are what a payout relies on:
 * the receiver, the amount and the money behind it; of an API key, its rights.
 */
const changeableColumns: Readonly<Record<string, readonly string[]>> = {
  api_keys: ['last_used_at', 'expires_at', 'revoked_at', 'rolled_at', 'successor_api_key_id', 'version'],
  payment_accounts: ['link_version', 'version'],
  former_bank_details: [],
  bank_changes: ['status', 'decided_at'],
  accepted_differences: ['amount', 'accepted_at', 'withdrawn_at'],
  explained_entries: ['reference', 'explained_at', 'withdrawn_at'],
  bank_entries: ['outcome', 'due_at', 'repeats', 'external_id'],
  bank_entry_parts: [],
  bank_entry_reversals: ['reversed_entry_id', 'reversed_place', 'amount', 'chosen_at'],
  bank_recall_payments: ['ruled_out_at'],
  bank_recalls: ['status', 'decided_at', 'linked_at'],
  payouts: [
    'screened_version',
    'lacks_liquidity_since',
    'status',
    'returned_amount',
    'attempts',
    'asks',
    'external_reference',
    'reason',
    'due_at',
    'lease_until',
    'fence',
    'resolved_at',
    'contradicted_at',
    'unconfirmed_at',
    'news_fence',
  ],
  deposits: [
    'status',
    'applied_amount',
    'returned_amount',
    'reversed_amount',
    'covered_amount',
    'labels',
    'version',
    'is_sender_blocked',
    'transaction_id',
    'updated_at',
    'due_at',
    'lease_until',
    'fence',
  ],
  ordered_payouts: ['watched_at'],
  liquidity: ['available', 'costs', 'reversed', 'developer_fees'],
  dual_control: [],
  treasury_proposals: ['status', 'decided_by', 'decided_at', 'refusal_reason'],
  deposit_reversals: ['status', 'owed_amount', 'decided_at'],
  bank_accounts: [],
  bank_account_rails: [],
  sightings: [
    'state',
    'dust',
    'sender_matches',
    'sealed_sender',
    'block_number',
    'block_hash',
    'observed_at',
    'due_at',
    'lease_until',
    'fence',
  ],
  transactions: [
    'status',
    'version',
    'destination_amount',
    'exchange_rate',
    'source_reference_id',
    'destination_reference_id',
    'failure_reason',
    'labels',
    'status_history',
    'status_written_at',
    'received_amount',
    'funded_at',
    'refund',
    'repayment',
    'step',
    'due_at',
    'lease_until',
    'fence',
    'updated_at',
    'link_version',
    'approval_id',
    'approval_expires_at',
    'metadata',
  ],
  approvals: ['status', 'version', 'decided_at', 'due_at', 'lease_until', 'fence'],
  approval_decisions: [],
  quotes: [],
}

const allowed = Object.entries(changeableColumns)
  .flatMap(([table, columns]) => columns.map((column) => `('${table}', '${column}')`))
  .join(', ')
const guarded = Object.keys(changeableColumns)
  .map((table) => `'${table}'`)
  .join(', ')

/** Finds a grant that a later migration or an administrator gave too widely. */
export const grantChecks: readonly Check[] = [
  {
    name: 'no process can rewrite what a payout relies on',
    sql: `select format('%s may update %s.%s', current_user, relname, attname) as violation
            from pg_class
            join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
           where relnamespace = 'svc'::regnamespace and relname in (${guarded})
             and (relname, attname) not in (${allowed})
             and has_column_privilege(current_user, pg_class.oid, attnum, 'update')`,
  },
]
