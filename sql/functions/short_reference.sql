-- Shortens the id of a payout to 15 characters: 14 digits of its hash in base 32, and a check character (ISO 7064, MOD
-- 37,36), which finds every mistyped and every two swapped characters. Banks pass it on where a UUID is too long.
create or replace function svc.short_reference(p_payout_id uuid) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  digits constant text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  alphabet constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  hash constant bytea := sha256(uuid_send(p_payout_id));
  shortened text := '';
  remainder integer := 36;
begin
  for place in 0..13 loop
    -- Each byte of the hash gives one digit.
    shortened := shortened || substr(digits, get_byte(hash, place) % 32 + 1, 1);
    remainder := (remainder + strpos(alphabet, right(shortened, 1)) - 1) % 36;
    remainder := case remainder when 0 then 36 else remainder end * 2 % 37;
  end loop;
  return shortened || substr(alphabet, (37 - remainder) % 36 + 1, 1);
end $$;

revoke execute on function svc.short_reference from public;
grant execute on function svc.short_reference to svc_app, svc_signer;
