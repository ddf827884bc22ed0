-- The sandbox's bank. It stands for the outside world: it knows accounts by their coordinates and payments by their
-- files alone. Names, account numbers and texts of people are sealed with a key of the deployment.

-- Our accounts at this bank, each with the number of its last entry and statement.
create table svc.sandbox_bank_accounts (
  -- The IBAN, or the code of the bank and the number of the account.
  account text primary key,
  currency text not null,
  entries bigint not null default 0,
  statements bigint not null default 0,
  -- The closing balance of the last statement, in smallest units.
  stated_balance numeric(38, 0) not null
);
grant select, insert, update (entries, statements, stated_balance) on svc.sandbox_bank_accounts to svc_app;

-- Each delivery of a payment file.
create table svc.sandbox_bank_files (
  delivery_id uuid primary key,
  content_hash bytea not null,
  -- The name of the message; null when the file could not be read.
  file_id text,
  status text not null check (status in ('ACCEPTED', 'REJECTED')),
  -- The code of the rejection.
  reason text,
  payments integer not null,
  received_at timestamptz not null
);
-- A file is paid once, however often it is delivered.
create unique index sandbox_bank_files_content on svc.sandbox_bank_files (content_hash) where status = 'ACCEPTED';
create unique index sandbox_bank_files_name on svc.sandbox_bank_files (file_id) where status = 'ACCEPTED';
grant select, insert on svc.sandbox_bank_files to svc_app;

-- The payments of accepted files, and those of rejected files that the bank treats in another way the next time.
create table svc.sandbox_bank_payments (
  delivery_id uuid not null references svc.sandbox_bank_files,
  position integer not null,
  reference text not null,
  account text not null references svc.sandbox_bank_accounts,
  amount numeric(38, 0) not null check (amount > 0),
  behaviour text not null,
  status text not null check (status in ('PENDING', 'BOOKED', 'REJECTED', 'RETURNED')),
  -- The code with which the bank returns it.
  return_code text,
  -- The receiver, and what a return repeats of the payment.
  sealed_payment bytea not null,
  -- When the bank books it, or returns it.
  due_at timestamptz,
  primary key (delivery_id, position)
);
create index sandbox_bank_payments_reference on svc.sandbox_bank_payments (reference);
create index sandbox_bank_payments_due on svc.sandbox_bank_payments (due_at) where due_at is not null;
grant select, insert, update (status, return_code, due_at) on svc.sandbox_bank_payments to svc_app;

-- Payments that the bank books on arrival.
create table svc.sandbox_bank_expedited (
  reference text primary key
);
grant select, insert on svc.sandbox_bank_expedited to svc_app;

-- The bank's own ledger of our accounts.
create table svc.sandbox_bank_entries (
  account text not null references svc.sandbox_bank_accounts,
  number bigint not null,
  direction text not null check (direction in ('CREDIT', 'DEBIT')),
  amount numeric(38, 0) not null check (amount > 0),
  bank_reference text not null,
  booked_at timestamptz not null,
  sealed_details bytea not null,
  -- The statement that lists it; null until then.
  statement bigint,
  primary key (account, number)
);
create index sandbox_bank_entries_unstated on svc.sandbox_bank_entries (account, number) where statement is null;
create index sandbox_bank_entries_reference on svc.sandbox_bank_entries (account, bank_reference);
grant select, insert, update (statement) on svc.sandbox_bank_entries to svc_app;

-- Files that the bank has composed. A job writes each into the folder of incoming files.
create table svc.sandbox_bank_letters (
  letter_id uuid primary key,
  name text not null unique,
  sealed_content bytea not null,
  due_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0
);
create index sandbox_bank_letters_due on svc.sandbox_bank_letters (due_at) where due_at is not null;
grant select, insert, update (due_at, lease_until, fence) on svc.sandbox_bank_letters to svc_app;
