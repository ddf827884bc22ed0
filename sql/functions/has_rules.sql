-- Tells whether rules of these kinds (null: of any) bind one of the organizations: its own, the platform's for it, or the
-- platform's for its parent.
create or replace function svc.has_rules(p_organization_ids uuid[], p_kinds text[])
returns boolean language plpgsql stable as $$
begin
  return exists (select from svc.policy_rules as rule
                  where rule.organization_id = any(p_organization_ids) and rule.ended_at is null
                    and (p_kinds is null or rule.kind = any(p_kinds)))
      or exists (select from svc.organizations as child
                   join svc.policy_rules as rule on rule.organization_id = child.parent_organization_id
                    and rule.owner = 'PLATFORM' and rule.ended_at is null
                    and (p_kinds is null or rule.kind = any(p_kinds))
                  where child.organization_id = any(p_organization_ids));
end $$;

revoke execute on function svc.has_rules from public;
grant execute on function svc.has_rules to svc_app;
