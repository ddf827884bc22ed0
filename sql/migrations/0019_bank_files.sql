-- Files that we exchange with banks: payments that leave, and messages about them and about incoming money. Banks know
-- no organization, so these tables belong to none. Names, account numbers and texts of payers stay in the files.

create table svc.bank_files (
  bank_file_id uuid primary key,
  direction text not null check (direction in ('OUTGOING', 'INCOMING')),
  -- OUTGOING: PREPARED; STAGED: written, and not yet visible to the bank; RELEASED: the bank may have it; LAPSED: it
  -- never left, and never will. INCOMING: RECEIVED, APPLIED or QUARANTINED; DISMISSED by an operator.
  status text not null check (status in
    ('PREPARED', 'STAGED', 'RELEASED', 'LAPSED', 'RECEIVED', 'APPLIED', 'QUARANTINED', 'DISMISSED')),
  -- The name in its folder.
  name text not null,
  -- The format, and the id of the message in it; null while unknown. Our own ids are unique for ever.
  format text,
  message_id text,
  bank_account_id text references svc.bank_accounts,
  service text,
  execution_date date,
  content_hash bytea not null,
  size bigint not null,
  item_count integer not null default 0,
  -- The sum of the payments of an outgoing file, in minor units.
  total numeric(38, 0),
  currency text,
  -- Outgoing: business time after which it must not leave; the name of the staged file; the number of a NACHA file.
  not_after timestamptz,
  staging_name text,
  destination text,
  number_day date,
  modifier text check (modifier ~ '^[A-Z0-9]$'),
  -- Grows when the sandbox uses a number twice on a day. No bank allows that.
  modifier_round integer not null default 0,
  -- The bank's word about the whole file, and its reason. DUPLICATE: the bank says that it has the file already.
  -- DISPUTED: it accepted the file after it had rejected it.
  bank_status text check (bank_status in ('ACCEPTED', 'PARTIAL', 'PENDING', 'REJECTED', 'DUPLICATE', 'DISPUTED')),
  bank_reason text,
  -- The message with that word, and when it came. A rejection counts when the whole message is applied.
  answered_by uuid references svc.bank_files,
  answered_at timestamptz,
  -- When the bank made the message, by its own clock: in UTC with a Z, or without one if it named no time zone.
  said_at text,
  -- Incoming: why it is in quarantine, the number of its records that are applied, how often a worker failed to apply it
  -- since, and how often the bank sent it.
  problem_code text,
  problem text,
  records_done bigint not null default 0,
  failures integer not null default 0,
  deliveries integer not null default 1,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  -- Work: an incoming file is read.
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  check ((direction = 'OUTGOING') = (status in ('PREPARED', 'STAGED', 'RELEASED', 'LAPSED'))),
  check ((direction = 'OUTGOING') = (not_after is not null)),
  check (status not in ('STAGED', 'RELEASED') or staging_name is not null),
  check ((status = 'QUARANTINED') <= (problem_code is not null)),
  check ((due_at is not null) <= (status = 'RECEIVED'))
);
create unique index bank_files_once on svc.bank_files (message_id) where direction = 'OUTGOING';
-- The same bytes are one file, however often and under whichever name the bank sends them.
create unique index bank_files_content_once on svc.bank_files (content_hash) where direction = 'INCOMING';
-- A number is free again when its file has lapsed.
create unique index bank_files_number_once on svc.bank_files (destination, number_day, modifier, modifier_round)
  where modifier is not null and status <> 'LAPSED';
create index bank_files_due on svc.bank_files (due_at) where due_at is not null;
create index bank_files_open on svc.bank_files (not_after) where status in ('PREPARED', 'STAGED');
create index bank_files_quarantined on svc.bank_files (bank_file_id) where status = 'QUARANTINED';
grant select, insert, update (status, name, format, message_id, bank_account_id, item_count, staging_name, bank_status,
  bank_reason, answered_by, answered_at, said_at, problem_code, problem, records_done, failures, deliveries, changed_at,
  due_at, lease_until, fence)
  on svc.bank_files to svc_app;

