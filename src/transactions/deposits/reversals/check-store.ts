import type { Check } from '../../../db/verify.ts'

/** Compares what customers owe with the ledger. */
export const reversalChecks: readonly Check[] = [
  {
    isMoney: true,
    isQuick: true,
    name: 'receivables are the reversals that no operator has decided',
    sql: `select format('receivables of %s of customer %s in organization %s differ by %s from the open reversals', asset,
                   customer, organization_id, sum(amount)) as violation, organization_id, asset
            from (select organization_id, asset, customer_id::text as customer, owed_amount as amount
                    from svc.deposit_reversals where status = 'OPEN'
                   union all
                  select organization_id, asset, holder, posted from svc.ledger_accounts where kind = 'RECEIVABLES'
                   union all
                  select account.organization_id, account.asset, account.holder, entry.amount
                    from svc.unfolded_postings as unfolded
                    join svc.entries as entry on entry.organization_id = unfolded.organization_id
                     and entry.posting_id = unfolded.posting_id
                    join svc.ledger_accounts as account on account.organization_id = entry.organization_id
                     and account.account_id = entry.account_id
                   where account.kind = 'RECEIVABLES') as counted
           group by organization_id, asset, customer having sum(amount) <> 0`,
  },
]
