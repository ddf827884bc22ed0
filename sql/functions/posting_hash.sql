-- The content of a posting as one hash. The same function makes it when the posting is written and when it is checked.
create or replace function svc.posting_hash(
  organization_id uuid, reference text, fact text, captures text, entries text)
returns bytea language sql stable parallel safe as $$
  select sha256(convert_to(concat_ws(e'\n', organization_id::text, reference, fact, coalesce(captures, ''), entries),
                           'utf8'))
$$;

revoke execute on function svc.posting_hash from public;
grant execute on function svc.posting_hash to svc_app;