-- The folders that we share with banks. Each holds a marker with this id: without it, another folder stands in for ours,
-- and a file that is missing there proves nothing.
create table svc.bank_folders (
  only_row boolean primary key default true check (only_row),
  folder_id uuid not null,
  -- All folders have their marker. From now on only an operator marks one.
  marked_at timestamptz,
  -- Why a worker cannot use the folders, and when it last said so, in real time.
  problem text,
  problem_at timestamptz,
  check ((problem is null) = (problem_at is null))
);
grant select, insert, update (marked_at, problem, problem_at) on svc.bank_folders to svc_app;

-- The payments of an outgoing file.
create table svc.bank_file_items (
  bank_file_id uuid not null references svc.bank_files,
  place integer not null,
  -- svc.short_reference of the payout, which banks pass on.
  reference text not null,
  payout_id uuid not null,
  attempt integer not null,
  amount numeric(38, 0) not null check (amount > 0),
  -- The bank's word about this payment in this file.
  bank_status text check (bank_status in ('ACCEPTED', 'PENDING', 'SETTLED', 'REJECTED', 'DISPUTED')),
  bank_reason text,
  answered_by uuid references svc.bank_files,
  said_at text,
  primary key (bank_file_id, place)
);
create index bank_file_items_by_reference on svc.bank_file_items (reference);
create index bank_file_items_by_payout on svc.bank_file_items (payout_id, attempt);
grant select, insert, update (bank_status, bank_reason, answered_by, said_at) on svc.bank_file_items to svc_app;

-- Entries of our accounts, as camt.054 (NOTIFICATION) and camt.053 (STATEMENT) tell them.
create table svc.bank_entries (
  bank_entry_id uuid primary key,
  bank_file_id uuid not null references svc.bank_files,
  bank_account_id text not null references svc.bank_accounts,
  source text not null check (source in ('NOTIFICATION', 'STATEMENT')),
  statement_key text not null,
  position integer not null,
  entry_reference text not null,
  -- The bank's own reference, the same in both messages.
  bank_reference text,
  -- Structured references that tell an entry from others: hashed, because payers choose some of them.
  reference_hashes bytea[] not null default '{}',
  -- Ids that banks give a single transaction: UETR, transaction id, clearing reference.
  network_hashes bytea[] not null default '{}',
  uetr_hash bytea,
  transaction_hash bytea,
  end_to_end_hash bytea,
  payer_hash bytea not null,
  -- Hashes of the payer's account, the payer's name, the text and the virtual account, in this order; null where the
  -- message has none.
  trait_hashes bytea[] not null,
  direction text not null check (direction in ('CREDIT', 'DEBIT')),
  is_reversal boolean not null,
  amount numeric(38, 0) not null check (amount >= 0),
  currency text not null,
  booking_date date,
  value_date date,
  -- A keyed hash of account, direction, amount, names and texts: it recognizes an entry without a reference.
  fingerprint bytea not null,
  -- Its meaning for us. REVERSING: it takes a deposit back, which may not exist yet. REPEATED: another message told it
  -- before. UNMATCHED: it waits for an operator; RESOLVED by one, or by its reversal.
  outcome text not null check (outcome in
    ('DEPOSIT', 'PAYMENT', 'RETURN', 'REVERSING', 'REVERSAL', 'REPEATED', 'QUARANTINED', 'UNMATCHED', 'RESOLVED')),
  -- It may be another telling of a known entry: an operator decides.
  is_doubtful boolean not null default false,
  -- The entry that it repeats.
  repeats uuid references svc.bank_entries,
  -- The bank's reason for a reversal, or why the entry waits for an operator.
  reason text,
  -- The external id of its sightings: followed by "/" and the place when it has several.
  external_id text,
  -- The number of its transactions.
  part_count integer not null check (part_count > 0),
  -- A credit whose transactions the message does not tell: the number that it names, or 0 without one.
  untold_count integer check (untold_count <> 1 and untold_count >= 0),
  -- The outgoing file whose batch it names.
  batch_file_id uuid references svc.bank_files,
  recorded_at timestamptz not null,
  -- Work, in business time: a reversal looks for its deposit.
  due_at timestamptz,
  check ((due_at is not null) = (outcome = 'REVERSING')),
  constraint bank_entries_once unique (bank_file_id, statement_key, position)
);
create index bank_entries_by_bank_reference on svc.bank_entries (bank_account_id, bank_reference)
  where bank_reference is not null;
