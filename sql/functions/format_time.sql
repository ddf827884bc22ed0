-- Formats a moment as JSON shows it.
create or replace function svc.format_time(p_moment timestamptz) returns text language sql stable as $$
  select to_char(p_moment at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

revoke execute on function svc.format_time from public;
grant execute on function svc.format_time to svc_app;
