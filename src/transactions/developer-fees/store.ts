import type { Asset } from '../../catalog/currencies.ts'
import type { Queryable, Tx } from '../../db/database.ts'

/** The customer that stands for an organization: its accounts receive the developer fees of the organization. */
export type FeeReceiver = { organizationId: string; customerId: string }

/** Locks the receiver of an organization against another change, and finds who it is; undefined before the first. */
export async function findReceiverBefore(tx: Tx, organizationId: string): Promise<string | undefined> {
  await tx.query({
    name: 'lock changes of fee receiver',
    text: 'select pg_advisory_xact_lock(hashtextextended($1, 0))',
    values: [`fee receiver of ${organizationId}`],
  })
  return (await readReceivers(tx, [organizationId]))[0]?.customerId
}

/** Names the receiver, and approves the accounts that it has by now, with the coordinates that they have by now. */
export async function setReceiver(tx: Tx, { organizationId, customerId }: FeeReceiver): Promise<void> {
  await tx.query({
    name: 'set fee receiver',
    text: `with receiver as (
             insert into svc.fee_receivers (organization_id, customer_id, set_at) values ($1, $2, svc.now())
                 on conflict (organization_id) do update set customer_id = excluded.customer_id, set_at = excluded.set_at)
           insert into svc.fee_accounts (organization_id, payment_account_id, details_version)
           select organization_id, payment_account_id, details_version from svc.payment_accounts
            where organization_id = $1 and customer_id = $2 and created_at is not null
               on conflict (organization_id, payment_account_id) do update set details_version = excluded.details_version`,
    values: [organizationId, customerId],
  })
}

export function readReceivers(database: Queryable, organizationIds: readonly string[]): Promise<FeeReceiver[]> {
  return database.query<FeeReceiver>({
    name: 'read fee receivers',
    text: `select organization_id as "organizationId", customer_id as "customerId" from svc.fee_receivers
            where organization_id = any($1) order by organization_id`,
    values: [organizationIds],
  })
}

/** Locks the receiver of an organization until the database transaction ends: its payouts of fees are made one by one. */
export async function lockReceiver(tx: Tx, organizationId: string): Promise<void> {
  await tx.query({
    name: 'lock fee receiver',
    text: 'select from svc.fee_receivers where organization_id = $1 for no key update',
    values: [organizationId],
  })
}

type Payee = FeeReceiver & { isApproved: boolean }

/**
 * Finds the customer of an account, and whether the account may receive fees: it is the receiver's own, and had its present
 * coordinates when the receiver was named last.
 */
export async function findPayee(
  database: Queryable,
  organizationIds: readonly string[],
  paymentAccountId: string,
): Promise<Payee | undefined> {
  const [found] = await database.query<Payee>({
    name: 'find payee of developer fees',
    text: `select organization_id as "organizationId", customer_id as "customerId",
                  not is_third_party and exists (
                    select from svc.fee_receivers as receiver join svc.fee_accounts as approved using (organization_id)
                     where receiver.organization_id = account.organization_id
                       and receiver.customer_id = account.customer_id
                       and approved.payment_account_id = account.payment_account_id
                       and approved.details_version = account.details_version) as "isApproved"
             from svc.payment_accounts as account
            where organization_id = any($1) and payment_account_id = $2`,
    values: [organizationIds, paymentAccountId],
  })
  return found
}

export type CollectedFees = { asset: Asset; holding: string; amount: string }

/** Reads the fees that are collected, by holding, the largest first. The others are still at customers' addresses. */
export function readCollected(database: Queryable, organizationId: string): Promise<CollectedFees[]> {
  return database.query<CollectedFees>({
    name: 'read collected developer fees',
    text: `select asset, holding, developer_fees as amount from svc.liquidity
            where organization_id = $1 and developer_fees > 0 order by asset, developer_fees desc, holding`,
    values: [organizationId],
  })
}

/**
 * Reads by asset the fees that money of reversed deposits paid, which were not recovered, and of recalled ones. Payouts leave
 * this sum, also when the fees themselves were paid out before.
 */
export async function readWithheld(database: Queryable, organizationId: string): Promise<Map<string, bigint>> {
  const rows = await database.query<{ asset: string; amount: string }>({
    name: 'read withheld developer fees',
    text: `select asset, amount::text as amount from svc.withheld_fees($1, array['OPEN', 'WRITTEN_OFF'])`,
    values: [organizationId],
  })
  return new Map(rows.map(({ asset, amount }) => [asset, BigInt(amount)]))
}

/** Finds the ledger account of an organization's fees in an asset. */
export async function findFeeAccount(tx: Tx, organizationId: string, asset: Asset): Promise<string | undefined> {
  const [found] = await tx.query<{ accountId: string }>({
    name: 'find account of developer fees',
    text: `select account_id as "accountId" from svc.ledger_accounts
            where organization_id = $1 and kind = 'DEVELOPER_FEES' and holder = '' and asset = $2`,
    values: [organizationId, asset],
  })
  return found?.accountId
}
