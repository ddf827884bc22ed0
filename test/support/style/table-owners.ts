import type { Exceptions } from './source-tree.ts'

/** The folder of src that writes a table, and what the table is. */
type Table = {
  owner: string
  /** Belongs to no organization. Every other table has organization_id. */
  isPlatform?: true
  /** A row, once written, stays as it is. */
  isAppendOnly?: true
}

/** Every table of the schema. */
// biome-ignore format: a table is read by column
export const tables: Readonly<Record<string, Table>> = {
  migrations:             { owner: 'db', isPlatform: true, isAppendOnly: true },
  functions:              { owner: 'db', isPlatform: true },
  deployment:             { owner: 'db', isPlatform: true, isAppendOnly: true },
  clock:                  { owner: 'db', isPlatform: true },
  clock_moves:            { owner: 'db', isPlatform: true, isAppendOnly: true },
  duties:                 { owner: 'db', isPlatform: true },
  checks:                 { owner: 'db', isPlatform: true },
  revisions:              { owner: 'db', isPlatform: true },
  rate_buckets:           { owner: 'db' },
  idempotency_keys:       { owner: 'db', isAppendOnly: true },
  events:                 { owner: 'db' },
  event_sequences:        { owner: 'db' },
  audit:                  { owner: 'db', isAppendOnly: true },
  audit_queue:            { owner: 'db' },
  audit_seals:            { owner: 'db', isAppendOnly: true },
  audit_heads:            { owner: 'db' },
  // The memory of the sandbox's banks and chains: they report transfers without an organization.
  sandbox_transfers:      { owner: 'db', isPlatform: true },
  data_keys:              { owner: 'encryption' },
  deployment_secrets:     { owner: 'encryption', isPlatform: true },
  organizations:          { owner: 'organizations' },
  signing_keys:           { owner: 'tokens', isPlatform: true, isAppendOnly: true },
  api_keys:               { owner: 'credentials' },
  customers:              { owner: 'customers' },
  customer_notes:         { owner: 'customers', isAppendOnly: true },
  blobs:                  { owner: 'customers' },
  form_drafts:            { owner: 'forms' },
  // A published list is the same for every organization.
  watch_lists:            { owner: 'screening', isPlatform: true, isAppendOnly: true },
  watch_list_chunks:      { owner: 'screening', isPlatform: true, isAppendOnly: true },
  watch_list_imports:     { owner: 'screening', isPlatform: true, isAppendOnly: true },
  submissions:            { owner: 'verification' },
  identity_marks:         { owner: 'verification' },
  provider_requests:      { owner: 'verification' },
  reviews:                { owner: 'reviews' },
  screenings:             { owner: 'reviews' },
  ledger_accounts:        { owner: 'ledger' },
  postings:               { owner: 'ledger', isAppendOnly: true },
  entries:                { owner: 'ledger', isAppendOnly: true },
  unfolded_postings:      { owner: 'ledger' },
  reserves:               { owner: 'ledger' },
  payout_halts:           { owner: 'ledger', isPlatform: true },
  wallets:                { owner: 'custody', isAppendOnly: true },
  wallet_addresses:       { owner: 'custody', isPlatform: true },
  service_addresses:      { owner: 'signer', isPlatform: true },
  signer_seeds:           { owner: 'signer', isPlatform: true },
  custody_acts:           { owner: 'signer', isPlatform: true, isAppendOnly: true },
  sealing_keys:           { owner: 'signer', isPlatform: true },
  reserve_addresses:      { owner: 'signer', isPlatform: true },
  signing_stops:          { owner: 'signer', isPlatform: true },
  payment_accounts:       { owner: 'payment-accounts' },
  rates:                  { owner: 'quotes', isPlatform: true },
  quotes:                 { owner: 'quotes', isAppendOnly: true },
  transactions:           { owner: 'transactions' },
  transaction_steps:      { owner: 'transactions', isAppendOnly: true },
  payouts:                { owner: 'transactions' },
  payout_attempts:        { owner: 'transactions', isAppendOnly: true },
  payout_preparations:    { owner: 'transactions', isAppendOnly: true },
  payout_returns:         { owner: 'transactions', isAppendOnly: true },
  // Banks know a reference, and no organization; a file has payouts of several.
  payout_references:      { owner: 'transactions', isPlatform: true, isAppendOnly: true },
  rail_reports:           { owner: 'transactions', isPlatform: true },
  payout_batches:         { owner: 'transactions', isPlatform: true, isAppendOnly: true },
  disbursements:          { owner: 'transactions', isAppendOnly: true },
  disbursement_parts:     { owner: 'transactions', isAppendOnly: true },
  liquidity:              { owner: 'transactions' },
  treasury_proposals:     { owner: 'transactions' },
  dual_control:           { owner: 'transactions', isPlatform: true, isAppendOnly: true },
  // Our own accounts serve every organization.
  bank_accounts:          { owner: 'transactions', isPlatform: true, isAppendOnly: true },
  bank_account_rails:     { owner: 'transactions', isPlatform: true, isAppendOnly: true },
  // Banks know no organization, and a file has payments of several.
  bank_files:             { owner: 'transactions', isPlatform: true },
  bank_folders:           { owner: 'transactions', isPlatform: true },
  bank_file_items:        { owner: 'transactions', isPlatform: true },
  bank_entries:           { owner: 'transactions', isPlatform: true },
  bank_entry_parts:       { owner: 'transactions', isPlatform: true, isAppendOnly: true },
  bank_entry_reversals:   { owner: 'transactions', isPlatform: true, isAppendOnly: true },
  bank_payments:          { owner: 'transactions', isPlatform: true, isAppendOnly: true },
  bank_returns:           { owner: 'transactions', isPlatform: true },
  bank_second_debits:     { owner: 'transactions', isPlatform: true },
  bank_changes:           { owner: 'transactions', isPlatform: true, isAppendOnly: true },
  deposit_suggestions:    { owner: 'transactions', isPlatform: true, isAppendOnly: true },
  deposits:               { owner: 'transactions' },
  deposit_reversals:      { owner: 'transactions' },
  // Banks and chains report a transfer without an organization.
  sightings:              { owner: 'transactions', isPlatform: true },
  quarantined_sightings:  { owner: 'transactions', isPlatform: true },
  // A network is the same for every organization.
  chain_scans:            { owner: 'chains', isPlatform: true },
  chain_blocks:           { owner: 'chains', isPlatform: true },
  chain_funds:            { owner: 'chains', isPlatform: true },
  chain_oddities:         { owner: 'chains', isPlatform: true },
  // A relayer of a network serves every organization.
  transfer_authorizations: { owner: 'chains', isPlatform: true },
  relayers:               { owner: 'chains', isPlatform: true },
  relay_nonces:           { owner: 'chains', isPlatform: true },
  relay_transactions:     { owner: 'chains', isPlatform: true },
  token_accounts:         { owner: 'chains', isPlatform: true },
  solana_transfers:       { owner: 'chains', isPlatform: true },
  automation_rules:       { owner: 'automation-rules' },
  rule_runs:              { owner: 'automation-rules' },
  threshold_watches:      { owner: 'automation-rules' },
  webhooks:               { owner: 'webhooks' },
  webhook_secrets:        { owner: 'webhooks' },
  webhook_deliveries:     { owner: 'webhooks' },
  webhook_attempts:       { owner: 'webhooks', isAppendOnly: true },
  sandbox_inboxes:        { owner: 'sandbox' },
  // The sandbox's bank stands for the outside world, which knows no organization.
  sandbox_bank_accounts:  { owner: 'sandbox', isPlatform: true },
  sandbox_bank_files:     { owner: 'sandbox', isPlatform: true, isAppendOnly: true },
  sandbox_bank_payments:  { owner: 'sandbox', isPlatform: true },
  sandbox_bank_expedited: { owner: 'sandbox', isPlatform: true, isAppendOnly: true },
  sandbox_bank_entries:   { owner: 'sandbox', isPlatform: true },
  sandbox_bank_letters:   { owner: 'sandbox', isPlatform: true },
  sandbox_inbox_requests: { owner: 'sandbox' },
}

