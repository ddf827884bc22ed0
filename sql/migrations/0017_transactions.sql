-- Transactions: the payments promised to customers, their progress, and the payouts and deposits that belong to them.

create table svc.transactions (
  organization_id uuid not null,
  transaction_id uuid not null,
  customer_id uuid not null,
  quote_id uuid not null,
  status text not null check (status in
    ('CREATED', 'AWAITING_TRANSFER', 'PROCESSING', 'COMPLETED', 'FAILED', 'CANCELLED', 'EXPIRED')),
  -- Counts the changes that have an event.
  version integer not null default 1,
  correlation_id text,
  source_payment_account_id uuid not null,
  -- True when the money comes from a service wallet, where it was reserved; false when the customer sends it to us.
  is_from_wallet boolean not null,
  -- True when it converts returned funds: the source is the ledger account that keeps them, and svc.conversion_parts
  -- has their causes.
  is_from_returned_funds boolean not null default false check (not (is_from_wallet and is_from_returned_funds)),
  source_asset text not null,
  source_method text not null,
  source_amount numeric(38, 0) not null,
  destination_payment_account_id uuid not null,
  is_to_wallet boolean not null,
  destination_asset text not null,
  destination_method text not null,
  destination_amount numeric(38, 0) not null,
  exchange_rate text not null,
  svc_fee numeric(38, 0) not null,
  developer_fee numeric(38, 0) not null,
  is_guaranteed boolean not null,
  -- The end of the guarantee, which is the end of the transfer window; null without one.
  guaranteed_until timestamptz,
  -- Copied from the quote: counts towards the limit of the organization until the transaction is executed or over.
  guaranteed_usd_cents numeric(38, 0),
  quote_expires_at timestamptz not null,
  -- The key that asked for it, or that made the automation rule that did; null for a deposit to an auto fiat account.
  api_key_id uuid,
  -- The counters of the policies that count it, and the subject in each; null when none does.
  counter_ids uuid[],
  counter_subjects uuid[],
  -- Copied from the quote: svc.quotes.transaction_parts.
  parts jsonb not null,
  -- The instructions given to the customer, as JSON.
  transfer_instructions text,
  -- Identifies incoming money: the message of a bank transfer, or an address of the transaction's own.
  transfer_message text,
  transfer_address text,
  -- Raised to invalidate all links to the pay page issued before.
  link_version integer not null default 1,
  source_reference_id text not null default '',
  destination_reference_id text not null default '',
  failure_reason text,
  labels text[] not null default '{}',
  -- {"status", "at"} of each change, oldest first, as answers show it; and the real time of each, which orders changes
  -- while business time stands still (null for the first).
  status_history json[] not null,
  status_written_at timestamptz[] not null,
  -- The final deposits counted towards the source amount, and when the last of them arrived.
  received_amount numeric(38, 0) not null default 0 check (received_amount between 0 and source_amount),
  funded_at timestamptz,
  -- The refund to the sender: {"status", "amount", "referenceId"}, summed over svc.payouts.
  refund jsonb,
  -- Returned funds of the transaction: {"status", "amount", "asset", "referenceId"}, as in svc.payouts.
  repayment jsonb,
  -- The last approval that it waited for; and its end, only while it is open. A worker executes nothing until then.
  approval_id uuid,
  approval_expires_at timestamptz check (approval_expires_at is null or approval_id is not null),
  -- Work: a worker's next step, and its time. No due time while a customer, rail or reviewer has to act.
  step text not null check (step in ('SCREEN', 'FROZEN', 'AWAIT', 'PAYOUT', 'DONE')),
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz,
  -- The caller's own data. Metadata is emptied when the customer is erased, so that no answer or event may keep it.
  external_id text,
  metadata json,
  primary key (organization_id, transaction_id),
  -- A quote is used once, for ever.
  constraint transactions_quote_once unique (organization_id, quote_id),
  check ((status = 'AWAITING_TRANSFER') = (expires_at is not null) or status <> 'AWAITING_TRANSFER')
) with (fillfactor = 60); -- room for the next lease on the same page, so that no index changes
-- Each index has a reader that is named here. A creation from a wallet writes ten of them.
-- Workers claim the oldest due ones: src/db/work.ts.
create index transactions_due on svc.transactions (due_at) where due_at is not null;
-- Workers share a backlog among organizations: src/db/fair-claims.ts.
create index transactions_due_by_organization on svc.transactions (organization_id, due_at) where due_at is not null;
-- GET /transactions by customer and by account, in the order of the list.
create index transactions_by_customer on svc.transactions (organization_id, customer_id, transaction_id);
create index transactions_by_source on svc.transactions (organization_id, source_payment_account_id, transaction_id);
create index transactions_by_destination
  on svc.transactions (organization_id, destination_payment_account_id, transaction_id);
