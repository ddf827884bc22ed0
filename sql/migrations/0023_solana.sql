-- Solana. Tokens lie in token accounts: each owner has one for each mint, at an address that follows from both. The
-- scanner watches those of our wallets, treasuries and relayers, and the owners' own addresses for oddities.
create table svc.token_accounts (
  account text primary key,
  owner_address text not null,
  -- Null: the owner's own address, which holds no tokens that we credit.
  asset text,
  -- WALLET: of a customer or of a transaction. SERVICE: of our treasury or relayer.
  receiver text not null check (receiver in ('WALLET', 'SERVICE')),
  -- The cursor: the last final transaction that names the account, and the balance after it. It moves only together with
  -- what the transactions up to it have brought.
  signature text,
  slot bigint not null default 0,
  balance numeric(20, 0) not null default 0 check (balance >= 0),
  -- The recorded transactions of the cursor's slot. Some nodes list those of one slot in another order.
  slot_signatures text[] not null default '{}',
  -- Real time of the next look at its transactions without a change of its balance, and the pause that led to it: two
  -- transfers that cancel each other change nothing, and must be found.
  due_at timestamptz not null default clock_timestamp(),
  pause_seconds integer not null default 0,
  -- Why its transactions cannot be recorded at present, in a word and in full; null while they are. Other accounts go on,
  -- and this one is looked at later and later: retry_seconds is the pause that led to due_at.
  problem text,
  problem_detail text,
  problem_since timestamptz,
  retry_seconds integer not null default 0,
  check ((problem is null) = (problem_since is null) and (problem is null) = (problem_detail is null))
);
create index token_accounts_due on svc.token_accounts (due_at);
create index token_accounts_unscanned on svc.token_accounts (problem_since) where problem is not null;
create index token_accounts_by_owner on svc.token_accounts (owner_address);
grant select, insert (account, owner_address, asset, receiver),
  update (signature, slot, balance, slot_signatures, due_at, pause_seconds, problem, problem_detail, problem_since,
    retry_seconds) on svc.token_accounts to svc_app;

-- Transfers on Solana, each a transaction of its own: the owner of the tokens and the relayer, who pays the fee, both
-- sign it. A process asks for it by inserting a row. The signer derives the transfer from the obligation, builds the
-- message itself, and writes the bytes. Nothing on chain makes an obligation unique, so the signer signs a second
-- transaction for it only when the record has proof that the first can never be executed.
create table svc.solana_transfers (
  transfer_id uuid primary key,
  -- The payout. The relayer serves every organization, so this is a table of the platform.
  payout_organization_id uuid not null,
  payout_id uuid not null,
  attempt integer not null,
  -- The address of ours that pays; null when the payout's wallet does.
  treasury_address text,
  relayer text not null,
  -- The blockhash of a recent block, and the height of the last block that takes a transaction with it.
  blockhash text not null,
  last_valid_block_height bigint not null check (last_valid_block_height > 0),
  -- In millionths of a lamport per unit of computation.
  compute_unit_price bigint not null check (compute_unit_price >= 0),
  requested_at timestamptz not null default clock_timestamp(),
  -- Written by the signer alone: the signed values and the bytes, or the reason why it does not sign.
  asset text,
  mint text,
  from_address text,
  to_address text,
  value numeric(20, 0) check (value > 0),
  -- The name of the transaction.
  signature text,
  raw bytea,
  -- Movements between addresses of ours do not count towards the limits.
  counts boolean,
  problem text,
  decided_at timestamptz,
  -- The broadcasts, and the node's word about the latest.
  sends integer not null default 0,
  sent_at timestamptz,
  send_problem text,
  -- FINAL: in a final block, successful or not. DEAD: proven that no block will ever have it; the proof is the height
  -- and the slot of a final block at a node that does not know it.
  state text not null default 'OPEN' check (state in ('OPEN', 'FINAL', 'DEAD')),
  slot bigint,
  height bigint,
  is_successful boolean,
  failure text,
  -- It counted as dead until a block had it.
  was_dead boolean not null default false,
  -- In lamports: the fee, and the rent of the receiver's new token account.
  fee numeric(20, 0),
  rent numeric(20, 0),
  settled_at timestamptz,
  -- When the nodes were last asked about one that is dead.
  asked_at timestamptz,
  check ((decided_at is null) = (raw is null and problem is null)),
  check (raw is null or (problem is null and asset is not null and mint is not null and from_address is not null
    and to_address is not null and value is not null and signature is not null and counts is not null)),
  check ((state = 'OPEN') = (settled_at is null)),
  check (state = 'OPEN' or (raw is not null and slot is not null)),
  check ((state = 'DEAD') = (height is not null)),
  check (state <> 'DEAD' or height > last_valid_block_height),
  check ((state = 'FINAL') = (is_successful is not null) and (state = 'FINAL') = (fee is not null)
    and (state = 'FINAL') = (rent is not null))
);
create index solana_transfers_undecided on svc.solana_transfers (requested_at) where decided_at is null;
create index solana_transfers_by_payout on svc.solana_transfers (payout_id);
create index solana_transfers_open on svc.solana_transfers (requested_at) where state = 'OPEN' and raw is not null;
create index solana_transfers_by_treasury on svc.solana_transfers (treasury_address, state)
  where treasury_address is not null;
create index solana_transfers_dead on svc.solana_transfers (settled_at) where state = 'DEAD';
create index solana_transfers_by_sender on svc.solana_transfers (from_address, slot) where state = 'FINAL';
create index solana_transfers_counted on svc.solana_transfers (asset, decided_at)
  include (payout_id, value) where raw is not null and counts;
create unique index solana_transfers_once on svc.solana_transfers (signature) where signature is not null;
grant select, insert (transfer_id, payout_organization_id, payout_id, attempt, treasury_address, relayer, blockhash,
    last_valid_block_height, compute_unit_price),
  update (sends, sent_at, send_problem, was_dead, state, slot, height, is_successful, failure, fee, rent, settled_at,
    asked_at) on svc.solana_transfers to svc_app;
grant select, update (asset, mint, from_address, to_address, value, signature, raw, counts, problem, decided_at)
  on svc.solana_transfers to svc_signer;

-- No process can change how a transaction ended: the signer would sign a second one for a payout that is paid.
alter table svc.solana_transfers enable row level security;
create policy solana_transfers_read on svc.solana_transfers for select using (true);
create policy solana_transfers_ask on svc.solana_transfers for insert to svc_app with check (state = 'OPEN');
create policy solana_transfers_follow on svc.solana_transfers for update to svc_app
  using (state <> 'FINAL') with check (true);
create policy solana_transfers_sign on svc.solana_transfers for update to svc_signer
  using (state = 'OPEN') with check (state = 'OPEN');
