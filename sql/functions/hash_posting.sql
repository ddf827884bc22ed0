-- Hashes the content of a posting, when it is written and when it is checked.
create or replace function svc.hash_posting(
  organization_id uuid, reference text, fact text, captures text, entries text)
returns bytea language sql stable parallel safe as $$
  select sha256(convert_to(concat_ws(e'\n', organization_id::text, reference, fact, coalesce(captures, ''), entries),
                           'utf8'))
$$;

revoke execute on function svc.hash_posting from public;
grant execute on function svc.hash_posting to svc_app;
