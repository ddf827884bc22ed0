-- The ledger: who owns how much of what, and why. Only the functions of this file write it: processes may call them and
-- read, and nothing else. docs/money.md tells which accounts there are and what is posted when.

-- Domains and not check constraints, which every change of a balance would have to prove again.
create domain svc.account_kind as text constraint account_kind_known check (value in (
  'WALLET', 'RETURNED_FUNDS', 'DEVELOPER_FEES', 'CLEARING', 'SUSPENSE', 'FEE_REVENUE', 'FX_POSITION', 'ROUNDING',
  'OWN_FUNDS', 'BANK', 'TREASURY', 'CUSTODY', 'UNCOLLECTED_FEES', 'NETWORK_COSTS'));
-- 'USD', 'USDC/BASE'
create domain svc.asset as text check (value ~ '^[A-Z0-9]{2,12}(/[A-Z]{2,16})?$');

-- One row per organization, kind, holder and asset. A kind that may run out (a customer's) keeps its balance here, exact
-- at every moment. The others are written by everybody at once, so nobody updates their rows: `posted` and `entry_count`
-- hold what was folded so far, and svc.unfolded_postings names the rest.
create table svc.ledger_accounts (
  organization_id uuid not null,
  account_id uuid not null,
  kind svc.account_kind not null,
  -- A payment account, a customer or a rail; empty where there is one account per organization and asset.
  holder text not null,
  asset svc.asset not null,
  keeps_balance boolean not null generated always as (kind in ('WALLET', 'RETURNED_FUNDS')) stored,
  -- Smallest units. Positive is a credit: what we owe, or earned. What we hold is a debit, and negative.
  posted numeric(38, 0) not null default 0,
  reserved numeric(38, 0) not null default 0,
  entry_count bigint not null default 0,
  created_at timestamptz not null,
  primary key (organization_id, account_id),
  constraint ledger_accounts_once unique (organization_id, kind, holder, asset),
  constraint ledger_accounts_not_below_zero check (not keeps_balance or (reserved >= 0 and posted >= reserved))
) with (fillfactor = 70); -- room for the next balance on the same page
grant select on svc.ledger_accounts to svc_app;

-- One row per business fact. The reference says which: a fact is posted once, for ever.
create table svc.postings (
  organization_id uuid not null,
  posting_id uuid not null,
  -- 'transaction:<id>:payout'. Compared as bytes, so that everything about one transaction is one range.
  reference text collate "C" not null check (reference <> ''),
  fact text not null,
  -- The reserve that it captures, by its reference.
  captures text collate "C",
  -- Of everything above and of the entries: see svc.posting_hash.
  content_hash bytea not null,
  created_at timestamptz not null,
  primary key (organization_id, posting_id),
  constraint postings_once unique (organization_id, reference)
);
create index postings_by_capture on svc.postings (organization_id, captures) where captures is not null;
grant select on svc.postings to svc_app;

-- No foreign keys: this is the table that is written most. svc.post_together knows both ends, and svc verify looks.
create table svc.entries (
  organization_id uuid not null,
  posting_id uuid not null,
  entry_number smallint not null,
  account_id uuid not null,
  amount numeric(38, 0) not null,
  -- Of accounts that keep a balance: gapless from 1, and the balance after this entry.
  account_sequence bigint,
  balance numeric(38, 0),
  primary key (organization_id, posting_id, entry_number)
);
create unique index entries_by_account on svc.entries (organization_id, account_id, account_sequence)
  where account_sequence is not null;
grant select on svc.entries to svc_app;

-- Postings whose entries are not yet in the `posted` of accounts without a balance. A row is here from the moment its
-- posting is visible until svc.fold_entries has counted it, so a late commit is never passed by.
create table svc.unfolded_postings (
  organization_id uuid not null,
  posting_id uuid not null,
  primary key (organization_id, posting_id)
);
grant select on svc.unfolded_postings to svc_app;

-- Money set aside before somebody acts outside. It is captured by a posting, or released; at most once.
create table svc.reserves (
  organization_id uuid not null,
  reserve_id uuid not null,
  reference text collate "C" not null check (reference <> ''),
  account_id uuid not null,
  amount numeric(38, 0) not null check (amount > 0),
  status text not null default 'OPEN' check (status in ('OPEN', 'CAPTURED', 'RELEASED')),
  -- What the posting took; the rest was released with it.
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

-- While a row has no resumed_at, no payout leaves. Written when an invariant of the ledger is found broken.
create table svc.payout_halts (
  halt_id uuid primary key,
  halted_at timestamptz not null default clock_timestamp(),
  violated text[] not null,
  resumed_at timestamptz,
  resume_reason text
);
create unique index payout_halts_one_open on svc.payout_halts ((resumed_at is null)) where resumed_at is null;
grant select, insert (halt_id, violated), update (resumed_at, resume_reason) on svc.payout_halts to svc_app;

-- What a posting says, as one hash. The same statement makes it when the posting is written and when it is checked.
create function svc.posting_hash(organization_id uuid, reference text, fact text, captures text, entries text)
  returns bytea language sql stable parallel safe
  return sha256(convert_to(concat_ws(e'\n', organization_id::text, reference, fact, coalesce(captures, ''), entries),
                           'utf8'));

create function svc.open_ledger_accounts(p_organization_ids uuid[], p_kinds text[], p_holders text[], p_assets text[])
returns void language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into svc.ledger_accounts (organization_id, account_id, kind, holder, asset, created_at)
  select organization_id, gen_random_uuid(), kind, holder, asset, svc.now()
    from (select distinct organization_id, kind, holder, asset
            from unnest(p_organization_ids, p_kinds, p_holders, p_assets) as wanted (organization_id, kind, holder, asset)
           order by organization_id, kind, holder, asset) as wanted
      on conflict (organization_id, kind, holder, asset) do nothing
$$;

-- Writes all of these postings; or, if one of them must be refused, none and raises SV001; or, if it is alone, answers
-- why. Locks are taken in one order by everybody: references, reserves, accounts, each sorted. So no two calls wait for
-- each other in a ring. Nobody can estimate how long an array is, so tables are read by subqueries and statements for
-- one row each, which find it by its key whatever the estimate; and plans are made once (plan_cache_mode), because making
-- them takes twice as long as running them.
create function svc.post_together(
  p_organization_ids uuid[], p_posting_ids uuid[], p_references text[], p_facts text[], p_captures text[],
  p_entry_places integer[], p_kinds text[], p_holders text[], p_assets text[], p_amounts numeric[])
returns table (outcome text, posting_id uuid, raised_holders text[], raised_assets text[])
language plpgsql as $$
#variable_conflict use_column
declare
  asked constant integer := cardinality(p_posting_ids);
  moment constant timestamptz := svc.now();
  refusal text;
  claimed integer;
  hashes bytea[];
  -- Of each entry
  account_ids uuid[];
  -- Of each posting that captures
  captured_places integer[] := '{}';
  captured_accounts uuid[] := '{}';
  captured_amounts numeric[] := '{}';
  -- Of each account that keeps a balance, in the order of their ids: what it had, and what this changes
  kept_ids uuid[];
  kept_organizations uuid[];
  kept_posted numeric[];
  kept_reserved numeric[];
  kept_counts bigint[];
  changes numeric[];
  freed numeric[];
  lines bigint[];
begin
  -- Is each of them a posting at all?
  select array_agg(svc.posting_hash(p_organization_ids[place], p_references[place], p_facts[place], p_captures[place],
                                    entries) order by place),
         case when count(*) < asked or bool_or(is_wrong) or exists (
                select from unnest(p_entry_places, p_assets, p_amounts) as entry (place, asset, amount)
                 group by place, asset having sum(amount) <> 0) then 'UNBALANCED' end
    into hashes, refusal
    from (select place, string_agg(concat_ws(' ', kind, holder, asset, amount), e'\n' order by number) as entries,
                 bool_or(amount = 0 or amount <> trunc(amount)) as is_wrong
            from unnest(p_entry_places, p_kinds, p_holders, p_assets, p_amounts)
                 with ordinality as entry (place, kind, holder, asset, amount, number)
           group by place) as contents;
  if refusal is not null then
    if asked > 1 then raise exception using errcode = 'SV001', message = refusal; end if;
    return query select refusal, null::uuid, '{}'::text[], '{}'::text[];
    return;
  end if;

  -- The reference is claimed first: whoever comes with the same one waits here until we are done.
  with inserted as (
    insert into svc.postings (organization_id, posting_id, reference, fact, captures, content_hash, created_at)
    select organization_id, posting_id, reference, fact, captures, content_hash, moment
      from unnest(p_organization_ids, p_posting_ids, p_references, p_facts, p_captures, hashes)
           as wanted (organization_id, posting_id, reference, fact, captures, content_hash)
     order by organization_id, reference
        on conflict (organization_id, reference) do nothing
    returning posting_id)
  select count(*) into claimed from inserted;
  if claimed < asked then
    if asked > 1 then raise exception using errcode = 'SV001', message = 'REPLAYED'; end if;
    return query select case when content_hash = hashes[1] then 'REPLAYED' else 'CONFLICT' end, posting.posting_id,
                        '{}'::text[], '{}'::text[]
                   from svc.postings as posting
                  where organization_id = p_organization_ids[1] and reference = p_references[1];
    return;
  end if;

  -- Which accounts are these? The first posting to an account opens it.
  for attempt in 1..2 loop
    select array_agg((select account_id from svc.ledger_accounts as account
                       where account.organization_id = p_organization_ids[entry.place] and account.kind = entry.kind
                         and account.holder = entry.holder and account.asset = entry.asset) order by number)
      into account_ids
      from unnest(p_entry_places, p_kinds, p_holders, p_assets)
           with ordinality as entry (place, kind, holder, asset, number);
    exit when array_position(account_ids, null) is null;
    perform svc.open_ledger_accounts(
      (select array_agg(p_organization_ids[place] order by number)
         from unnest(p_entry_places) with ordinality as entry (place, number)),
      p_kinds, p_holders, p_assets);
  end loop;

  if array_remove(p_captures, null) <> '{}' then
    select coalesce(array_agg(place), '{}'), coalesce(array_agg(account_id), '{}'), coalesce(array_agg(amount), '{}'),
           case when count(*) < cardinality(array_remove(p_captures, null)) or bool_or(status <> 'OPEN')
                  or count(distinct reserve_id) < count(*) then 'RESERVE_NOT_OPEN' end
      into captured_places, captured_accounts, captured_amounts, refusal
      from (select place::integer, organization_id, reference
              from unnest(p_organization_ids, p_captures) with ordinality as wanted (organization_id, reference, place)
             where reference is not null order by organization_id, reference) as wanted
     cross join lateral (
           select reserve_id, account_id, amount, status from svc.reserves as reserve
            where reserve.organization_id = wanted.organization_id and reserve.reference = wanted.reference
              for update) as locked;
  end if;

  select coalesce(array_agg(account_id), '{}'), coalesce(array_agg(organization_id), '{}'),
         coalesce(array_agg(posted), '{}'), coalesce(array_agg(reserved), '{}'),
         coalesce(array_agg(entry_count), '{}')
    into kept_ids, kept_organizations, kept_posted, kept_reserved, kept_counts
    from (select distinct account_id, p_organization_ids[place] as organization_id
            from unnest(p_entry_places, account_ids) as entry (place, account_id) order by account_id) as touched
   cross join lateral (
         select posted, reserved, entry_count from svc.ledger_accounts as account
          where account.organization_id = touched.organization_id and account.account_id = touched.account_id
            and keeps_balance for no key update) as locked;

  -- One posting after the other, as if each had come alone: nobody is ever below zero, not even in between.
  select array_agg(change order by account_id), array_agg(captured order by account_id),
         array_agg(entries order by account_id),
         coalesce(array_agg(holder order by account_id) filter (where is_raised), '{}'),
         coalesce(array_agg(asset order by account_id) filter (where is_raised), '{}'),
         coalesce(refusal, case when bool_or(is_mismatch) or coalesce(sum(captures), 0) < cardinality(captured_places)
                                then 'RESERVE_MISMATCH'
                                when bool_or(lowest < 0) then 'INSUFFICIENT' end)
    into changes, freed, lines, raised_holders, raised_assets, refusal
    from (select account_id, sum(change) as change, coalesce(sum(captured), 0) as captured, sum(entries) as entries,
                 count(captured) as captures, min(holder) as holder, min(asset) as asset, min(available) as lowest,
                 bool_or(captured is not null and (change >= 0 or change + captured < 0)) as is_mismatch,
                 bool_or(kind = 'WALLET' and change + coalesce(captured, 0) > 0) as is_raised
            from (select account_id, kind, holder, asset, change, captured, entries, posted - reserved
                         + sum(change + coalesce(captured, 0)) over (partition by account_id order by place) as available
                    from (select place, account_id, min(kind) as kind, min(holder) as holder, min(asset) as asset,
                                 sum(amount) as change, count(*) as entries
                            from unnest(p_entry_places, account_ids, p_kinds, p_holders, p_assets, p_amounts)
                                 as entry (place, account_id, kind, holder, asset, amount)
                           where account_id = any(kept_ids) group by place, account_id) as effect
                    join unnest(kept_ids, kept_posted, kept_reserved) as kept (account_id, posted, reserved)
                         using (account_id)
                    left join unnest(captured_places, captured_accounts, captured_amounts)
                              as capture (place, account_id, captured) using (place, account_id)) as effects
           group by account_id) as accounts;
  if refusal is not null then
    if asked > 1 then raise exception using errcode = 'SV001', message = refusal; end if;
    -- Ours alone, and written a moment ago: nobody has seen it.
    delete from svc.postings where organization_id = p_organization_ids[1] and posting_id = p_posting_ids[1];
    return query select refusal, null::uuid, '{}'::text[], '{}'::text[];
    return;
  end if;

  with written as (
    insert into svc.entries (organization_id, posting_id, entry_number, account_id, amount, account_sequence, balance)
    select p_organization_ids[place], p_posting_ids[place], row_number() over (partition by place order by number),
           account_id, amount,
           entry_count + row_number() over (partition by account_id order by number),
           posted + sum(amount) over (partition by account_id order by number)
      from unnest(p_entry_places, account_ids, p_amounts) with ordinality as entry (place, account_id, amount, number)
      left join unnest(kept_ids, kept_posted, kept_counts) as kept (account_id, posted, entry_count) using (account_id)
    returning organization_id, posting_id, account_sequence)
  insert into svc.unfolded_postings (organization_id, posting_id)
  select distinct organization_id, posting_id from written where account_sequence is null;

  for number in 1..cardinality(captured_places) loop
    update svc.reserves
       set status = 'CAPTURED', posting_id = p_posting_ids[captured_places[number]], resolved_at = moment,
           captured = (select -sum(taken) from unnest(p_entry_places, account_ids, p_amounts)
                              as entry (place, entry_account, taken)
                       where place = captured_places[number] and entry_account = captured_accounts[number])
     where organization_id = p_organization_ids[captured_places[number]]
       and reference = p_captures[captured_places[number]];
  end loop;
  -- Balances last: their rows are the ones that others wait for.
  for number in 1..cardinality(kept_ids) loop
    update svc.ledger_accounts
       set posted = posted + changes[number], reserved = reserved - freed[number],
           entry_count = entry_count + lines[number]
     where organization_id = kept_organizations[number] and account_id = kept_ids[number];
  end loop;

  -- What was raised is told once for all of them.
  return query
    select 'POSTED', id, case when place = 1 then raised_holders else '{}' end,
           case when place = 1 then raised_assets else '{}' end
      from unnest(p_posting_ids) with ordinality as posted (id, place) order by place;
end $$;

-- The only way into svc.postings and svc.entries. Many postings at once; each gets an outcome of its own, as if they had
-- come one after the other:
--   POSTED            written now
--   REPLAYED          the reference was posted before, with the same content; the id is that of the first
--   CONFLICT          the reference was posted before, with other content
--   INSUFFICIENT      a customer's account would fall below what is reserved of it
--   RESERVE_NOT_OPEN  the reserve that it captures is unknown, captured or released
--   RESERVE_MISMATCH  it does not take from the reserved account, or takes more than was reserved
--   UNBALANCED        it does not sum to zero in each asset: the caller's mistake
-- raised_*: wallets of which more can be spent after one of them than before, told once for several postings.
create function svc.post(
  p_organization_ids uuid[], p_posting_ids uuid[], p_references text[], p_facts text[], p_captures text[],
  p_entry_places integer[], p_kinds text[], p_holders text[], p_assets text[], p_amounts numeric[])
returns table (outcome text, posting_id uuid, raised_holders text[], raised_assets text[])
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  first integer := 1;
  last integer;
begin
  if cardinality(p_posting_ids) > 1 then
    begin
      return query select outcome, posting_id, raised_holders, raised_assets
                     from svc.post_together(p_organization_ids, p_posting_ids, p_references, p_facts, p_captures,
                            p_entry_places, p_kinds, p_holders, p_assets, p_amounts);
      return;
    exception when sqlstate 'SV001' then null; -- somebody is refused: one by one, then
    end;
  end if;
  for place in 1..cardinality(p_posting_ids) loop
    last := first;
    while p_entry_places[last] = place loop last := last + 1; end loop;
    return query select outcome, posting_id, raised_holders, raised_assets
                   from svc.post_together(p_organization_ids[place:place], p_posting_ids[place:place],
                          p_references[place:place], p_facts[place:place], p_captures[place:place],
                          array_fill(1, array[last - first]), p_kinds[first:last - 1], p_holders[first:last - 1],
                          p_assets[first:last - 1], p_amounts[first:last - 1]);
    first := last;
  end loop;
end $$;

-- As svc.post_together, for money that is set aside.
create function svc.reserve_together(
  p_organization_ids uuid[], p_reserve_ids uuid[], p_references text[], p_kinds text[], p_holders text[],
  p_assets text[], p_amounts numeric[])
returns table (outcome text, reserve_id uuid)
language plpgsql as $$
#variable_conflict use_column
declare
  asked constant integer := cardinality(p_reserve_ids);
  moment constant timestamptz := svc.now();
  claimed integer;
  account_ids uuid[];
  wanted record;
begin
  select array_agg((select account_id from svc.ledger_accounts as account
                     where account.organization_id = wanted.organization_id and account.kind = wanted.kind
                       and account.holder = wanted.holder and account.asset = wanted.asset and keeps_balance)
                   order by place)
    into account_ids
    from unnest(p_organization_ids, p_kinds, p_holders, p_assets)
         with ordinality as wanted (organization_id, kind, holder, asset, place);
  -- An account that nobody has opened has nothing.
  if array_position(account_ids, null) is not null then
    if asked > 1 then raise exception using errcode = 'SV001', message = 'INSUFFICIENT'; end if;
    return query select case when reserve.reserve_id is null then 'INSUFFICIENT' else 'CONFLICT' end, reserve.reserve_id
                   from (select 1) as one
                   left join svc.reserves as reserve
                     on organization_id = p_organization_ids[1] and reference = p_references[1];
    return;
  end if;

  with inserted as (
    insert into svc.reserves (organization_id, reserve_id, reference, account_id, amount, created_at)
    select organization_id, reserve_id, reference, account_id, amount, moment
      from unnest(p_organization_ids, p_reserve_ids, p_references, account_ids, p_amounts)
           as wanted (organization_id, reserve_id, reference, account_id, amount)
     order by organization_id, reference
        on conflict (organization_id, reference) do nothing
    returning reserve_id)
  select count(*) into claimed from inserted;
  if claimed < asked then
    if asked > 1 then raise exception using errcode = 'SV001', message = 'REPLAYED'; end if;
    return query select case when account_id <> account_ids[1] or amount <> p_amounts[1] then 'CONFLICT'
                             when status <> 'OPEN' then 'RESOLVED' else 'REPLAYED' end, reserve.reserve_id
                   from svc.reserves as reserve
                  where organization_id = p_organization_ids[1] and reference = p_references[1];
    return;
  end if;

  -- In the order of the accounts, and each only if it has that much.
  for wanted in select organization_id, account_id, sum(amount) as amount
                  from unnest(p_organization_ids, account_ids, p_amounts) as wanted (organization_id, account_id, amount)
                 group by organization_id, account_id order by account_id loop
    update svc.ledger_accounts as account set reserved = reserved + wanted.amount
     where account.organization_id = wanted.organization_id and account.account_id = wanted.account_id
       and posted - reserved >= wanted.amount;
    if not found then
      if asked > 1 then raise exception using errcode = 'SV001', message = 'INSUFFICIENT'; end if;
      delete from svc.reserves where organization_id = p_organization_ids[1] and reserve_id = p_reserve_ids[1];
      return query select 'INSUFFICIENT', null::uuid;
      return;
    end if;
  end loop;
  return query select 'RESERVED', id from unnest(p_reserve_ids) with ordinality as given (id, place) order by place;
end $$;

-- Sets money of customers aside: it stays theirs, and nothing but the capture can spend it. Each one's outcome:
--   RESERVED      set aside now
--   REPLAYED      the reference was reserved before, the same amount of the same account
--   RESOLVED      the reference was reserved before, and nothing is set aside under it any more
--   CONFLICT      the reference was reserved before, and was something else
--   INSUFFICIENT  less than that is available
create function svc.reserve(
  p_organization_ids uuid[], p_reserve_ids uuid[], p_references text[], p_kinds text[], p_holders text[],
  p_assets text[], p_amounts numeric[])
returns table (outcome text, reserve_id uuid)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  if cardinality(p_reserve_ids) > 1 then
    begin
      return query select outcome, reserve_id from svc.reserve_together(p_organization_ids, p_reserve_ids,
                            p_references, p_kinds, p_holders, p_assets, p_amounts);
      return;
    exception when sqlstate 'SV001' then null;
    end;
  end if;
  for place in 1..cardinality(p_reserve_ids) loop
    return query select outcome, reserve_id from svc.reserve_together(p_organization_ids[place:place],
                          p_reserve_ids[place:place], p_references[place:place], p_kinds[place:place],
                          p_holders[place:place], p_assets[place:place], p_amounts[place:place]);
  end loop;
end $$;

-- Gives reserved money back to its account. Each one's outcome:
--   RELEASED  given back now
--   REPLAYED  was released before
--   CAPTURED  was captured before, and stays so
--   UNKNOWN   there is no such reserve
-- holder, asset: of the wallet it went back to.
create function svc.release(p_organization_ids uuid[], p_references text[])
returns table (outcome text, holder text, asset text)
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  moment constant timestamptz := svc.now();
  outcomes text[] := array_fill('UNKNOWN'::text, array[cardinality(p_references)]);
  account_ids uuid[] := array_fill(null::uuid, array[cardinality(p_references)]);
  amounts numeric[] := array_fill(0::numeric, array[cardinality(p_references)]);
  reserved record;
  freed record;
begin
  -- Sorted by place, so that all are locked and read before the first one is updated: a loop fetches a few rows at a
  -- time, and would pass over the second naming of a reference that it has updated meanwhile.
  for reserved in
      select place, organization_id, reserve_id, account_id, amount, status
        from (select place::integer, organization_id, reference
                from unnest(p_organization_ids, p_references) with ordinality as wanted (organization_id, reference, place)
               order by organization_id, reference, place) as wanted
       cross join lateral (
             select reserve_id, account_id, amount, status from svc.reserves as reserve
              where reserve.organization_id = wanted.organization_id and reserve.reference = wanted.reference
                for update) as locked
       order by place loop
    update svc.reserves set status = 'RELEASED', resolved_at = moment
     where organization_id = reserved.organization_id and reserve_id = reserved.reserve_id and status = 'OPEN';
    if found then amounts[reserved.place] := reserved.amount; end if;
    outcomes[reserved.place] :=
      case when found then 'RELEASED' when reserved.status = 'CAPTURED' then 'CAPTURED' else 'REPLAYED' end;
    account_ids[reserved.place] := reserved.account_id;
  end loop;
  for freed in
      select organization_id, account_id, sum(amount) as amount
        from unnest(p_organization_ids, account_ids, amounts) as freed (organization_id, account_id, amount)
       where amount > 0 group by organization_id, account_id order by account_id loop
    update svc.ledger_accounts set reserved = reserved - freed.amount
     where organization_id = freed.organization_id and account_id = freed.account_id;
  end loop;
  return query
    select wanted.outcome, account.holder, account.asset::text
      from unnest(p_organization_ids, outcomes, account_ids)
           with ordinality as wanted (organization_id, outcome, account_id, place)
      left join lateral (
           select account.holder, account.asset from svc.ledger_accounts as account
            where account.organization_id = wanted.organization_id and account.account_id = wanted.account_id
              and account.kind = 'WALLET' offset 0) as account on true
     order by place;
end $$;

-- Counts entries of accounts without a balance of their own into `posted`. Answers how many postings it took.
create function svc.fold_entries(p_limit integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  organization_ids uuid[];
  posting_ids uuid[];
begin
  with taken as (
    delete from svc.unfolded_postings
     where (organization_id, posting_id) in (
             select organization_id, posting_id from svc.unfolded_postings
              order by organization_id, posting_id limit p_limit for update skip locked)
    returning organization_id, posting_id)
  select array_agg(organization_id), array_agg(posting_id) into organization_ids, posting_ids from taken;
  perform from (select distinct organization_id, account_id
                  from unnest(organization_ids, posting_ids) as taken (organization_id, posting_id)
                  join svc.entries as entry using (organization_id, posting_id)
                 where account_sequence is null) as touched
          join svc.ledger_accounts as account using (organization_id, account_id)
    order by account_id for no key update of account;
  update svc.ledger_accounts as account
     set posted = posted + amount, entry_count = entry_count + entries
    from (select organization_id, account_id, sum(amount) as amount, count(*) as entries
            from unnest(organization_ids, posting_ids) as taken (organization_id, posting_id)
            join svc.entries as entry using (organization_id, posting_id)
           where account_sequence is null group by organization_id, account_id) as folded
   where account.organization_id = folded.organization_id and account.account_id = folded.account_id;
  return coalesce(cardinality(posting_ids), 0);
end $$;

-- Functions are everybody's unless taken away. The inner ones run inside the outer ones only, as the schema's owner.
revoke execute on function svc.open_ledger_accounts, svc.post_together, svc.post, svc.reserve_together, svc.reserve,
  svc.release, svc.fold_entries from public;
grant execute on function svc.open_ledger_accounts, svc.post, svc.reserve, svc.release, svc.fold_entries to svc_app;