create index bank_entries_by_network on svc.bank_entries using gin (network_hashes);
create index bank_entries_by_name on svc.bank_entries (bank_account_id, external_id) where external_id is not null;
create index bank_entries_by_statement on svc.bank_entries (bank_account_id, statement_key, entry_reference);
create index bank_entries_by_references on svc.bank_entries using gin (reference_hashes);
create index bank_entries_unmatched on svc.bank_entries (bank_entry_id) where outcome = 'UNMATCHED';
create index bank_entries_reversing on svc.bank_entries (due_at) where outcome = 'REVERSING';
create index bank_entries_by_amount on svc.bank_entries (bank_account_id, direction, amount);
create index bank_entries_repeated on svc.bank_entries (repeats) where repeats is not null;
create index bank_entries_untold on svc.bank_entries (bank_account_id, booking_date) where untold_count is not null;
create index bank_entries_of_batch on svc.bank_entries (batch_file_id) where batch_file_id is not null;
grant select, insert, update (outcome, due_at, repeats, external_id) on svc.bank_entries to svc_app;

-- The transactions of credits. One message tells them one by one, another one as a collective entry. Ids and texts are
-- keyed hashes, because payers choose some of them.
create table svc.bank_entry_parts (
  bank_entry_id uuid not null references svc.bank_entries,
  place integer not null,
  bank_account_id text not null references svc.bank_accounts,
  amount numeric(38, 0) not null check (amount > 0),
  -- The bank's own reference of the transaction.
  bank_reference text,
  -- Ids that banks give: UETR, transaction id, clearing reference.
  network_hashes bytea[] not null default '{}',
  -- Ids that the payer chose, each with amount and payer.
  payer_hashes bytea[] not null default '{}',
  uetr_hash bytea,
  transaction_hash bytea,
  -- Amount, payer and texts.
  text_hash bytea,
  end_to_end_hash bytea,
  -- As in svc.bank_entries.
  trait_hashes bytea[] not null,
  -- Ids of the batch that the payer sent it in.
  batch_hashes bytea[] not null default '{}',
  -- The external id of its deposit. A quarantined one has it once a person accepts it.
  external_id text not null,
  -- A payment of ours that comes back.
  is_return boolean not null default false,
  -- The transaction that it repeats.
  repeats_entry_id uuid,
  repeats_place integer,
  primary key (bank_entry_id, place),
  foreign key (repeats_entry_id, repeats_place) references svc.bank_entry_parts,
  check ((repeats_entry_id is null) = (repeats_place is null))
);
create index bank_entry_parts_by_reference on svc.bank_entry_parts (bank_account_id, bank_reference)
  where bank_reference is not null;
create index bank_entry_parts_by_network on svc.bank_entry_parts using gin (network_hashes);
create index bank_entry_parts_by_payer on svc.bank_entry_parts using gin (payer_hashes);
create index bank_entry_parts_by_texts on svc.bank_entry_parts (bank_account_id, text_hash) where text_hash is not null;
create index bank_entry_parts_by_amount on svc.bank_entry_parts (bank_account_id, amount);
create index bank_entry_parts_by_batch on svc.bank_entry_parts using gin (batch_hashes);
create index bank_entry_parts_repeated on svc.bank_entry_parts (repeats_entry_id, repeats_place)
  where repeats_entry_id is not null;
grant select, insert on svc.bank_entry_parts to svc_app;

-- The transactions that a debit takes back: one, or all of a collective entry.
create table svc.bank_entry_reversals (
  bank_entry_id uuid not null references svc.bank_entries,
  place integer not null,
  reversed_entry_id uuid not null,
  reversed_place integer not null,
  amount numeric(38, 0) not null check (amount > 0),
  chosen_at timestamptz not null,
  primary key (bank_entry_id, place),
  foreign key (reversed_entry_id, reversed_place) references svc.bank_entry_parts
);
create index bank_entry_reversals_of_part on svc.bank_entry_reversals (reversed_entry_id, reversed_place);
grant select, insert, update (reversed_entry_id, reversed_place, amount, chosen_at) on svc.bank_entry_reversals to svc_app;

