-- The scanner of each EVM network: where it is, and why it waits. A network gets its row when its nodes are first asked.
create table svc.chain_scans (
  network text primary key,
  -- The cursor: the last block whose transfers are recorded. It moves only together with them.
  block_number bigint not null,
  block_hash text not null,
  -- The highest block of ours that the network has called final. It never moves back, unless an operator adopts another
  -- chain.
  final_number bigint not null,
  final_hash text not null,
  -- The network dropped a block that it had called final. Nothing is scanned until an operator resumes.
  halted_at timestamptz,
  halt_reason text,
  -- An operator has resumed a halted network: the scanner compares the record with the nodes first, and ends the halt with
  -- its commit. Until then nothing that the nodes say about payouts counts.
  is_resuming boolean not null default false,
  -- An operator has decided that the nodes are right and our record is wrong: the next conflict is rolled back.
  may_adopt boolean not null default false,
  -- The latest row of svc.chain_adoptions.
  adopted_at timestamptz,
  -- Why the network is not scanned at present; null while it is. It ends by itself.
  problem text,
  problem_since timestamptz,
  -- Real time at which the scanner last compared its cursor with the nodes.
  scanned_at timestamptz,
  -- Real time at which the cursor last moved. Nodes that stand still tell no error.
  moved_at timestamptz not null default clock_timestamp(),
  -- Real time of the first block that was recorded after the final block last moved; null when none was.
  unfinal_since timestamptz,
  -- The number of oddities so far, and of those at addresses of ours among them: these give each its slot.
  oddities bigint not null default 0,
  service_oddities bigint not null default 0,
  -- Work: one worker scans a network at a time, in real time.
  due_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz,
  fence bigint not null default 0,
  check ((halted_at is null) = (halt_reason is null)),
  check (halted_at is not null or not is_resuming),
  check ((problem is null) = (problem_since is null)),
  check (final_number <= block_number)
);
grant select, insert, update on svc.chain_scans to svc_app;

-- Each time that blocks which counted as final were replaced, or a halt was ended. What was recorded above the block is
-- judged anew. A transfer that was asked for before may be in a block below the one that was final then, down to here.
create table svc.chain_adoptions (
  network text not null,
  adopted_at timestamptz not null,
  above bigint not null,
  primary key (network, adopted_at)
);
grant select, insert on svc.chain_adoptions to svc_app;

-- The last 1024 blocks of each network, in which the scanner finds the fork of a reorganization. The slot is the number
-- modulo 1024, so an old block makes room for a new one. Slots from 1024 on have the first block, and every 128th of the
-- last 524,288: an operator may adopt a chain whose fork is below the last 1024 blocks.
create table svc.chain_blocks (
  network text not null,
  slot integer not null,
  block_number bigint not null,
  block_hash text not null,
  primary key (network, slot)
);
grant select, insert, update on svc.chain_blocks to svc_app;

-- Transfers to our addresses that are no deposit. The last 1000 of each network are kept, for operators, and as many to
-- addresses of the service, which explain what the treasury has: senders of worthless tokens do not push them out.
create table svc.chain_oddities (
  network text not null,
  slot integer not null,
  kind text not null check (kind in ('FOREIGN_TOKEN', 'ZERO_VALUE', 'NO_AMOUNT', 'IMPOSSIBLE_AMOUNT', 'SERVICE_ADDRESS',
    'NATIVE_COINS', 'OTHER_ACCOUNT')),
  transaction_hash text not null,
  position integer not null,
  contract text not null,
  from_address text not null,
  to_address text not null,
  value numeric(78, 0),
  block_number bigint not null,
  observed_at timestamptz not null,
  primary key (network, slot),
  -- A block that is scanned again reports them again.
  constraint chain_oddities_once unique (network, transaction_hash, position)
);
grant select, insert, update on svc.chain_oddities to svc_app;

-- Comparisons of networks with the ledger: one each day by a worker, and those that operators asked for.
create table svc.chain_comparisons (
  comparison_id uuid primary key,
  network text not null,
  -- Business time, in UTC: the day on which it was made. It shows how the day before ended.
  day date not null,
  compared_at timestamptz not null,
  -- A worker made it, for the day.
  is_daily boolean not null,
  block_number bigint,
  block_hash text,
  -- Why nothing could be compared.
  problem text,
  check ((problem is null) = (block_number is not null) and (problem is null) = (block_hash is not null))
);
create index chain_comparisons_by_network on svc.chain_comparisons (network, compared_at, comparison_id);
-- Two workers at once record one.
create unique index chain_comparisons_daily on svc.chain_comparisons (network, day) where is_daily and problem is null;
grant select, insert on svc.chain_comparisons to svc_app;

-- The sets of our addresses in a comparison. Smallest units; coins have up to 78 digits.
create table svc.chain_comparison_sets (
  comparison_id uuid not null references svc.chain_comparisons,
  -- 'BASE USDC treasury'
  account text collate "C" not null,
  asset text not null,
  ledger numeric(78, 0) not null,
  outside numeric(78, 0) not null,
  addresses integer not null,
  primary key (comparison_id, account)
);
grant select, insert on svc.chain_comparison_sets to svc_app;

-- The open items of a set. They make up its difference.
create table svc.chain_comparison_items (
  comparison_id uuid not null,
  account text collate "C" not null,
  position integer not null,
  state text not null check (state in ('MISSING', 'UNEXPECTED')),
  kind text not null,
  reference text collate "C" not null,
  amount numeric(78, 0) not null,
  -- The first day on which comparisons without a break named it.
  since date not null,
  primary key (comparison_id, account, position),
  foreign key (comparison_id, account) references svc.chain_comparison_sets
);
grant select, insert on svc.chain_comparison_items to svc_app;
