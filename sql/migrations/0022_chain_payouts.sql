-- Payouts on EVM networks. A process asks for a signature by inserting a row; the signer derives what it signs from the
-- obligation itself, and writes the signature into that row. No process can write a signature, and the signer cannot
-- ask for one. See docs/custody.md and docs/chains.md.

-- The kill switch. While a stop is not resumed, the signer signs nothing.
create table svc.signing_stops (
  stop_id uuid primary key,
  reason text not null check (reason <> ''),
  -- The operating-system account, as far as the command knew it.
  stopped_by text not null,
  stopped_at timestamptz not null default clock_timestamp(),
  resumed_by text,
  resumed_at timestamptz,
  check ((resumed_by is null) = (resumed_at is null))
);
create index signing_stops_open on svc.signing_stops (stopped_at) where resumed_at is null;
grant select, insert (stop_id, reason, stopped_by), update (resumed_by, resumed_at) on svc.signing_stops to svc_signer;
grant select on svc.signing_stops to svc_app;

-- Authorizations of EIP-3009: transfers that the owner of tokens signs, and that anyone may submit. The nonce is the hash
-- of the payout's id, and the token keeps nonces per sender. A payout keeps its first sender for ever: however many
-- authorizations are signed for it, at most one of them moves tokens.
create table svc.transfer_authorizations (
  authorization_id uuid primary key,
  -- The payout. Relayers serve every organization, so this is a table of the platform.
  payout_organization_id uuid not null,
  payout_id uuid not null,
  attempt integer not null,
  -- The address of ours that pays; null when the payout's wallet does.
  treasury_address text,
  -- Chain time in seconds: no block from then on executes it.
  valid_before bigint not null,
  -- A final block before the request. The transfer, if there is one, is in a later block.
  after_block bigint not null,
  requested_at timestamptz not null default clock_timestamp(),
  -- Written by the signer alone: the signed values and the signature, or the reason why it does not sign.
  asset text,
  chain_id bigint,
  contract text,
  from_address text,
  to_address text,
  value numeric(78, 0) check (value > 0),
  nonce text,
  signature bytea,
  -- Movements between addresses of ours do not count towards the limits.
  counts boolean,
  problem text,
  decided_at timestamptz,
  check ((decided_at is null) = (signature is null and problem is null)),
  check (signature is null or (problem is null and asset is not null and chain_id is not null and contract is not null
    and from_address is not null and to_address is not null and value is not null and nonce is not null
    and counts is not null))
);
create index transfer_authorizations_undecided on svc.transfer_authorizations (requested_at) where decided_at is null;
create index transfer_authorizations_by_payout on svc.transfer_authorizations (payout_id);
create index transfer_authorizations_by_treasury on svc.transfer_authorizations (treasury_address, valid_before)
  where treasury_address is not null;
create index transfer_authorizations_counted on svc.transfer_authorizations (asset, decided_at)
  include (payout_id, value) where signature is not null and counts;
grant select, insert (authorization_id, payout_organization_id, payout_id, attempt, treasury_address, valid_before, after_block)
  on svc.transfer_authorizations to svc_app;
grant select, update (asset, chain_id, contract, from_address, to_address, value, nonce, signature, counts, problem,
  decided_at) on svc.transfer_authorizations to svc_signer;

-- The next nonce of each relayer, the address that pays for gas. Nonces are allocated under this row's lock.
create table svc.relayers (
  network text not null,
  address text not null,
  next_nonce bigint not null check (next_nonce >= 0),
  primary key (network, address)
);
grant select, insert, update (next_nonce) on svc.relayers to svc_app;

-- Our funds on each network as workers last measured them: the coins of the relayer in use, and the tokens of all
-- treasuries.
create table svc.chain_funds (
  network text not null,
  -- A token, or the network's own coin.
  asset text not null,
  holder text not null check (holder in ('RELAYER', 'TREASURY')),
  balance numeric(78, 0) not null,
  -- Below this, an operator is told.
  least numeric(78, 0) not null,
  -- A treasury that never held a token does not pay in it, so it is not low.
  is_expected boolean not null,
  measured_at timestamptz not null default clock_timestamp(),
  primary key (network, asset)
);
grant select, insert, update on svc.chain_funds to svc_app;

