-- Tells whether the moment lies in the rule's quiet hours. Hours that pass midnight belong to the day on which they begin;
-- equal times mean the whole day. In a time zone that this database does not know (another server may have had it when the
-- rule was set) every moment is quiet: the rule holds back its own organization's payments, and no others.
create or replace function svc.is_quiet(p_rule svc.policy_rules, p_moment timestamptz)
returns boolean language plpgsql stable as $$
declare
  local_time timestamp;
  at time;
  -- In the part after midnight of hours that began the day before.
  is_after_midnight boolean;
  begun_on integer;
begin
  begin
    local_time := p_moment at time zone p_rule.time_zone;
  exception when invalid_parameter_value then
    return true;
  end;
  at := local_time::time;
  is_after_midnight := p_rule.quiet_from >= p_rule.quiet_to and at < p_rule.quiet_to;
  begun_on := extract(isodow from local_time - case when is_after_midnight then interval '1 day' else interval '0' end);
  return (is_after_midnight or at >= p_rule.quiet_from and (p_rule.quiet_from >= p_rule.quiet_to or at < p_rule.quiet_to))
     and coalesce(begun_on = any(p_rule.quiet_days), true);
end $$;

revoke execute on function svc.is_quiet from public;
grant execute on function svc.is_quiet to svc_app;