-- A message names one transaction.
create unique index transactions_by_message on svc.transactions (organization_id, transfer_message)
  where transfer_message is not null;
-- A bank transfer finds its transaction by its message, whichever organization it belongs to.
create index transactions_by_any_message on svc.transactions (transfer_message) where transfer_message is not null;
-- The link of a pay page names the transaction alone.
create index transactions_by_link on svc.transactions (transaction_id) where transfer_instructions is not null;
-- The gauge of stuck work counts the open ones that have not changed for an hour: countStuckWork.
create index transactions_open on svc.transactions (status, updated_at)
  where status in ('CREATED', 'AWAITING_TRANSFER', 'PROCESSING');
-- The open guarantees of an organization are summed from the index alone.
create index transactions_guaranteed on svc.transactions (organization_id, guaranteed_usd_cents)
  where guaranteed_usd_cents is not null and step in ('AWAIT', 'SCREEN', 'FROZEN');
-- The checks of conversions read these alone.
create index transactions_from_returned_funds on svc.transactions (organization_id, transaction_id)
  where is_from_returned_funds;
-- Whether an account is in use is answered from the open transactions of its customer alone.
create index transactions_open_by_customer on svc.transactions (organization_id, customer_id, transaction_id)
  where status in ('CREATED', 'AWAITING_TRANSFER', 'PROCESSING');
-- Transactions that wait for an operator are counted without reading the others.
create index transactions_undecided on svc.transactions (organization_id)
  where refund ->> 'status' = 'WAITING_FOR_OPERATOR' or repayment ->> 'status' = 'WAITING_FOR_OPERATOR';
-- GET /transactions by status, by each time, and by the caller's references. bench/list-indexes.ts tells what each costs.
create index transactions_by_status on svc.transactions (organization_id, status, transaction_id);
create index transactions_by_created on svc.transactions (organization_id, created_at, transaction_id);
create index transactions_by_updated on svc.transactions (organization_id, updated_at, transaction_id);
create index transactions_by_correlation on svc.transactions (organization_id, correlation_id, transaction_id)
  where correlation_id is not null;
create unique index transactions_external_id on svc.transactions (organization_id, external_id)
  where external_id is not null;
-- Processes cannot change what was agreed: customer, accounts, assets and source amount. A late payment is repriced.
grant select, insert, update (status, version, destination_amount, exchange_rate, source_reference_id,
  destination_reference_id, failure_reason, labels, status_history, status_written_at, received_amount, funded_at, refund,
  repayment, step, due_at, lease_until, fence, updated_at, link_version, approval_id, approval_expires_at, metadata)
  on svc.transactions to svc_app;

-- Every step done for a transaction, one row each: rails, chains, screening, operators.
create table svc.transaction_steps (
  organization_id uuid not null,
  transaction_id uuid not null,
  step_id uuid not null,
  at timestamptz not null,
  kind text not null,
  -- Codes, ids and amounts; never personal data.
  details jsonb not null default '{}',
  primary key (organization_id, transaction_id, step_id)
);
grant select, insert on svc.transaction_steps to svc_app;