-- Allocated nonces. Each is used by one transaction for ever; until that one is final, the nonce is OPEN. When an operator
-- adopts a chain without the final block of a transaction, its nonce is OPEN again.
create table svc.relay_nonces (
  network text not null,
  relayer text not null,
  nonce bigint not null,
  -- The authorization that it was allocated for.
  authorization_id uuid references svc.transfer_authorizations,
  -- MINED: one of our transactions used it. TAKEN: a transaction that we do not know did.
  state text not null default 'OPEN' check (state in ('OPEN', 'MINED', 'TAKEN')),
  hash text,
  is_successful boolean,
  revert_reason text,
  block_number bigint,
  block_hash text,
  -- In the smallest unit of the network's own coin.
  gas_cost numeric(38, 0),
  -- How often an adopted chain has opened it again: each time, gas is booked anew.
  reopenings integer not null default 0,
  allocated_at timestamptz not null default clock_timestamp(),
  settled_at timestamptz,
  primary key (network, relayer, nonce),
  check ((state = 'OPEN') = (settled_at is null)),
  check ((state = 'MINED') = (hash is not null) and (state = 'MINED') = (is_successful is not null)
    and (state = 'MINED') = (gas_cost is not null) and (state = 'MINED') = (block_hash is not null))
);
create index relay_nonces_open on svc.relay_nonces (network, nonce) where state = 'OPEN';
-- For blocks that a chain drops.
create index relay_nonces_mined on svc.relay_nonces (network, block_number) where state = 'MINED';
-- An authorization is relayed once, however often it is submitted.
create unique index relay_nonces_once on svc.relay_nonces (authorization_id) where state <> 'TAKEN';
create index relay_nonces_by_authorization on svc.relay_nonces (authorization_id) where authorization_id is not null;
grant select, insert (network, relayer, nonce, authorization_id),
  update (authorization_id, state, hash, is_successful, revert_reason, block_number, block_hash, gas_cost, reopenings,
    settled_at)
  on svc.relay_nonces to svc_app;

-- The transactions for each nonce: a later version replaces an earlier one with a higher fee, or with an empty transfer.
-- The signer writes their bytes; they are committed before they leave.
create table svc.relay_transactions (
  network text not null,
  relayer text not null,
  nonce bigint not null,
  version integer not null check (version > 0),
  -- Null: it transfers nothing, and only uses the nonce.
  authorization_id uuid references svc.transfer_authorizations,
  gas_limit bigint not null check (gas_limit > 0),
  -- In wei per unit of gas.
  max_fee numeric(38, 0) not null check (max_fee > 0),
  tip numeric(38, 0) not null check (tip >= 0 and tip <= max_fee),
  requested_at timestamptz not null default clock_timestamp(),
  -- Written by the signer alone.
  hash text,
  raw bytea,
  problem text,
  decided_at timestamptz,
  -- A bound of gas stopped it: the signer decides again from then on.
  retry_at timestamptz check (retry_at is null or problem is not null),
  refusals integer not null default 0,
  -- The latest broadcast, and the node's word about it.
  sent_at timestamptz,
  sends integer not null default 0,
  send_refusal text check (send_refusal in ('NONCE_TOO_LOW', 'UNDERPRICED', 'NO_FUNDS', 'UNREACHED', 'OTHER')),
  send_problem text,
  primary key (network, relayer, nonce, version),
  foreign key (network, relayer, nonce) references svc.relay_nonces,
  check ((decided_at is null) = (raw is null and problem is null)),
  check ((raw is null) = (hash is null)),
  check (sent_at is null or raw is not null)
);
create index relay_transactions_undecided on svc.relay_transactions (requested_at) where decided_at is null;
create index relay_transactions_retried on svc.relay_transactions (retry_at) where retry_at is not null;
create index relay_transactions_signed on svc.relay_transactions (network, decided_at) where raw is not null;
grant select, insert (network, relayer, nonce, version, authorization_id, gas_limit, max_fee, tip),
  update (sent_at, sends, send_refusal, send_problem) on svc.relay_transactions to svc_app;
grant select, update (hash, raw, problem, decided_at, retry_at, refusals) on svc.relay_transactions to svc_signer;

-- The signer looks whether an earlier attempt is dead, and relays only what is committed.
grant select on svc.payout_attempts, svc.payout_preparations to svc_signer;