-- Payments that a booked debit entry proves. A reference is paid once.
create table svc.bank_payments (
  reference text primary key,
  bank_entry_id uuid not null references svc.bank_entries,
  external_reference text not null,
  amount numeric(38, 0) not null check (amount > 0),
  -- Charges beside the amount.
  costs numeric(38, 0) not null default 0 check (costs >= 0),
  value_date date,
  recorded_at timestamptz not null
);
create index bank_payments_of_entry on svc.bank_payments (bank_entry_id);
grant select, insert on svc.bank_payments to svc_app;

-- The payments of ours that a debit names, also one that repeats what another message told in another shape.
create table svc.bank_payment_tellings (
  bank_entry_id uuid not null references svc.bank_entries,
  reference text not null,
  -- With charges.
  amount numeric(38, 0) not null check (amount > 0),
  primary key (bank_entry_id, reference)
);
grant select, insert on svc.bank_payment_tellings to svc_app;

-- The pages of statements (camt.053), with the closing balance where a page has one.
create table svc.bank_statements (
  bank_file_id uuid not null references svc.bank_files,
  statement_key text not null,
  bank_account_id text not null references svc.bank_accounts,
  -- The id and the sequence numbers of the statement: all its pages share them.
  series text not null,
  sequence numeric(38, 0),
  -- The closing booked balance and its day. Negative for an overdraft.
  closing numeric(38, 0),
  day date,
  recorded_at timestamptz not null,
  primary key (bank_file_id, statement_key)
);
create index bank_statements_by_account on svc.bank_statements (bank_account_id, series);
grant select, insert, update (closing, day) on svc.bank_statements to svc_app;

-- Returns of payments. A message (NACHA, pacs.004) and an entry of a statement may tell the same return, in any order.
create table svc.bank_returns (
  reference text not null,
  return_id text not null,
  amount numeric(38, 0) not null check (amount > 0),
  reason text not null,
  value_date date,
  -- The id of the return in a message, and the entry that credits it, each with its amount: a bank may keep a fee.
  message_return_id text,
  message_amount numeric(38, 0),
  bank_entry_id uuid references svc.bank_entries,
  credited_amount numeric(38, 0),
  recorded_at timestamptz not null,
  primary key (reference, return_id),
  check (message_return_id is not null or bank_entry_id is not null)
);
create index bank_returns_of_entry on svc.bank_returns (bank_entry_id) where bank_entry_id is not null;
create unique index bank_returns_once_by_message on svc.bank_returns (reference, message_return_id)
  where message_return_id is not null;
grant select, insert, update (message_return_id, message_amount, bank_entry_id, credited_amount) on svc.bank_returns
  to svc_app;

-- Debits for a reference that another debit had paid before. The bank may take one back: that returns no payment.
create table svc.bank_second_debits (
  bank_entry_id uuid not null references svc.bank_entries,
  reference text not null,
  amount numeric(38, 0) not null check (amount > 0),
  reversed_by uuid references svc.bank_entries,
  primary key (bank_entry_id, reference)
);
create index bank_second_debits_open on svc.bank_second_debits (reference) where reversed_by is null;
grant select, insert, update (reversed_by) on svc.bank_second_debits to svc_app;

-- Lines of the ledger and entries of banks whose names are not kept yet: see svc.keep_ledger_lines and
-- svc.keep_bank_bookings. A row is here from the commit of its record, so a late commit is never skipped.
create table svc.open_lines (
  organization_id uuid not null,
  posting_id uuid not null,
  entry_number smallint not null,
  bank_account_id text not null,
  day date not null,
  primary key (organization_id, posting_id, entry_number)
);
create index open_lines_by_day on svc.open_lines (bank_account_id, day, posting_id, entry_number);
grant select on svc.open_lines to svc_app;

create table svc.open_entries (
  bank_account_id text not null,
  bank_entry_id uuid not null references svc.bank_entries,
  -- Each change has a row of its own. What keeps names deletes only the changes that it sees.
  changed_in xid8 not null default pg_current_xact_id(),
  primary key (bank_account_id, bank_entry_id, changed_in)
);
grant select, insert (bank_account_id, bank_entry_id) on svc.open_entries to svc_app;

