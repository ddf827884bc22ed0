import { openDatabase } from '../../../src/db/database.ts'
import type { TestDatabase } from '../runner/database.ts'

/** Puts a wrong rule into a database of its own, as a negative control: the model must find what it breaks. */
export async function breakRule(database: TestDatabase, statements: readonly string[]): Promise<void> {
  const owner = openDatabase({ connection: database.owner, connections: 1 })
  try {
    for (const text of statements) await owner.query({ text })
  } finally {
    await owner.close()
  }
}

/** A refused return stays owed in full, although its deposit was applied since. Two more guards would stop it. */
export const owesRefusedReturns = [
  `create or replace function svc.why_not_owed(payout svc.payouts) returns text language sql as 'select null::text'`,
  'alter table svc.deposits drop constraint if exists deposits_spent_once',
  `create or replace function svc.open_refunds(of_organization uuid, of_transaction uuid)
   returns table (organization_id uuid, payout_id uuid, deposit_id uuid, deposit_status text, asset text,
     amount numeric, status text, external_reference text, decided_by text)
   language sql stable as $$
     select of_organization, newest.payout_id, newest.deposit_id, deposit.status, newest.asset, newest.amount,
            newest.status, newest.external_reference,
            case when newest.status <> 'REFUSED' then null
                 when deposit.status = 'UNMATCHED' then 'DEPOSIT' else 'TRANSACTION' end
       from (select distinct on (payout.deposit_id) payout.*
               from svc.payouts as payout
              where payout.organization_id = of_organization and payout.transaction_id = of_transaction
                and payout.purpose in ('REFUND', 'RETURN')
              order by payout.deposit_id, payout.payout_id desc) as newest
       left join svc.deposits as deposit
         on deposit.organization_id = of_organization and deposit.deposit_id = newest.deposit_id
      where deposit.status is distinct from 'CREDITED' $$`,
]

/** Everything at a bank or at our own addresses is ours to pay out, less the payouts on their way. */
export const paysFromAllHoldings = [
  'alter table svc.liquidity drop constraint liquidity_not_below_zero',
  `create or replace function svc.choose_payouts(p_organization_ids uuid[], p_payout_ids uuid[])
   returns table (organization_id uuid, payout_id uuid)
   language sql as $$
     select payout.organization_id, payout.payout_id
       from unnest(p_organization_ids, p_payout_ids) as wanted (organization_id, payout_id)
       join svc.payouts as payout using (organization_id, payout_id)
      where not payout.needs_liquidity or payout.amount <= (
              select coalesce(-sum(entry.amount), 0) from svc.entries as entry
                join svc.ledger_accounts as account on account.organization_id = entry.organization_id
                 and account.account_id = entry.account_id
               where account.organization_id = payout.organization_id and account.asset = payout.asset
                 and (account.kind = 'BANK' and account.holder = payout.pays_from
                      or account.kind = payout.pays_from)) - (
              select coalesce(sum(sent.amount), 0) from svc.payouts as sent
               where sent.organization_id = payout.organization_id and sent.asset = payout.asset
                 and sent.pays_from = payout.pays_from and sent.status in ('SENDING', 'SENT')) $$`,
]
