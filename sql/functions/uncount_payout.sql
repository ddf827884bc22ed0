-- Gives the value of an ordered payout that does not leave back to the counters of policies. The caller has locked the
-- payout, and calls once, when it ends.
create or replace function svc.uncount_payout(p_organization_id uuid, p_payout_id uuid)
returns void language plpgsql as $$
begin
  perform svc.give_back(ordered.organization_id, ordered.counter_ids, ordered.counter_subjects, ordered.usd_cents,
                        ordered.ordered_at)
     from svc.ordered_payouts as ordered
    where ordered.organization_id = p_organization_id and ordered.payout_id = p_payout_id;
end $$;

revoke execute on function svc.uncount_payout from public;
grant execute on function svc.uncount_payout to svc_app;
