import type { Queryable, Tx } from '../../db/database.ts'
import { type ClaimOptions, claimWork, requireFence, type WorkTable } from '../../db/work.ts'
import { dueIn } from '../../db/workers/due.ts'
import type { Customer, CustomerStatus } from '../customer.ts'
import { columns } from '../store.ts'

/** Locks the customer until the database transaction ends. */
export async function lockCustomer(tx: Tx, organizationId: string, customerId: string): Promise<Customer | undefined> {
  const [locked] = await tx.query<Customer>({
    name: 'lock customer',
    text: `select ${columns} from svc.customers as customer
            where customer.organization_id = $1 and customer.customer_id = $2 for no key update`,
    values: [organizationId, customerId],
  })
  return locked
}

/** Empties the sealed columns and invalidates every hosted link. Undefined when the status changed meanwhile. */
export async function eraseCustomer(
  tx: Tx,
  organizationId: string,
  customerId: string,
  from: readonly CustomerStatus[],
): Promise<Customer | undefined> {
  const [erased] = await tx.query<Customer>({
    name: 'erase customer',
    text: `update svc.customers as customer
              set erased_at = svc.now(), version = version + 1, link_version = link_version + 1,
                  sealed_profile = '', sealed_identity = null, allowed_methods = '{}',
                  external_id = null
            where organization_id = $1 and customer_id = $2 and status = any($3) and erased_at is null
        returning ${columns}`,
    values: [organizationId, customerId, from],
  })
  return erased
}

const erasedBlobs: WorkTable = { table: 'svc.blobs', key: ['organization_id', 'blob_id'], dueBy: 'real time' }
export const dueRemovals = dueIn(erasedBlobs)

export type ClaimedBlob = { organizationId: string; blobId: string; fence: string }

export async function requestRemoval(tx: Tx, organizationId: string, customerId: string): Promise<void> {
  await tx.query({
    name: 'request removal of files',
    text: `update svc.blobs set due_at = clock_timestamp()
            where organization_id = $1 and customer_id = $2 and removed_at is null`,
    values: [organizationId, customerId],
  })
}

export async function claimErasedBlobs(
  database: Queryable,
  options: Pick<ClaimOptions, 'limit' | 'leaseMs'>,
): Promise<ClaimedBlob[]> {
  const rows = await claimWork<{ organization_id: string; blob_id: string }>(database, erasedBlobs, options)
  return rows.map(({ organization_id, blob_id, fence }) => ({
    organizationId: organization_id,
    blobId: blob_id,
    fence,
  }))
}

/** Records that a file is removed. It no longer counts. */
export async function finishRemoval(
  database: Queryable,
  { organizationId, blobId, fence }: ClaimedBlob,
): Promise<void> {
  const finished = await database.query({
    name: 'finish removal of a file',
    text: `with removed as (
             update svc.blobs set removed_at = clock_timestamp(), due_at = null, lease_until = null
              where organization_id = $1 and blob_id = $2 and fence = $3 and removed_at is null
             returning organization_id, blob_id, bytes),
           counted as (
             update svc.blob_totals as total set bytes = total.bytes - removed.bytes
               from removed where total.organization_id = removed.organization_id)
           select blob_id from removed`,
    values: [organizationId, blobId, fence],
  })
  requireFence(finished)
}
