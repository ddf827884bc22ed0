-- Sums the entries of one kind of account and asset over all postings of these subjects, such as 'deposit:<id>'.
create or replace function svc.sum_postings_of(p_organization_id uuid, p_subjects text[], p_kind text, p_asset text)
returns numeric language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(sum(entry.amount), 0)
    from unnest(p_subjects) as subject (name)
    join svc.postings as posting on posting.organization_id = p_organization_id
     and posting.reference >= subject.name || ':' and posting.reference < subject.name || ';'
    join svc.entries as entry on entry.organization_id = posting.organization_id
     and entry.posting_id = posting.posting_id
    join svc.ledger_accounts as account on account.organization_id = entry.organization_id
     and account.account_id = entry.account_id and account.kind = p_kind and account.asset = p_asset
$$;

revoke execute on function svc.sum_postings_of from public;
grant execute on function svc.sum_postings_of to svc_signer;
