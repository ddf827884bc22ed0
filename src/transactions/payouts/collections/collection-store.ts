import type { Asset } from '../../../catalog/currencies.ts'
import type { Queryable, Tx } from '../../../db/database.ts'
import { newId } from '../../../lib/ids.ts'

/** Tokens that our treasury is owed, from the address of a wallet. */
export type Collection = {
  organizationId: string
  transactionId: string | null
  customerId: string
  purpose: 'COLLECT' | 'SWEEP'
  method: string
  asset: Asset
  amount: string
  developerFees: string
  fromWalletId: string
}

/** Inserts collections; answers those that were not on their way already. */
export async function insertCollections(tx: Tx, wanted: readonly Collection[]): Promise<Collection[]> {
  if (wanted.length === 0) return []
  const collections = wanted.map((each) => ({ ...each, payoutId: newId() }))
  const inserted = await tx.query<{ payoutId: string }>({
    name: 'insert collections',
    text: `with wanted as materialized (
             select organization_id, payout_id, transaction_id, customer_id, purpose, method, asset, amount, developer_fees,
                    from_wallet_id
               from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[],
                                  $8::numeric[], $9::numeric[], $10::uuid[])
               as wanted (organization_id, payout_id, transaction_id, customer_id, purpose, method, asset, amount,
                          developer_fees, from_wallet_id)),
           inserted as (
             insert into svc.payouts (organization_id, payout_id, transaction_id, customer_id, purpose, method, asset,
                    amount, developer_fees, from_wallet_id, held_at, status, created_at)
             select organization_id, payout_id, transaction_id, customer_id, purpose, method, asset, amount,
                    developer_fees, from_wallet_id, 'CUSTODY', 'WAITING', (select svc.now()) from wanted
                 on conflict do nothing returning organization_id, payout_id)
           insert into svc.payout_references (short_reference, payout_id)
           select svc.short_reference(payout_id), payout_id from inserted
        returning payout_id as "payoutId"`,
    values: [
      collections.map(({ organizationId }) => organizationId),
      collections.map(({ payoutId }) => payoutId),
      collections.map(({ transactionId }) => transactionId),
      collections.map(({ customerId }) => customerId),
      collections.map(({ purpose }) => purpose),
      collections.map(({ method }) => method),
      collections.map(({ asset }) => asset),
      collections.map(({ amount }) => amount),
      collections.map(({ developerFees }) => developerFees),
      collections.map(({ fromWalletId }) => fromWalletId),
    ],
  })
  const ids = new Set(inserted.map(({ payoutId }) => payoutId))
  return collections.filter(({ payoutId }) => ids.has(payoutId))
}

/** Locks the collections of an organization until the database transaction ends. */
export async function lockCollections(tx: Tx, organizationId: string): Promise<void> {
  await tx.query({
    name: 'lock collections',
    text: `select pg_advisory_xact_lock(hashtext('svc collections'), hashtext($1))`,
    values: [organizationId],
  })
}

/** Reads collections that a network refused, as they are owed again. */
export function readRefused(database: Queryable, organizationId: string): Promise<Collection[]> {
  return database.query<Collection>({
    text: `select payout.organization_id as "organizationId", transaction_id as "transactionId",
                  customer_id as "customerId", purpose, method, asset, amount, developer_fees as "developerFees",
                  from_wallet_id as "fromWalletId"
             from svc.payouts as payout
            where organization_id = $1 and purpose = 'COLLECT' and status = 'REFUSED'
              and not exists (
                  select from svc.payouts as later
                   where later.organization_id = payout.organization_id and later.purpose = 'COLLECT'
                     and later.transaction_id = payout.transaction_id and later.payout_id > payout.payout_id)`,
    values: [organizationId],
  })
}

/** Reads the customers of wallets from which no sweep of the asset is on its way. */
export function readSweepable(
  tx: Tx,
  organizationId: string,
  wallets: readonly { walletId: string; asset: string }[],
): Promise<{ walletId: string; asset: string; customerId: string }[]> {
  return tx.query({
    name: 'read wallets without a sweep',
    text: `select wallet.payment_account_id as "walletId", wanted.asset, wallet.customer_id as "customerId"
             from unnest($2::uuid[], $3::text[]) as wanted (wallet_id, asset)
             join svc.wallets as wallet on wallet.organization_id = $1 and wallet.payment_account_id = wanted.wallet_id
            where not exists (
                  select from svc.payouts as payout
                   where payout.organization_id = $1 and payout.from_wallet_id = wanted.wallet_id
                     and payout.asset = wanted.asset and payout.purpose = 'SWEEP'
                     and payout.status in ('WAITING', 'SENDING', 'SENT'))`,
    values: [organizationId, wallets.map(({ walletId }) => walletId), wallets.map(({ asset }) => asset)],
  })
}

export type Rebalance = { organizationId: string; payoutId: string; method: string; asset: Asset; amount: bigint }

/** Owes our reserve tokens of our treasury. */
export async function insertRebalance(
  tx: Tx,
  { organizationId, payoutId, method, asset, amount }: Rebalance,
): Promise<void> {
  await tx.query({
    name: 'insert rebalance',
    text: `with named as (
             insert into svc.payout_references (short_reference, payout_id) values (svc.short_reference($2), $2))
           insert into svc.payouts (organization_id, payout_id, purpose, method, asset, amount, pays_from, status,
                  created_at)
           values ($1, $2, 'REBALANCE', $3, $4, $5, 'TREASURY', 'WAITING', svc.now())`,
    values: [organizationId, payoutId, method, asset, amount],
  })
}
