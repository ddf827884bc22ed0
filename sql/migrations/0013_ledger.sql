-- The ledger: balances, and the postings that explain them. Only the ledger's functions in sql/functions write these
-- tables; processes may call the functions and read, and nothing else. docs/money.md lists the accounts and postings.

-- Domains, because every change of a balance would evaluate check constraints again.
create domain svc.account_kind as text constraint account_kind_known check (value in (
  'WALLET', 'RETURNED_FUNDS', 'DEVELOPER_FEES', 'CLEARING', 'SUSPENSE', 'FEE_REVENUE', 'FX_POSITION', 'ROUNDING',
  'OWN_FUNDS', 'BANK', 'TREASURY', 'CUSTODY', 'UNCOLLECTED_FEES', 'UNCOLLECTED_DEVELOPER_FEES', 'NETWORK_COSTS',
  'RECEIVABLES', 'LOSSES'));
-- 'USD', 'USDC/BASE'
create domain svc.asset as text check (value ~ '^[A-Z0-9]{2,12}(/[A-Z]{2,16})?$');

-- One row per organization, kind, holder and asset. A kind that may run out (a customer's) keeps its exact balance
-- here. All processes write to the other kinds at once, so postings never update their rows: `posted` and `entry_count`
-- hold the folded part, and svc.unfolded_postings names the rest.
create table svc.ledger_accounts (
  organization_id uuid not null,
  account_id uuid not null,
  kind svc.account_kind not null,
  -- A payment account, a customer or a bank account of ours; empty where there is one account per organization and asset.
  holder text not null,
  asset svc.asset not null,
  keeps_balance boolean not null generated always as (kind in ('WALLET', 'RETURNED_FUNDS')) stored,
  -- Smallest units. Positive is a credit: a debt of ours, or revenue. Money that we hold is a debit, and negative.
  posted numeric(38, 0) not null default 0,
  reserved numeric(38, 0) not null default 0,
  entry_count bigint not null default 0,
  created_at timestamptz not null,
  primary key (organization_id, account_id),
  constraint ledger_accounts_once unique (organization_id, kind, holder, asset),
  constraint ledger_accounts_not_below_zero check (not keeps_balance or (reserved >= 0 and posted >= reserved))
) with (fillfactor = 70); -- room for the next balance on the same page
-- The accounts of one kind, of all organizations, for the checks of each minute. Wallets are as many as customers.
create index ledger_accounts_by_kind on svc.ledger_accounts (kind) where kind <> 'WALLET';
grant select on svc.ledger_accounts to svc_app;

-- One row per business fact. The reference names the fact: a fact is posted once, for ever.
create table svc.postings (
  organization_id uuid not null,
  posting_id uuid not null,
  -- 'transaction:<id>:payout'. Compared as bytes, so that all postings of one transaction are one range.
  reference text collate "C" not null check (reference <> ''),
  fact text not null,
  -- The reference of the reserve that it captures.
  captures text collate "C",
  -- Over all columns above and the entries: see svc.hash_posting.
  content_hash bytea not null,
  created_at timestamptz not null,
  primary key (organization_id, posting_id),
  constraint postings_once unique (organization_id, reference)
);
create index postings_by_capture on svc.postings (organization_id, captures) where captures is not null;
grant select on svc.postings to svc_app;

-- No foreign keys: this table has the most writes. svc.post_together knows both ends, and `svc verify` checks them.
create table svc.entries (
  organization_id uuid not null,
  posting_id uuid not null,
  entry_number smallint not null,
  account_id uuid not null,
  amount numeric(38, 0) not null,
  -- For accounts that keep a balance: gapless from 1, and the balance after this entry.
  account_sequence bigint,
  balance numeric(38, 0),
  primary key (organization_id, posting_id, entry_number)
);
create unique index entries_by_account on svc.entries (organization_id, account_id, account_sequence)
  where account_sequence is not null;
grant select on svc.entries to svc_app;

-- Postings whose entries are not yet in the `posted` of accounts without a balance. A row is here from the commit of
-- its posting until svc.fold_entries has counted it, so a late commit is never skipped.
create table svc.unfolded_postings (
  organization_id uuid not null,
  posting_id uuid not null,
  primary key (organization_id, posting_id)
);
grant select on svc.unfolded_postings to svc_app;

-- The sums of `posted` of the kinds that have an account for each wallet and no exact balance, so that the check of each
-- minute reads one row. svc.fold_entries writes them with the accounts, and `svc verify` compares the two.
create table svc.kind_totals (
  organization_id uuid not null,
  kind svc.account_kind not null,
  asset svc.asset not null,
  posted numeric(38, 0) not null,
  primary key (organization_id, kind, asset)
);
grant select on svc.kind_totals to svc_app;

-- The entries of bank accounts in the order of their days, for statements and reconciliation. svc.fold_entries copies
-- them here: the sums of the lines are the folded balances.
create table svc.ledger_lines (
  organization_id uuid not null,
  posting_id uuid not null,
  entry_number smallint not null,
  -- The bank account.
  holder text not null,
  asset svc.asset not null,
  -- Business time, in UTC.
  day date not null,
  reference text collate "C" not null,
  fact text not null,
  -- As in svc.entries: money that arrives is negative.
  amount numeric(38, 0) not null,
  primary key (organization_id, posting_id, entry_number)
);
create index ledger_lines_by_day on svc.ledger_lines (holder, day, posting_id, entry_number) include (amount, reference);
grant select on svc.ledger_lines to svc_app;

-- Money set aside before a rail or chain moves it. A reserve is captured by a posting or released, once.
create table svc.reserves (
  organization_id uuid not null,
  reserve_id uuid not null,
  reference text collate "C" not null check (reference <> ''),
  account_id uuid not null,
  amount numeric(38, 0) not null check (amount > 0),
  status text not null default 'OPEN' check (status in ('OPEN', 'CAPTURED', 'RELEASED')),
  -- The part that the posting took; the rest was released with it.
  captured numeric(38, 0) not null default 0 check (captured between 0 and amount),
  posting_id uuid,
  created_at timestamptz not null,
  resolved_at timestamptz,
  primary key (organization_id, reserve_id),
  constraint reserves_once unique (organization_id, reference),
  constraint reserves_resolve_once check (
    (status = 'OPEN') = (resolved_at is null) and (status = 'CAPTURED') = (posting_id is not null)
    and (status = 'CAPTURED') = (captured > 0))
);
create index reserves_open on svc.reserves (organization_id, account_id) where status = 'OPEN';
grant select on svc.reserves to svc_app;

-- A row without resumed_at halts payouts: no payout of any purpose starts in the asset, or in any asset when it is null.
create table svc.payout_halts (
  halt_id uuid primary key,
  halted_at timestamptz not null default clock_timestamp(),
  -- VIOLATED: a check found an invariant of money violated. NOT_CHECKED: one could not be checked for too long.
  kind text not null default 'VIOLATED' check (kind in ('VIOLATED', 'NOT_CHECKED')),
  asset svc.asset,
  -- The names of the checks.
  violated text[] not null,
  resumed_at timestamptz,
  resume_reason text,
  -- An operator ended it although checks were overdue: their age counts from then on.
  excuses_checks boolean not null default false
);
create unique index payout_halts_one_open on svc.payout_halts (kind, coalesce(asset::text, '')) where resumed_at is null;
grant select, insert (halt_id, kind, asset, violated), update (violated, resumed_at, resume_reason, excuses_checks)
  on svc.payout_halts to svc_app;
