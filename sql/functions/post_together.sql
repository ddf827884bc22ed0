-- Writes all of these postings. When one of them must be refused, it writes none and raises SV001; a single posting
-- gets its refusal as outcome instead. All callers take locks in one order (references, reserves, accounts, each
-- sorted), so they cannot deadlock. PostgreSQL cannot estimate the length of an array, so tables are read by subqueries
-- and statements for one row each, which use the key at any estimate; and plans are cached (plan_cache_mode of
-- svc.post), because planning takes twice as long as execution.
create or replace function svc.post_together(
  p_organization_ids uuid[], p_posting_ids uuid[], p_references text[], p_facts text[], p_captures text[],
  p_entry_places integer[], p_kinds text[], p_holders text[], p_assets text[], p_amounts numeric[])
returns table (outcome text, posting_id uuid, raised_holders text[], raised_assets text[])
language plpgsql as $$
#variable_conflict use_column
declare
  posting_count constant integer := cardinality(p_posting_ids);
  moment constant timestamptz := svc.now();
  content record;
  change record;
  refusal text;
  claimed integer;
  -- One per entry
  account_ids uuid[];
  -- One per posting that captures
  captured_places integer[] := '{}';
  captured_accounts uuid[] := '{}';
  captured_amounts numeric[] := '{}';
  taken_amounts numeric[];
  -- One per account that keeps a balance, in the order of their ids
  kept_ids uuid[];
  kept_organizations uuid[];
  kept_posted numeric[];
  kept_reserved numeric[];
  kept_counts bigint[];
begin
  content := svc.hash_postings(p_organization_ids, p_references, p_facts, p_captures, p_entry_places, p_kinds,
                               p_holders, p_assets, p_amounts);
  if content.is_unbalanced then
    if posting_count > 1 then raise exception using errcode = 'SV001', message = 'UNBALANCED'; end if;
    return query select 'UNBALANCED', null::uuid, '{}'::text[], '{}'::text[];
    return;
  end if;

  -- The insert claims the references first: another caller with the same reference waits here until this one commits.
  insert into svc.postings (organization_id, posting_id, reference, fact, captures, content_hash, created_at)
  select organization_id, posting_id, reference, fact, captures, content_hash, moment
    from unnest(p_organization_ids, p_posting_ids, p_references, p_facts, p_captures, content.hashes)
         as wanted (organization_id, posting_id, reference, fact, captures, content_hash)
   order by organization_id, reference
      on conflict (organization_id, reference) do nothing;
  get diagnostics claimed = row_count;
  if claimed < posting_count then
    if posting_count > 1 then raise exception using errcode = 'SV001', message = 'REPLAYED'; end if;
    return query select case when content_hash = content.hashes[1] then 'REPLAYED' else 'CONFLICT' end,
                        posting.posting_id, '{}'::text[], '{}'::text[]
                   from svc.postings as posting
                  where organization_id = p_organization_ids[1] and reference = p_references[1];
    return;
  end if;

  account_ids := svc.find_ledger_accounts(p_organization_ids, p_entry_places, p_kinds, p_holders, p_assets);
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

  change := svc.compute_balance_changes(p_entry_places, account_ids, p_kinds, p_holders, p_assets, p_amounts, kept_ids,
                                        kept_posted, kept_reserved, captured_places, captured_accounts,
                                        captured_amounts);
  refusal := coalesce(refusal, change.refusal);
  if refusal is not null then
    if posting_count > 1 then raise exception using errcode = 'SV001', message = refusal; end if;
    -- This database transaction wrote it, so no other caller has seen it.
    delete from svc.postings where organization_id = p_organization_ids[1] and posting_id = p_posting_ids[1];
    return query select refusal, null::uuid, '{}'::text[], '{}'::text[];
    return;
  end if;

  perform svc.write_entries(p_organization_ids, p_posting_ids, p_entry_places, account_ids, p_amounts, kept_ids,
                            kept_posted, kept_counts);
  select array_agg(taken order by number) into taken_amounts
    from (select captured.number, -sum(entry.amount) as taken
            from unnest(captured_places, captured_accounts) with ordinality as captured (place, account_id, number)
            left join unnest(p_entry_places, account_ids, p_amounts) as entry (place, account_id, amount)
                      using (place, account_id)
           group by captured.number) as summed;
  for number in 1..cardinality(captured_places) loop
    update svc.reserves
       set status = 'CAPTURED', posting_id = p_posting_ids[captured_places[number]], resolved_at = moment,
           captured = taken_amounts[number]
     where organization_id = p_organization_ids[captured_places[number]]
       and reference = p_captures[captured_places[number]];
  end loop;
  -- Update balances last, because other callers wait for their rows.
  for number in 1..cardinality(kept_ids) loop
    update svc.ledger_accounts
       set posted = posted + change.changes[number], reserved = reserved - change.freed[number],
           entry_count = entry_count + change.lines[number]
     where organization_id = kept_organizations[number] and account_id = kept_ids[number];
  end loop;

  -- The first posting lists the raised wallets of all of them.
  return query
    select 'POSTED', id, case when place = 1 then change.raised_holders else '{}' end,
           case when place = 1 then change.raised_assets else '{}' end
      from unnest(p_posting_ids) with ordinality as posted (id, place) order by place;
end $$;

revoke execute on function svc.post_together from public;
