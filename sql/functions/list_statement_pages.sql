-- Lists the pages of an account's statements, each with the statement and the day that it belongs to. Banks use the id of a
-- statement again, for each year or for all of them: the closing day tells those apart. A page without a balance belongs
-- to the closing that was recorded nearest to it.
create or replace function svc.list_statement_pages(p_account text)
returns table (bank_file_id uuid, statement_key text, series text, day date, sequence numeric, closing numeric,
  recorded_at timestamptz)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select page.bank_file_id, page.statement_key, concat_ws('@', page.series, stated.day), stated.day, page.sequence,
         page.closing, page.recorded_at
    from svc.bank_statements as page
    cross join lateral (
         select coalesce(page.day, (
                  select other.day from svc.bank_statements as other
                   where other.bank_account_id = p_account and other.series = page.series and other.day is not null
                   order by abs(extract(epoch from other.recorded_at - page.recorded_at)), other.bank_file_id desc
                   limit 1)) as day) as stated
   where page.bank_account_id = p_account
$$;

revoke execute on function svc.list_statement_pages from public;
grant execute on function svc.list_statement_pages to svc_app;
