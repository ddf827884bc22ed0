import type { Asset } from '../../../src/catalog/currencies.ts'
import type { Queryable } from '../../../src/db/database.ts'

/** Money that the ledger keeps for a customer, in smallest units, by the deposit, transaction or account it belongs to. */
export type Kept = { kind: string; subject: string; customerId: string; asset: string; amount: string }
/** Money that we hold at a bank, at our own addresses or at customers' addresses. */
export type Held = { organizationId: string; kind: string; holder: string; asset: string; amount: string }

export type StoredTransaction = {
  transactionId: string
  customerId: string
  organizationId: string
  status: string
  step: string
  version: number
  sourceAsset: Asset
  sourceAmount: string
  destinationAsset: Asset
  destinationAmount: string
  exchangeRate: string
  fees: string
  isDirect: boolean
  refund: string | null
  repayment: string | null
}
export type StoredDeposit = {
  depositId: string
  externalId: string
  customerId: string | null
  transactionId: string | null
  asset: string
  amount: string
  appliedAmount: string
  status: string
  version: number
}
export type StoredPayout = {
  payoutId: string
  organizationId: string
  customerId: string
  transactionId: string | null
  depositId: string | null
  purpose: string
  status: string
  asset: string
  amount: string
  isFromWallet: boolean
}

/** Everything that the service knows about the money of some organizations, read in one statement. */
export type Books = {
  transactions: StoredTransaction[]
  deposits: StoredDeposit[]
  payouts: StoredPayout[]
  /** Sightings that have no deposit yet, and quarantined ones. */
  due: { externalId: string; isQuarantined: boolean }[]
  quarantined: { quarantineId: string; externalId: string }[]
  kept: Kept[]
  held: Held[]
  /** Deleted payment accounts. */
  closed: string[]
  reserves: number
  postings: number
}

const text = `
  with booked as (
         select account.organization_id, account.kind, account.holder, account.asset, entry.amount, posting.reference
           from svc.entries as entry
           join svc.ledger_accounts as account on account.organization_id = entry.organization_id
            and account.account_id = entry.account_id
           join svc.postings as posting on posting.organization_id = entry.organization_id
            and posting.posting_id = entry.posting_id
          where entry.organization_id = any($1)),
       subjects as (
         select booked.kind, booked.asset, booked.amount,
                case when booked.kind in ('WALLET', 'RETURNED_FUNDS') then booked.holder
                     when booked.kind = 'CLEARING' then coalesce(deposit.transaction_id::text, split_part(reference, ':', 2))
                     else split_part(reference, ':', 2) end as subject
           from booked
           left join svc.deposits as deposit on deposit.organization_id = booked.organization_id
            and booked.reference like 'deposit:%' and deposit.deposit_id::text = split_part(booked.reference, ':', 2)
          where booked.kind in ('WALLET', 'RETURNED_FUNDS', 'SUSPENSE', 'CLEARING')),
       owners as (
         select payment_account_id::text as subject, customer_id from svc.payment_accounts where organization_id = any($1)
          union all select customer_id::text, customer_id from svc.customers where organization_id = any($1)
          union all select transaction_id::text, customer_id from svc.transactions where organization_id = any($1)
          union all select deposit_id::text, customer_id from svc.deposits where organization_id = any($1))
  select (select coalesce(json_agg(json_build_object(
                   'transactionId', transaction_id, 'customerId', customer_id, 'organizationId', organization_id,
                   'status', status, 'step', step, 'version', version,
                   'sourceAsset', source_asset, 'sourceAmount', source_amount::text,
                   'destinationAsset', destination_asset, 'destinationAmount', destination_amount::text,
                   'exchangeRate', exchange_rate, 'fees', (svc_fee + developer_fee)::text,
                   'isDirect', is_from_wallet and source_asset = destination_asset,
                   'refund', refund ->> 'status', 'repayment', repayment ->> 'status') order by transaction_id), '[]')
            from svc.transactions where organization_id = any($1)) as transactions,
         (select coalesce(json_agg(json_build_object(
                   'depositId', deposit_id, 'externalId', external_id, 'customerId', customer_id,
                   'transactionId', transaction_id, 'asset', asset, 'amount', amount::text,
                   'appliedAmount', applied_amount::text, 'status', status, 'version', version) order by deposit_id), '[]')
            from svc.deposits where organization_id = any($1)) as deposits,
         (select coalesce(json_agg(json_build_object(
                   'payoutId', payout_id, 'organizationId', organization_id, 'customerId', customer_id,
                   'transactionId', transaction_id, 'depositId', deposit_id, 'purpose', purpose, 'status', status,
                   'asset', asset, 'amount', amount::text, 'isFromWallet', from_wallet_id is not null)
                   order by payout_id), '[]')
            from svc.payouts where organization_id = any($1)) as payouts,
         (select coalesce(json_agg(json_build_object('externalId', external_id, 'isQuarantined', is_quarantined)
                   order by external_id), '[]')
            from (select external_id, false as is_quarantined from svc.sightings
                   where due_at is not null and external_id like $2 || '%'
                   union all select external_id, true from svc.quarantined_sightings
                   where status = 'OPEN' and external_id like $2 || '%') as due) as due,
         (select coalesce(json_agg(json_build_object('quarantineId', quarantine_id, 'externalId', external_id)
                   order by quarantine_id), '[]')
            from svc.quarantined_sightings where status = 'OPEN' and external_id like $2 || '%') as quarantined,
         (select coalesce(json_agg(kept order by kind, subject, asset), '[]')
            from (select kind, subject, owners.customer_id as "customerId", asset, sum(amount)::text as amount
                    from subjects left join owners using (subject)
                   group by kind, subject, owners.customer_id, asset having sum(amount) <> 0) as kept) as kept,
         (select coalesce(json_agg(held order by "organizationId", kind, holder, asset), '[]')
            from (select organization_id as "organizationId", kind, holder, asset, (-sum(amount))::text as amount
                    from booked where kind in ('BANK', 'TREASURY', 'CUSTODY')
                   group by organization_id, kind, holder, asset) as held) as held,
         (select coalesce(json_agg(payment_account_id order by payment_account_id), '[]') from svc.payment_accounts
           where organization_id = any($1) and status = 'DEACTIVATED') as closed,
         (select count(*)::int from svc.reserves where organization_id = any($1) and status = 'OPEN') as reserves,
         (select count(*)::int from svc.postings where organization_id = any($1)) as postings`

/** Reads the books of these organizations, and the sightings whose references begin with the prefix. */
export async function readBooks(
  database: Queryable,
  organizationIds: readonly string[],
  prefix: string,
): Promise<Books> {
  const [books] = await database.query<Books>({ name: 'read books', text, values: [organizationIds, prefix] })
  if (!books) throw new Error('the database returned no row')
  return books
}