/** Every function of the schema, and the folder of src whose rule it holds. Every folder may call those of db. */
// biome-ignore format: a table is read by column
export const functionOwners: Readonly<Record<string, string>> = {
  await_commit:            'db',
  now:                     'db',
  business_time:           'db',
  format_time:             'db',
  format_amount:           'db',
  hash_posting:            'ledger',
  open_ledger_accounts:    'ledger',
  post:                    'ledger',
  post_together:           'ledger',
  reserve:                 'ledger',
  reserve_together:        'ledger',
  release:                 'ledger',
  lock_balances:           'ledger',
  lock_for_postings:       'ledger',
  lock_for_reserves:       'ledger',
  hash_postings:           'ledger',
  find_ledger_accounts:    'ledger',
  compute_balance_changes: 'ledger',
  write_entries:           'ledger',
  fold_entries:            'ledger',
  assign_address:          'custody',
  account_fits:            'payment-accounts',
  complete_payment_account: 'payment-accounts',
  connect_bank_account: 'transactions',
  deactivate_payment_account: 'payment-accounts',
  why_not_owed:            'signer',
  why_payout_not_owed:     'signer',
  is_reserved:             'signer',
  sum_postings_of:         'signer',
  why_not_collected:       'signer',
  uncollected_fees:        'signer',
  create_transactions:     'transactions',
  short_reference:         'transactions',
  decide_creations:        'transactions',
  lock_guarantees:         'transactions',
  insert_transactions:     'transactions',
  reserve_sources:         'transactions',
  show_transaction:        'transactions',
  holding_of:              'transactions',
  start_payouts:           'transactions',
  choose_payouts:          'transactions',
  find_first_in_line:      'transactions',
  open_refunds:            'transactions',
}

