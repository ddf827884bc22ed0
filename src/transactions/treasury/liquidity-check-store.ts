import type { Check } from '../../db/verify.ts'

/** Fees at the addresses of customers, with an account for each wallet: `svc.kind_totals` has their sums. */
const uncollected = `('UNCOLLECTED_FEES', 'UNCOLLECTED_DEVELOPER_FEES')`
/** Accounts of money that was earned, put in, exchanged, spent or lost. The rest is held, or owed to others. */
const other = `('DEVELOPER_FEES', 'FEE_REVENUE', 'FX_POSITION', 'ROUNDING', 'OWN_FUNDS', 'NETWORK_COSTS', 'RECEIVABLES',
                'LOSSES')`

/**
 * Compares liquidity with the ledger: our own money is what we hold less what we owe. All accounts of an asset sum to zero,
 * because each posting does (a check of its own), so the other kinds have that sum too: some accounts for each organization,
 * however many wallets it has. Three kinds of payouts are between the two. A waiting payout is owed and has taken nothing
 * yet. A sent refund has taken liquidity and is still owed. The source of an executed transaction becomes ours when its
 * payout is confirmed; tokens, when they are collected.
 */
export const liquidityChecks: readonly Check[] = [
  {
    isMoney: true,
    isQuick: true,
    name: 'liquidity is what we hold less what we owe',
    sql: `select format('liquidity of %s in organization %s differs by %s from what we hold less what we owe', asset,
                   organization_id, sum(amount)) as violation, organization_id, asset
            from (select organization_id, asset, available + developer_fees - costs - reversed as amount from svc.liquidity
                   union all
                  select organization_id, asset, -posted from svc.ledger_accounts where kind in ${other}
                   union all
                  select organization_id, asset, -posted from svc.kind_totals
                   union all
                  select account.organization_id, account.asset, -entry.amount
                    from svc.unfolded_postings as unfolded
                    join svc.entries as entry on entry.organization_id = unfolded.organization_id
                     and entry.posting_id = unfolded.posting_id and entry.account_sequence is null
                    join svc.ledger_accounts as account on account.organization_id = entry.organization_id
                     and account.account_id = entry.account_id
                   where account.kind in ${other} or account.kind in ${uncollected}
                   union all
                  select organization_id, asset, case purpose when 'PAYOUT' then -amount else amount end
                    from svc.payouts
                   where needs_liquidity and (purpose = 'PAYOUT' and status = 'WAITING'
                                              or purpose <> 'PAYOUT' and status in ('SENDING', 'SENT'))
                   union all
                  select payout.organization_id, transaction.source_asset, transaction.source_amount
                    from svc.payouts as payout
                    join svc.transactions as transaction on transaction.organization_id = payout.organization_id
                     and transaction.transaction_id = payout.transaction_id
                   where payout.purpose = 'PAYOUT' and payout.needs_liquidity
                     and payout.status in ('WAITING', 'SENDING', 'SENT')
                   union all
                  select payout.organization_id, payout.asset, payout.amount
                    from svc.payouts as payout
                   where payout.purpose = 'COLLECT' and payout.status <> 'CONFIRMED'
                     and not exists (
                         select from svc.payouts as later
                          where later.organization_id = payout.organization_id
                            and later.transaction_id = payout.transaction_id and later.purpose = 'COLLECT'
                            and later.payout_id > payout.payout_id)) as counted
           group by organization_id, asset having sum(amount) <> 0`,
  },
  {
    isMoney: true,
    name: 'the totals of uncollected fees are the sums of their accounts',
    sql: `select format('uncollected fees of %s in organization %s differ by %s from their total', asset, organization_id,
                   sum(posted)) as violation, organization_id, asset
            from (select organization_id, kind, asset, posted from svc.ledger_accounts where kind in ${uncollected}
                   union all
                  select organization_id, kind, asset, -posted from svc.kind_totals) as counted
           group by organization_id, kind, asset having sum(posted) <> 0`,
  },
  {
    isMoney: true,
    isQuick: true,
    name: 'the ledger owes the developer fees that our holdings count',
    sql: `select format('developer fees of %s in organization %s: our holdings count %s, the ledger owes %s', asset,
                   organization_id, sum(held), sum(owed)) as violation, organization_id, asset
            from (select organization_id, asset, developer_fees as held, 0 as owed from svc.liquidity
                   union all
                  select organization_id, asset, 0, posted from svc.ledger_accounts where kind = 'DEVELOPER_FEES'
                   union all
                  select account.organization_id, account.asset, 0, entry.amount
                    from svc.unfolded_postings as unfolded
                    join svc.entries as entry on entry.organization_id = unfolded.organization_id
                     and entry.posting_id = unfolded.posting_id and entry.account_sequence is null
                    join svc.ledger_accounts as account on account.organization_id = entry.organization_id
                     and account.account_id = entry.account_id
                   where account.kind = 'DEVELOPER_FEES') as counted
           group by organization_id, asset having sum(held) < 0 or sum(owed) < sum(held)`,
  },
]
