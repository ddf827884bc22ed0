import type { Queryable } from '../../db/database.ts'
import type { Transfer } from './transfer.ts'

/** Reads what the payers of transactions may see: of all watched transactions at once. */
export function readTransfers(database: Queryable, transactionIds: readonly string[]): Promise<Transfer[]> {
  return database.query<Transfer>({
    name: 'read transfers for payers',
    text: `select transaction.organization_id as "organizationId",
                  transaction.transaction_id as "transactionId", transaction.link_version as "linkVersion", transaction.status, transaction.source_asset as asset,
                  transaction.source_method as method, transaction.source_amount::text as amount,
                  transaction.received_amount::text as received, transaction.transfer_instructions as instructions,
                  case when transaction.refund ->> 'status' = 'COMPLETED' and transaction.refund ->> 'referenceId' = ''
                       then 'CREDITED' else transaction.refund ->> 'status' end as "refundStatus", transaction.refund ->> 'amount' as "refundAmount",
                  transaction.expires_at as "expiresAt",
                  (coalesce(held.amount, 0) + coalesce(seen.amount, 0))::text as seen,
                  case when scan.block_number is not null and seen.block_number is not null
                       then (greatest(scan.block_number - seen.block_number, 0) + 1)::text end as confirmations,
                  svc.now() as now
             from svc.transactions as transaction
             left join svc.chain_scans as scan on scan.network = transaction.source_method
             left join lateral (
               select sum(deposit.amount - deposit.covered_amount) as amount from svc.deposits as deposit
                where transaction.status = 'AWAITING_TRANSFER' and deposit.organization_id = transaction.organization_id
                  and deposit.transaction_id = transaction.transaction_id and deposit.status = 'HELD' and deposit.asset = transaction.source_asset
                  and deposit.seen_at < transaction.expires_at) as held on true
             left join lateral (
               select sum(sighting.amount) as amount, max(sighting.block_number) as block_number
                 from (select amount, block_number, asset, is_own, expected_organization_id from svc.sightings
                        where address = transaction.transfer_address and (due_at is not null or state = 'SEEN')
                          and observed_at < transaction.expires_at
                       union all
                       select amount, block_number, asset, is_own, expected_organization_id from svc.sightings
                        where message = transaction.transfer_message and (due_at is not null or state = 'SEEN')
                          and observed_at < transaction.expires_at) as sighting
                where transaction.status = 'AWAITING_TRANSFER' and sighting.asset = transaction.source_asset
                  and not sighting.is_own
                  and sighting.expected_organization_id = transaction.organization_id) as seen on true
            where transaction.transaction_id = any($1) and transaction.transfer_instructions is not null`,
    values: [transactionIds],
  })
}
