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
  -- An operator has decided that the nodes are right and our record is wrong: the next conflict is rolled back.
  may_adopt boolean not null default false,
  -- Why the network is not scanned at present; null while it is. It ends by itself.
  problem text,
  problem_since timestamptz,
  -- Real time at which the scanner last compared its cursor with the nodes.
  scanned_at timestamptz,
  -- Real time of the first block that was recorded after the final block last moved; null when none was.
  unfinal_since timestamptz,
  -- The number of oddities so far, which gives each its slot.
  oddities bigint not null default 0,
  -- Work: one worker scans a network at a time, in real time.
  due_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz,
  fence bigint not null default 0,
  check ((halted_at is null) = (halt_reason is null)),
  check ((problem is null) = (problem_since is null)),
  check (final_number <= block_number)
);
grant select, insert, update on svc.chain_scans to svc_app;

-- The last 1024 blocks of each network, in which the scanner finds the fork of a reorganization. The slot is the number
-- modulo 1024, so an old block makes room for a new one.
create table svc.chain_blocks (
  network text not null,
  slot integer not null,
  block_number bigint not null,
  block_hash text not null,
  primary key (network, slot)
);
grant select, insert, update on svc.chain_blocks to svc_app;

-- Transfers to our addresses that are no deposit. The last 1000 of each network are kept, for operators.
create table svc.chain_oddities (
  network text not null,
  slot integer not null,
  kind text not null check (kind in ('FOREIGN_TOKEN', 'ZERO_VALUE', 'NO_AMOUNT', 'IMPOSSIBLE_AMOUNT', 'SERVICE_ADDRESS')),
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