-- Our own bank accounts. A holding is a place where money is: one of these accounts, 'TREASURY' (tokens at our own
-- addresses) or 'CUSTODY' (tokens at customers' addresses).
create table svc.bank_accounts (
  bank_account_id text primary key check (bank_account_id ~ '^[a-z0-9-]{1,40}$'),
  bank_name text not null check (bank_name <> ''),
  currency text not null,
  -- How files name the account: holder, coordinates, and the bank's conventions. Null for an account without files.
  holder_name text check (holder_name <> ''),
  coordinates jsonb,
  dialect jsonb,
  created_at timestamptz not null,
  check (num_nulls(holder_name, coordinates, dialect) in (0, 3))
);
grant select, insert on svc.bank_accounts to svc_app;

-- The account that serves a rail. A rail keeps its account for ever: where earlier money is held follows from its rail.
create table svc.bank_account_rails (
  rail text primary key,
  bank_account_id text not null references svc.bank_accounts
);
grant select, insert on svc.bank_account_rails to svc_app;

-- An obligation to pay an account: a payout, a refund, a repayment, the return of a deposit, or a disbursement. One row
-- for all attempts; banks and chains see the row's id as reference, so a repeated request moves money once.
create table svc.payouts (
  organization_id uuid not null,
  payout_id uuid not null,
  transaction_id uuid,
  deposit_id uuid,
  -- Null for a movement of our own money alone.
  customer_id uuid,
  purpose text not null
    check (purpose in ('PAYOUT', 'REFUND', 'RETURN', 'REPAYMENT', 'DISBURSEMENT', 'COLLECT', 'SWEEP', 'REBALANCE')),
  method text not null,
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  -- The receiver: a registered account of the customer; null when an address of ours receives.
  payment_account_id uuid,
  -- The version of the receiver's coordinates: those of the day on which the obligation was created.
  details_version integer not null default 1,
  -- The wallet whose address pays (a key of svc.wallets); null when our own bank or treasury pays.
  from_wallet_id uuid,
  -- The holding of ours that pays; null when a wallet's address pays.
  pays_from text,
  -- The holding that keeps the owed money; null for a PAYOUT, whose money is ours until it has left.
  held_at text,
  -- It pays with our own money first, which the owed money replaces once the payout is confirmed.
  needs_liquidity boolean not null
    generated always as (pays_from is not null and held_at is distinct from pays_from) stored,
  -- For tokens that come to our treasury: the part that belongs to the integrator.
  developer_fees numeric(38, 0) check (developer_fees between 0 and amount),
  -- The watch list with which the destination was screened last; 0 when there was none, null before the first time.
  screened_version integer,
  -- Business time: the first start that found too little liquidity.
  lacks_liquidity_since timestamptz,
  -- WAITING for liquidity or a halt; SENDING: the rail may have it; SENT: the rail accepted it; then the outcome.
  status text not null check (status in ('WAITING', 'SENDING', 'SENT', 'CONFIRMED', 'REFUSED', 'RETURNED')),
  -- The amount that the bank returned, which may be less than was paid.
  returned_amount numeric(38, 0) check (returned_amount between 1 and amount),
  -- A reviewer has released it although its customer stays blocked.
  is_released boolean not null default false,
  attempts integer not null default 0,
  -- The number of polls of the rail since its last news.
  asks integer not null default 0,
  external_reference text not null default '',
  reason text,
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  -- The claim during which its rail had news: the worker that holds it makes the payout due now, not later.
  news_fence bigint,
  created_at timestamptz not null,
  resolved_at timestamptz,
  -- Business time: the rail's answer contradicts the recorded outcome, and no operator has acknowledged it yet.
  contradicted_at timestamptz,
  -- Business time: its chain has dropped the final block that paid it. A worker asks until the rail tells its fate.
  unconfirmed_at timestamptz,
  -- The signer's seal over the obligation: see src/lib/seals/content.ts. Without it the payout stays WAITING and is not due. The
  -- signer writes these columns, and no other process.
  seal bytea,
  seal_due_at timestamptz not null default clock_timestamp(),
  seal_problem text,
  primary key (organization_id, payout_id),
  -- The return of a deposit may belong to a transaction, too. A disbursement belongs to its row of svc.disbursements,
  -- a sweep to its wallet, a rebalance to us; the others belong to a transaction alone.
  check ((purpose = 'RETURN') = (deposit_id is not null)),
  check ((purpose in ('DISBURSEMENT', 'SWEEP', 'REBALANCE')) = (transaction_id is null and deposit_id is null)),
  check ((purpose in ('COLLECT', 'SWEEP', 'REBALANCE')) = (payment_account_id is null)),
  check ((purpose in ('COLLECT', 'SWEEP')) = (developer_fees is not null)),
  check ((purpose = 'REBALANCE') = (customer_id is null)),
  check (purpose not in ('COLLECT', 'SWEEP') or from_wallet_id is not null),
  check ((status = 'RETURNED') = (returned_amount is not null)),
  check ((pays_from is null) = (from_wallet_id is not null)),
  check ((purpose in ('PAYOUT', 'REBALANCE')) = (held_at is null))
) with (fillfactor = 70); -- room for the next lease on the same page, so that no index changes
-- At most one live obligation per purpose and transaction. A new one may follow a refused one, and a new repayment may
-- follow one that is finished: a bank may return a payout in several parts.
create unique index payouts_once_per_transaction on svc.payouts (organization_id, transaction_id, purpose)
  where deposit_id is null and status <> 'REFUSED' and not (purpose = 'REPAYMENT' and status in ('CONFIRMED', 'RETURNED'));
create unique index payouts_once_per_deposit on svc.payouts (organization_id, deposit_id, purpose)
  where deposit_id is not null and status <> 'REFUSED';
create unique index payouts_one_sweep on svc.payouts (organization_id, from_wallet_id, asset)
  where purpose = 'SWEEP' and status in ('WAITING', 'SENDING', 'SENT');
create index payouts_to_collect on svc.payouts (organization_id, transaction_id, payout_id)
  where purpose = 'COLLECT' and status <> 'CONFIRMED';
create index payouts_of_transaction on svc.payouts (organization_id, transaction_id) where transaction_id is not null;
create index payouts_of_deposit on svc.payouts (organization_id, deposit_id) where deposit_id is not null;
create index payouts_contradicted on svc.payouts (contradicted_at) where contradicted_at is not null;
-- Banks and chains know the id and not the organization.
create index payouts_by_reference on svc.payouts (payout_id);
create index payouts_due on svc.payouts (method, due_at) where due_at is not null;
create index payouts_due_by_organization on svc.payouts (organization_id, due_at) where due_at is not null;
create index payouts_open on svc.payouts (organization_id, asset) where status in ('WAITING', 'SENDING', 'SENT');
create index payouts_lacking_liquidity on svc.payouts (organization_id, pays_from, asset, payout_id)
  where lacks_liquidity_since is not null;
create index payouts_open_by_account on svc.payouts (organization_id, payment_account_id, payout_id)
  where status in ('WAITING', 'SENDING', 'SENT') and purpose <> 'PAYOUT';
create index payouts_unsealed on svc.payouts (seal_due_at) where seal is null and status = 'WAITING';
-- Violations: a check reads them without reading the others.
create index payouts_left_unsealed on svc.payouts (organization_id)
  where seal is null and (attempts > 0 or status in ('SENDING', 'SENT'));
-- Processes change the progress of an obligation, never the obligation.
grant select,
  insert (organization_id, payout_id, transaction_id, deposit_id, customer_id, purpose, method, asset, amount,
    payment_account_id, details_version, from_wallet_id, pays_from, held_at, developer_fees, screened_version, lacks_liquidity_since, status,
    returned_amount, is_released, attempts, asks, external_reference, reason, due_at, lease_until, fence, created_at,
    resolved_at),
  update (screened_version, lacks_liquidity_since, status, returned_amount, attempts, asks, external_reference, reason,
    due_at, lease_until, fence, news_fence, resolved_at, contradicted_at, unconfirmed_at) on svc.payouts to svc_app;
grant select, update (seal, seal_due_at, seal_problem, due_at) on svc.payouts to svc_signer;

-- Attempts, in order: the next one begins when the one before is known to have failed.
create table svc.payout_attempts (
  organization_id uuid not null,
  payout_id uuid not null,
  attempt integer not null,
  -- Business time.
  at timestamptz not null,
  outcome text not null,
  details jsonb not null default '{}',
  -- Real time: orders attempts while business time stands still.
  written_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, payout_id, attempt, outcome)
);
-- For blocks that a chain drops.
create index payout_attempts_by_block on svc.payout_attempts (((details #>> '{block,number}')::bigint))
  where outcome like 'CONFIRMED%' and (details #>> '{block,number}')::bigint is not null;
grant select, insert on svc.payout_attempts to svc_app;

-- Finds a payout by svc.short_reference of its id, which banks pass on. Unique in the whole deployment, because banks
-- know no organization.
create table svc.payout_references (
  short_reference text primary key,
  payout_id uuid not null
);
grant select, insert on svc.payout_references to svc_app;

-- The exact bytes that a rail sends: a file with many payouts, or one transfer. Committed before they leave.
create table svc.payout_batches (
  -- Chosen by the rail, unique for ever.
  batch_id text primary key,
  rail text not null,
  -- Sealed with a key of the deployment, because a file names accounts and people.
  sealed_content bytea not null,
  -- Business time: the rail executes nothing of it afterwards.
  not_after timestamptz not null,
  created_at timestamptz not null
);
grant select, insert on svc.payout_batches to svc_app;

-- An attempt whose bytes may have left. One without a row here has not left.
create table svc.payout_preparations (
  organization_id uuid not null,
  payout_id uuid not null,
  attempt integer not null,
  batch_id text not null references svc.payout_batches,
  -- The name of the attempt at the rail: a transaction hash, a nonce, an entry of a file.
  key text not null,
  primary key (organization_id, payout_id, attempt)
);
grant select, insert on svc.payout_preparations to svc_app;

-- The returns of a confirmed payout, which may be several. The rail's id makes each count once.
create table svc.payout_returns (
  organization_id uuid not null,
  payout_id uuid not null,
  return_id text not null check (return_id <> ''),
  amount numeric(38, 0) not null check (amount > 0),
  reason text not null,
  value_date date,
  -- Business time.
  recorded_at timestamptz not null,
  primary key (organization_id, payout_id, return_id)
);
grant select, insert on svc.payout_returns to svc_app;

-- Reports that rails give without being asked: statements, return files, watchers of chains. Each report once, by its id.
create table svc.rail_reports (
  rail text not null,
  report_id text not null check (report_id <> ''),
  -- The id of the payout, or svc.short_reference of it.
  reference text not null,
  -- The payout for which an operator lets it count, when the reference is wrong.
  redirected_to uuid,
  -- Codes, ids and amounts; never personal data.
  content jsonb not null,
  received_at timestamptz not null,
  -- UNMATCHED: no payout has the reference; RESOLVED once the operator of the deployment has looked into it.
  result text check (result in ('APPLIED', 'UNMATCHED', 'RESOLVED')),
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  primary key (rail, report_id),
  check ((result is null) = (due_at is not null))
);
create index rail_reports_due on svc.rail_reports (due_at) where due_at is not null;
create index rail_reports_unmatched on svc.rail_reports (received_at) where result = 'UNMATCHED';
create index rail_reports_redirected on svc.rail_reports (redirected_to) where redirected_to is not null;
grant select, insert, update (redirected_to, result, due_at, lease_until, fence) on svc.rail_reports to svc_app;

-- Money that Svc keeps for a customer, and that an operator pays to one of the customer's accounts. The id is that of
-- its payout, which has the amount, the destination and the outcome.
create table svc.disbursements (
  organization_id uuid not null,
  disbursement_id uuid not null,
  customer_id uuid not null,
  -- WALLET: the account is a service wallet. RETURNED_FUNDS: it is the ledger account of the customer's returned funds.
  -- DEVELOPER_FEES: it is the ledger account of the organization's fees.
  source text not null check (source in ('WALLET', 'RETURNED_FUNDS', 'DEVELOPER_FEES')),
  source_account_id uuid not null,
  primary key (organization_id, disbursement_id)
);
create index disbursements_by_customer on svc.disbursements (organization_id, customer_id, disbursement_id);
grant select, insert on svc.disbursements to svc_app;

-- The returned funds that a disbursement takes, by their cause; the cause DISBURSEMENT is one that a bank returned. They
-- sum to the amount of the disbursement.
create table svc.disbursement_parts (
  organization_id uuid not null,
  disbursement_id uuid not null,
  cause text not null check (cause in ('TRANSACTION', 'DEPOSIT', 'DISBURSEMENT')),
  cause_id uuid not null,
  amount numeric(38, 0) not null check (amount > 0),
  primary key (organization_id, disbursement_id, cause_id)
);
create index disbursement_parts_by_cause on svc.disbursement_parts (organization_id, cause_id);
grant select, insert on svc.disbursement_parts to svc_app;

-- Payouts that a key ordered outside of a transaction: disbursements, and refunds, returns and repayments to another
-- account than the money came from. Policies weigh them as payments.
create table svc.ordered_payouts (
  organization_id uuid not null,
  payout_id uuid not null,
  api_key_id uuid not null,
  -- Null while there was no price.
  usd_cents numeric(38, 0),
  -- The counters of policies that count it, until it ends without leaving.
  counter_ids uuid[] not null,
  counter_subjects uuid[] not null,
  ordered_at timestamptz not null,
  -- When a worker looked whether it is a large payout.
  watched_at timestamptz,
  primary key (organization_id, payout_id)
);
create index ordered_payouts_unwatched on svc.ordered_payouts (ordered_at) where watched_at is null;
grant select, insert, update (watched_at) on svc.ordered_payouts to svc_app;

-- The customer that stands for an organization: its registered accounts receive the developer fees.
create table svc.fee_receivers (
  organization_id uuid primary key,
  customer_id uuid not null,
  -- Business time.
  set_at timestamptz not null
);
grant select, insert, update (customer_id, set_at) on svc.fee_receivers to svc_app;

-- The accounts that a receiver had when it was named last, with the version of their coordinates: a later account, and later
-- coordinates of the same account, receive no fees.
create table svc.fee_accounts (
  organization_id uuid not null,
  payment_account_id uuid not null,
  details_version integer not null,
  primary key (organization_id, payment_account_id)
);
grant select, insert, update (details_version) on svc.fee_accounts to svc_app;

-- The returned funds that a transaction converts, by their cause. They sum to its source amount. They are taken unless
-- the reserve of the transaction was released.
create table svc.conversion_parts (
  organization_id uuid not null,
  transaction_id uuid not null,
  cause text not null check (cause in ('TRANSACTION', 'DEPOSIT', 'DISBURSEMENT')),
  cause_id uuid not null,
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  primary key (organization_id, transaction_id, cause_id),
  check (cause_id <> transaction_id)
);
create index conversion_parts_by_cause on svc.conversion_parts (organization_id, cause_id);
grant select, insert on svc.conversion_parts to svc_app;

-- Our own money at each holding, which payouts may use: what the operator put in, and the sources of confirmed payouts.
-- Money that we owe is never in it. Every lock order ends with these rows, sorted.
create table svc.liquidity (
  organization_id uuid not null,
  -- A bank account of ours, or 'TREASURY'.
  holding text not null,
  asset text not null,
  available numeric(38, 0) not null default 0 constraint liquidity_not_below_zero check (available >= 0),
  -- Charges of banks and networks. Payouts may use what is available less the costs and the reversed deposits.
  costs numeric(38, 0) not null default 0 check (costs >= 0),
  -- Reversed deposits that customers owe or that were written off. Never below zero: each repayment ends one of them.
  reversed numeric(38, 0) not null default 0,
  -- Collected for the integrator, and held here until it is paid.
  developer_fees numeric(38, 0) not null default 0 check (developer_fees >= 0),
  primary key (organization_id, holding, asset)
);
grant select, insert, update (available, costs, reversed, developer_fees) on svc.liquidity to svc_app;

-- One row: the deployment requires two persons for each movement of own money. Any process whose settings say so writes
-- it; processes cannot remove it, so no command gets around it with other settings.
create table svc.dual_control (
  only_row boolean primary key default true check (only_row),
  since timestamptz not null default clock_timestamp()
);
grant select, insert on svc.dual_control to svc_app;

-- Movements of own money that one person proposed and another approves. What was proposed never changes.
create table svc.treasury_proposals (
  organization_id uuid not null,
  proposal_id uuid not null,
  act text not null check (act in ('FUND', 'WITHDRAW', 'SEND', 'REBALANCE', 'FEE', 'FEE_REFUND')),
  holding text not null,
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  -- Where a rebalance ends, and what arrived there.
  to_holding text,
  to_asset text,
  received numeric(38, 0) check (received between 1 and amount),
  reason text not null check (reason <> ''),
  proposed_by text not null check (proposed_by <> ''),
  -- Business time.
  proposed_at timestamptz not null,
  status text not null default 'OPEN' check (status in ('OPEN', 'EXECUTED', 'REFUSED')),
  decided_by text,
  decided_at timestamptz,
  refusal_reason text,
  primary key (organization_id, proposal_id),
  constraint treasury_proposals_two_persons check (status <> 'EXECUTED' or decided_by <> proposed_by),
  check ((status = 'OPEN') = (decided_by is null) and (status = 'OPEN') = (decided_at is null)),
  check ((status = 'REFUSED') = (refusal_reason is not null)),
  check ((act = 'REBALANCE') = (to_holding is not null) and (act = 'REBALANCE') = (to_asset is not null)
    and (act = 'REBALANCE') = (received is not null))
);
create index treasury_proposals_open on svc.treasury_proposals (proposed_at) where status = 'OPEN';
grant select,
  insert (organization_id, proposal_id, act, holding, asset, amount, to_holding, to_asset, received, reason,
    proposed_by, proposed_at),
  update (status, decided_by, decided_at, refusal_reason) on svc.treasury_proposals to svc_app;

-- Incoming transfers as banks and chains report them, before their organization is known. Written with the cursor of
-- the rail; each transfer once.
create table svc.sightings (
  -- The rail or network, the book, and the external id of the entry or transfer, which is unique within the book. At a
  -- bank, the book is the account. On a chain the id is globally unique, and the book is empty. In the sandbox the book
  -- is the organization, so that tenants choose ids freely.
  method text not null,
  book text not null default '',
  external_id text not null,
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  -- The facts that identify its owner, as far as the bank or chain reports them: the transfer message in its text, the
  -- receiving address, the receiving virtual account, or the sending registered account.
  message text,
  address text,
  virtual_account_id uuid,
  sender_account_id uuid,
  -- A keyed hash of the entry's text and the sender's name, which are not kept: two entries under one reference may
  -- differ in nothing else.
  details_hash bytea,
  -- The address that sent tokens; null for banks. Addresses are in the notation of svc.wallets.
  from_address text,
  -- Further addresses whose tokens moved in the same transaction, where the network has such. They are screened, too.
  other_senders text[] not null default '{}',
  -- The sender is one of our own addresses: the payout has booked it, and no deposit follows.
  is_own boolean not null default false,
  -- WAITING: too small for a deposit of its own. RELEASED: together with others at its address it is enough.
  dust text check (dust in ('WAITING', 'RELEASED')),
  -- The watch-list entries that the sender matches, with no data of the sender. A sender that a bank names is screened
  -- when the sighting is recorded, an address when its deposit is created.
  sender_matches jsonb not null default '[]',
  -- The sealed name of a sender that came while no watch list was current; null once it is screened.
  sealed_sender bytea,
  -- The message is that of a transaction, and its sender has another name than the owner of the source account.
  is_sender_mismatch boolean not null default false,
  -- The rail that the bank named, of those that our account serves. Answers show it; it selects nothing.
  rail text,
  -- SEEN: in a block that is not final. FINAL: a deposit follows. ORPHANED: its block is no longer part of the chain.
  state text not null check (state in ('SEEN', 'FINAL', 'ORPHANED')),
  -- The block that has the transfer; null for banks.
  block_number bigint,
  block_hash text,
  -- Business time of the observer: the time of the block, or when the bank booked it; never later than the report.
  observed_at timestamptz not null,
  recorded_at timestamptz not null,
  -- The organization that these facts named when the sighting was recorded; the platform's when they named none. Claims
  -- are shared out by it. The deposit's organization is found when the deposit is created.
  expected_organization_id uuid not null,
  -- Work: the organization's deposit follows in a second step.
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  primary key (method, book, external_id),
  check ((block_number is null) = (block_hash is null)),
  check (due_at is null or (state = 'FINAL' and not is_own)),
  check (dust is distinct from 'WAITING' or (state = 'FINAL' and due_at is null))
) with (fillfactor = 70); -- room for the next lease on the same page, so that no index changes
-- A bank reports an entry once per account, whichever rail it names.
create unique index sightings_once_per_book on svc.sightings (book, external_id) where asset not like '%/%';
create index sightings_due on svc.sightings (due_at) where due_at is not null;
create index sightings_due_by_organization on svc.sightings (expected_organization_id, due_at)
  where due_at is not null;
-- Transfers that are no deposit yet keep their transaction from expiring.
create index sightings_open_by_message on svc.sightings (message)
  where (due_at is not null or state = 'SEEN') and message is not null;
create index sightings_open_by_address on svc.sightings (address)
  where (due_at is not null or state = 'SEEN') and address is not null;
create index sightings_waiting_as_dust on svc.sightings (method, address, asset) include (amount)
  where dust = 'WAITING';
create index sightings_by_block on svc.sightings (method, block_number) where block_number is not null;
create index sightings_not_final on svc.sightings (recorded_at) where state = 'SEEN';
grant select, insert, update (state, dust, sender_matches, sealed_sender, block_number, block_hash, observed_at, due_at,
  lease_until, fence) on svc.sightings to svc_app;

-- Entries that a bank or chain reported under the reference of another entry. They stay out of the books until the
-- operator of the deployment decides: it may be a second transfer, or a correction of the first.
create table svc.quarantined_sightings (
  quarantine_id uuid primary key,
  -- The key of the sighting that has the reference, or of the one that a bank's entry may repeat.
  method text not null,
  book text not null,
  external_id text not null,
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  message text,
  address text,
  virtual_account_id uuid,
  sender_account_id uuid,
  details_hash bytea,
  from_address text,
  other_senders text[] not null default '{}',
  sender_matches jsonb not null default '[]',
  sealed_sender bytea,
  is_sender_mismatch boolean not null default false,
  rail text,
  -- As in svc.sightings. Only final entries are kept.
  block_number bigint,
  block_hash text,
  observed_at timestamptz not null,
  status text not null default 'OPEN' check (status in ('OPEN', 'ACCEPTED', 'DISMISSED')),
  decided_at timestamptz,
  check ((status = 'OPEN') = (decided_at is null)),
  -- A repeated report is kept once.
  constraint quarantined_sightings_once unique nulls not distinct
    (method, book, external_id, asset, amount, message, address, virtual_account_id, sender_account_id,
     details_hash, from_address, block_hash)
);
create index quarantined_sightings_open on svc.quarantined_sightings (quarantine_id) where status = 'OPEN';
create index quarantined_sightings_by_message on svc.quarantined_sightings (message)
  where status = 'OPEN' and message is not null;
create index quarantined_sightings_by_address on svc.quarantined_sightings (address)
  where status = 'OPEN' and address is not null;
grant select, insert, update (status, decided_at) on svc.quarantined_sightings to svc_app;

create table svc.deposits (
  organization_id uuid not null,
  deposit_id uuid not null,
  -- The key of its sighting.
  method text not null,
  book text not null default '',
  external_id text not null,
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  -- The holding where it arrived: a bank account of ours, or 'CUSTODY'.
  held_at text not null,
  -- HELD: its customer may not move money now. UNMATCHED waits for an operator. ASSIGNED: an unattributed deposit whose
  -- organization an operator found; that organization has it from then on. REVERSED: the bank or chain took all of it
  -- back. The others name where the money went.
  status text not null constraint deposits_status_check check
    (status in ('CREDITED', 'APPLIED', 'HELD', 'UNMATCHED', 'RETURNING', 'RETURNED', 'REVERSED', 'ASSIGNED')),
  -- The part counted towards the transaction; the rest is returned.
  applied_amount numeric(38, 0) not null default 0 check (applied_amount between 0 and amount),
  -- The part that returns pay: the sum of its payouts that no rail refused, also those that an operator kept for the
  -- customer. Changed together with them, under this row's lock.
  returned_amount numeric(38, 0) not null default 0 check (returned_amount >= 0),
  -- The part that the bank or chain took back, and the part of it that was still in suspense then.
  reversed_amount numeric(38, 0) not null default 0 check (reversed_amount between 0 and amount),
  covered_amount numeric(38, 0) not null default 0 check (covered_amount between 0 and reversed_amount),
  labels text[] not null default '{}',
  version integer not null default 1,
  customer_id uuid,
  payment_account_id uuid,
  transaction_id uuid,
  message text,
  address text,
  is_sender_blocked boolean not null default false,
  -- Its sender has another name than the owner of the source account: a HELD one waits for an operator.
  is_sender_mismatch boolean not null default false,
  -- The rail of its sighting: answers show it instead of the method. Null when no bank named it.
  rail text,
  -- When the bank or chain saw it: observed_at of its sighting.
  seen_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Work: a HELD deposit is re-checked.
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  primary key (organization_id, deposit_id),
  constraint deposits_once unique (organization_id, method, book, external_id),
  -- Each unit of a deposit is spent once, and no unit of it while it waits for a decision.
  constraint deposits_spent_once check (applied_amount + returned_amount <=
    case when status in ('APPLIED', 'RETURNING', 'RETURNED', 'REVERSED') then amount - covered_amount else 0 end)
);
create index deposits_due on svc.deposits (due_at) where due_at is not null;
create index deposits_due_by_organization on svc.deposits (organization_id, due_at) where due_at is not null;
create index deposits_by_transaction on svc.deposits (organization_id, transaction_id, deposit_id);
create index deposits_by_customer on svc.deposits (organization_id, customer_id, deposit_id);
create index deposits_by_status on svc.deposits (organization_id, status, deposit_id);
create index deposits_by_created on svc.deposits (organization_id, created_at, deposit_id);
create index deposits_by_updated on svc.deposits (organization_id, updated_at, deposit_id);
create index deposits_by_account on svc.deposits (organization_id, payment_account_id, deposit_id);
-- Observers know the key of a sighting and not the organization.
create index deposits_by_sighting on svc.deposits (book, external_id);
create index deposits_held_by_account on svc.deposits (organization_id, payment_account_id, deposit_id)
  where status = 'HELD';
-- Deposits that wait for an operator are counted without reading the others.
create index deposits_unmatched on svc.deposits (organization_id) where status = 'UNMATCHED';
-- Processes decide about a deposit; they cannot change what arrived. A newer list may block the sender of a HELD one.
grant select, insert, update (status, applied_amount, returned_amount, reversed_amount, covered_amount, labels, version,
  is_sender_blocked, transaction_id, updated_at, due_at, lease_until, fence) on svc.deposits to svc_app;

-- Deposits that a bank or chain took back: an ACH reversal, a recall, a dropped block. Possibly in several parts; the
-- observer's id makes each count once.
create table svc.deposit_reversals (
  organization_id uuid not null,
  reversal_id uuid not null,
  deposit_id uuid not null,
  external_id text not null check (external_id <> ''),
  -- Null for an unattributed deposit, which is always still in suspense.
  customer_id uuid,
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  -- The part that had left suspense: the customer owes it. A return that a bank refuses afterwards lowers it.
  owed_amount numeric(38, 0) not null check (owed_amount between 0 and amount),
  -- A code of the bank or chain, never personal data.
  reason text not null,
  -- COVERED: nothing is owed. OPEN: the customer owes it, and no payout of the customer starts.
  status text not null check (status in ('COVERED', 'OPEN', 'RECOVERED', 'WRITTEN_OFF')),
  recorded_at timestamptz not null,
  decided_at timestamptz,
  primary key (organization_id, reversal_id),
  constraint deposit_reversals_once unique (organization_id, deposit_id, external_id),
  check ((status = 'COVERED') = (owed_amount = 0)),
  check (customer_id is not null or owed_amount = 0),
  check ((status in ('RECOVERED', 'WRITTEN_OFF')) = (decided_at is not null))
);
create index deposit_reversals_open on svc.deposit_reversals (organization_id, customer_id) where status = 'OPEN';
-- The operator of the deployment knows the id alone.
create index deposit_reversals_by_id on svc.deposit_reversals (reversal_id);
grant select, insert, update (status, owed_amount, decided_at) on svc.deposit_reversals to svc_app;

-- The signer derives an obligation anew before it seals it.
grant select on svc.postings, svc.entries, svc.unfolded_postings, svc.ledger_accounts, svc.reserves to svc_signer;
grant select (organization_id, transaction_id, customer_id, status, source_payment_account_id, is_from_wallet,
  source_asset, source_method, source_amount, destination_payment_account_id, destination_asset, destination_method,
  destination_amount, received_amount) on svc.transactions to svc_signer;
grant select (organization_id, deposit_id, customer_id, payment_account_id, transaction_id, status, asset, amount,
  held_at, applied_amount) on svc.deposits to svc_signer;
grant select on svc.bank_account_rails to svc_signer;

-- The payment accounts about whose first large payout an event has told.
create table svc.destination_alerts (
  organization_id uuid not null,
  payment_account_id uuid not null,
  alert_id uuid not null,
  -- Null for the return of a deposit, and for a disbursement.
  transaction_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, payment_account_id)
);
grant select, insert on svc.destination_alerts to svc_app;

-- Events of the organization up to this sequence were looked at for large payouts.
create table svc.destination_watches (
  organization_id uuid primary key,
  watched_to bigint not null
);
grant select, insert, update (watched_to) on svc.destination_watches to svc_app;