-- Movements that comparisons need not name again: those of the ledger, and of bookings that names explain whole.
-- No foreign keys: all of it can be made anew from the records, and `svc verify --banks` compares it with them.
create table svc.kept_movements (
  bank_account_id text not null,
  kind text not null,
  reference text not null,
  day date not null,
  -- Positive for money that came in.
  amount numeric(38, 0) not null,
  is_ours boolean not null,
  -- The line of the ledger.
  posting_id uuid,
  entry_number smallint,
  -- The booking of a bank, and its first telling.
  root_id uuid,
  booking_id uuid,
  -- Only a notification has told the booking.
  is_told boolean not null default false,
  check (is_ours = (root_id is null) and is_ours = (booking_id is null)),
  check (is_ours = (posting_id is not null) and is_ours = (entry_number is not null)),
  -- A line is kept once.
  unique (posting_id, entry_number)
);
create index kept_movements_by_name on svc.kept_movements (bank_account_id, kind, reference);
create index kept_movements_of_root on svc.kept_movements (root_id) where root_id is not null;
create index kept_movements_told on svc.kept_movements (bank_account_id, day) where is_told;
grant select on svc.kept_movements to svc_app;

-- The sum of each name that has movements there, and days around all of them: on other days it is not open, unless the sum is not zero.
create table svc.kept_names (
  bank_account_id text not null,
  kind text not null,
  reference text not null,
  -- The sum of the ledger less that of the bank.
  balance numeric(38, 0) not null,
  first_day date not null,
  last_day date not null,
  primary key (bank_account_id, kind, reference)
);
create index kept_names_open on svc.kept_names (bank_account_id) where balance <> 0;
create index kept_names_by_day on svc.kept_names using gist (daterange(first_day, last_day, '[]'));
grant select on svc.kept_names to svc_app;

-- The pages of statements with kept bookings: the day to which the page belonged then, and their sum.
create table svc.kept_pages (
  bank_file_id uuid not null,
  statement_key text not null,
  bank_account_id text not null references svc.bank_accounts,
  day date,
  amount numeric(38, 0) not null,
  primary key (bank_file_id, statement_key),
  foreign key (bank_file_id, statement_key) references svc.bank_statements
);
create index kept_pages_by_account on svc.kept_pages (bank_account_id);
grant select on svc.kept_pages to svc_app;

-- The sums of the ledger's lines that are open no longer.
create table svc.kept_days (
  bank_account_id text not null references svc.bank_accounts,
  day date not null,
  ledger numeric(38, 0) not null,
  primary key (bank_account_id, day)
);
grant select on svc.kept_days to svc_app;

-- Accounts of which something is kept, and when it was last compared with the whole history. Work on what is kept locks
-- this table before it looks at the database, so each sees what the other did.
create table svc.kept_accounts (
  bank_account_id text primary key references svc.bank_accounts,
  proved_at timestamptz not null default clock_timestamp(),
  -- The names that were kept wrongly then.
  wrong integer not null default 0 check (wrong >= 0)
);
grant select, insert, update on svc.kept_accounts to svc_app;

-- Bookings that an operator has explained with a posting that an operator recorded, each by its first telling: their rest
-- has the name of the posting.
create table svc.explained_entries (
  bank_entry_id uuid primary key references svc.bank_entries,
  reference text not null,
  explained_at timestamptz not null,
  -- When an operator took that back.
  withdrawn_at timestamptz
);
create index explained_entries_by_posting on svc.explained_entries (reference) where withdrawn_at is null;
grant select, insert, update (reference, explained_at, withdrawn_at) on svc.explained_entries to svc_app;

-- Differences that an operator has accepted: no alarm, as long as the bank has this much more than the ledger.
create table svc.accepted_differences (
  bank_account_id text not null references svc.bank_accounts,
  kind text not null,
  reference text not null,
  amount numeric(38, 0) not null check (amount <> 0),
  accepted_at timestamptz not null,
  -- When an operator took that back.
  withdrawn_at timestamptz,
  primary key (bank_account_id, kind, reference)
);
grant select, insert, update (amount, accepted_at, withdrawn_at) on svc.accepted_differences to svc_app;