const namesOf = (isMeant: (table: Table) => boolean | undefined) =>
  Object.entries(tables).flatMap(([name, table]) => (isMeant(table) ? name : []))

export const platformTables = namesOf(({ isPlatform }) => isPlatform)
export const appendOnlyTables = namesOf(({ isAppendOnly }) => isAppendOnly)
const oneRead = 'one statement reads all that a decision needs, so that nothing changes between two reads'
const wholeCheck = 'svc verify compares both sides of a fact in one snapshot'
const outbox = 'events travel through the outbox, which its readers page through themselves'
const ofSeals = 'the signer alone writes the columns of seals; grants keep them apart'

/** Writes to the table of another capability. */
export const foreignWrites: Exceptions = {
  'src/signer/store.ts writes wallet_addresses':
    'the signer derives and retires free addresses, custody assigns them; grants and row security keep them apart',
  'src/signer/reseal-store.ts writes payouts': ofSeals,
  'src/signer/reseal-store.ts writes payment_accounts': ofSeals,
  'src/signer/seal-store.ts writes payouts': ofSeals,
  'src/signer/seal-store.ts writes payment_accounts': ofSeals,
  'src/signer/signing/authorization-store.ts writes transfer_authorizations':
    'the signer alone writes signatures; grants keep them apart',
  'src/signer/signing/solana/store.ts writes solana_transfers':
    'the signer alone writes signatures; grants keep them apart',
  'src/signer/signing/relay-store.ts writes relay_transactions':
    'the signer alone writes signatures; grants keep them apart',
}

const reconciled = 'svc verify --chains compares every address with the records behind the ledger, in one snapshot'