-- Notifications of change: the bank asks for other coordinates the next time.
create table svc.bank_changes (
  bank_change_id uuid primary key,
  -- The bank's own name of the notification, and a keyed hash of the correction: a second telling of it is no second one,
  -- unless it corrects otherwise.
  change_id text not null unique,
  bank_file_id uuid not null references svc.bank_files,
  reference text not null,
  -- The payout of this reference, if a file of ours has paid it by ACH. Without one, an operator can only refuse.
  payout_id uuid,
  code text not null,
  -- Sealed with a key of the deployment: an account number or a name.
  sealed_correction bytea not null,
  -- The bank refuses a notification (C61 to C69): it corrects nothing.
  is_refused boolean not null,
  -- OPEN until an operator confirms the correction, which makes a new version of the account, or refuses it. NOTED: it
  -- corrects no coordinates.
  status text not null check (status in ('OPEN', 'CONFIRMED', 'REFUSED', 'NOTED')),
  decided_at timestamptz,
  -- The version of the coordinates that it made: only svc.replace_bank_details writes it. Null when the account already
  -- was as the bank asks.
  details_version integer,
  recorded_at timestamptz not null,
  check ((status in ('CONFIRMED', 'REFUSED')) = (decided_at is not null)),
  check (details_version is null or status = 'CONFIRMED')
);
create index bank_changes_open on svc.bank_changes (bank_change_id) where status = 'OPEN';
grant select,
  insert (bank_change_id, change_id, bank_file_id, reference, payout_id, code, sealed_correction, is_refused, status,
    decided_at, recorded_at),
  update (status, decided_at) on svc.bank_changes to svc_app;

-- Recalls: the bank of a payer wants a payment back. All of it that has not left is held until an operator has answered.
-- The payment is found by its references, perhaps only when a later file tells its entry.
create table svc.bank_recalls (
  bank_recall_id uuid primary key,
  -- The bank's own name of the recall: a second telling of it is no second one.
  recall_id text not null unique,
  bank_file_id uuid not null references svc.bank_files,
  -- Null when the bank told none: it wants all of the payment.
  currency text,
  amount numeric(38, 0) check (amount > 0),
  -- The reason, such as DUPL, TECH or FRAD.
  code text not null,
  -- How the bank names the payment: keyed hashes, as in svc.bank_entry_parts.
  bank_reference text,
  network_hashes bytea[] not null,
  payer_hashes bytea[] not null,
  -- When an operator chose the payment: no other one is looked for since.
  linked_at timestamptz,
  -- OPEN and ACCEPTED hold the deposit. ACCEPTED waits for the debit of the bank, which SETTLED it. REJECTED released it.
  status text not null check (status in ('OPEN', 'ACCEPTED', 'REJECTED', 'SETTLED')),
  recorded_at timestamptz not null,
  decided_at timestamptz,
  check ((currency is null) = (amount is null)),
  check ((status = 'OPEN') = (decided_at is null))
);
create index bank_recalls_holding on svc.bank_recalls (bank_recall_id) where status in ('OPEN', 'ACCEPTED');
grant select, insert, update (status, decided_at, linked_at) on svc.bank_recalls to svc_app;

-- The payments that a recall may name, by the keys of their sightings. It holds all of them: when its ids name several,
-- an operator chooses.
create table svc.bank_recall_payments (
  bank_recall_id uuid not null references svc.bank_recalls,
  bank_account_id text not null references svc.bank_accounts,
  external_id text not null,
  -- When an operator chose another payment.
  ruled_out_at timestamptz,
  primary key (bank_recall_id, bank_account_id, external_id)
);
create index bank_recall_payments_by_payment on svc.bank_recall_payments (bank_account_id, external_id);
grant select, insert, update (ruled_out_at) on svc.bank_recall_payments to svc_app;

-- Owners that a deposit without a reference may have: an open transaction awaits this amount from this sender's account.
create table svc.deposit_suggestions (
  book text not null,
  external_id text not null,
  suggested_organization_id uuid not null,
  suggested_customer_id uuid not null,
  suggested_transaction_id uuid not null,
  -- 1 is the best: the sender's name, then the newest transaction.
  rank integer not null check (rank > 0),
  recorded_at timestamptz not null,
  primary key (book, external_id, suggested_transaction_id)
);
grant select, insert on svc.deposit_suggestions to svc_app;