/** Reads of the table of another capability. */
export const foreignReads: Exceptions = {
  'db reads api_keys': wholeCheck,
  'db reads postings': 'the checks of every capability begin with the postings since the last check',
  'db reads ledger_accounts': 'the ledger accounts name every organization that has postings',
  'credentials reads organizations': 'each request needs the tier and limits of its key: one indexed read',
  'verification reads customers': 'an identity counts as seen when another customer who showed it is served',
  'verification reads reviews': 'a metric counts waiting submissions and reviews in one snapshot',
  'reviews reads customers': 'a page of reviews shows the type and status of each customer: one query',
  'reviews reads submissions': wholeCheck,
  'custody reads deployment': wholeCheck,
  'custody reads reserve_addresses': 'an address is our own when the signer registered it',
  'custody reads service_addresses': 'an address is our own when it is in the pool or published by the signer',
  'custody reads sealing_keys': 'the signer publishes the keys with which every process checks seals',
  'signer reads payment_accounts': 'the signer seals what is stored, without the names and numbers of customers',
  'signer reads payouts': 'the signer seals what is stored',
  'signer reads wallets': 'the signer derives the address of a service wallet before it seals it',
  'signer reads wallet_addresses': 'the signer fills the pool up to its size, and reads no table of customers',
  'signer reads transfer_authorizations': 'a request for a signature is a row',
  'signer reads relay_transactions': 'a request for a signature is a row',
  'signer reads solana_transfers': 'a request for a signature is a row',
  'signer reads payout_attempts': 'the signer signs a second authorization only when the first is dead',
  'signer reads payout_preparations': 'the signer relays only what is committed',
  'chains reads payouts': 'a rail knows our reference alone, and the signer needs the organization of the payout',
  'chains reads payout_preparations': 'an authorization is relayed only when it is committed',
  'chains reads wallet_addresses': 'the token accounts of every address in use are watched',
  'chains reads service_addresses': 'a former treasury of ours may still hold tokens',
  'chains reads deposits': reconciled,
  'chains reads sightings': reconciled,
  'chains reads quarantined_sightings': reconciled,
  'chains reads payout_attempts': reconciled,
  'chains reads wallets': reconciled,
  'chains reads signing_stops': 'payouts wait while the operator has stopped the signer',
  'payment-accounts reads customers': 'the insert holds the status of the customer with a share lock',
  'payment-accounts reads wallets': wholeCheck,
  'quotes reads organizations': 'the tier decides the fee, the limits decide a guarantee: one indexed read',
  'quotes reads customers': oneRead,
  'quotes reads payment_accounts': oneRead,
  'quotes calls account_fits': oneRead,
  'transactions reads customers': oneRead,
  'transactions reads reviews': oneRead,
  'transactions reads payment_accounts': oneRead,
  'transactions reads wallets': 'a deposit names an address, and the wallet tells the organization',
  'transactions reads quotes': 'the timeline and the rail need the amount and the expiry that were quoted',
  'transactions reads audit': 'the timeline shows the acts of operators',
  'transactions reads ledger_accounts': wholeCheck,
  'transactions reads postings': wholeCheck,
  'transactions reads entries': wholeCheck,
  'transactions reads reserves': wholeCheck,
  'transactions reads unfolded_postings': wholeCheck,
  'automation-rules reads organizations': oneRead,
  'automation-rules reads customers': oneRead,
  'automation-rules reads payment_accounts': oneRead,
  'automation-rules reads ledger_accounts': 'a threshold is compared with the balance under the lock of its watch',
  'automation-rules reads transactions': wholeCheck,
  'automation-rules reads idempotency_keys': wholeCheck,
  'events reads events': outbox,
  'events reads event_sequences': outbox,
  'webhooks reads events': outbox,
  'webhooks reads event_sequences': outbox,
  'webhooks reads clock': 'a retry is due by real time unless business time is frozen: one statement reads both',
}

const oneCall = 'a transaction, its event and its stored answer are made by one call: one round trip, one commit'
const derivation = 'the signer derives an obligation from what is stored, in one snapshot, before it seals it'

/** Tables and functions of another owner that SQL functions use. */
export const foreignUsesInFunctions: Exceptions = {
  'signer reads payouts': derivation,
  'signer reads wallets': derivation,
  'signer calls holding_of': derivation,
  'signer reads payment_accounts': derivation,
  'signer reads transactions': derivation,
  'signer reads deposits': derivation,
  'signer reads postings': derivation,
  'signer reads entries': derivation,
  'signer reads ledger_accounts': derivation,
  'signer reads reserves': derivation,
  'signer reads unfolded_postings': derivation,
  'insert_transactions writes events': oneCall,
  'insert_transactions writes idempotency_keys': oneCall,
  'transactions reads idempotency_keys': oneCall,
  'transactions reads quotes': oneCall,
  'transactions reads customers': oneCall,
  'transactions reads payment_accounts': oneCall,
  'transactions reads payout_halts': 'no payout starts that was halted since the worker looked',
  'transactions reads ledger_accounts': 'a batch knows what each wallet has before it reserves',
  'transactions calls reserve': 'the ledger reserves the money in the same call',
  'transactions calls assign_address': 'custody assigns the deposit address in the same call',
}
