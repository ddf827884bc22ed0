import type { Queryable, Tx } from '../../db/database.ts'

export type StoredFile = { blobId: string; byteLength: number }

/**
 * Records the owner of stored files and counts their bytes. False when the organization would have more than it may:
 * then nothing is written. The row of the total is locked until the database transaction ends, so that concurrent
 * requests add up. That takes milliseconds; checking the files took far longer.
 */
export async function insertBlobs(
  tx: Tx,
  { organizationId, customerId }: { organizationId: string; customerId: string },
  files: readonly StoredFile[],
  mostBytes: number,
): Promise<boolean> {
  if (files.length === 0) return true
  const inserted = await tx.query({
    name: 'insert blobs',
    text: `with file as (select blob_id, bytes from unnest($3::uuid[], $4::bigint[]) as file (blob_id, bytes)),
           added as (
             insert into svc.blob_totals as total (organization_id, bytes)
             select $1, sum(bytes) from file having sum(bytes) <= $5
                 on conflict (organization_id) do update set bytes = total.bytes + excluded.bytes
              where total.bytes + excluded.bytes <= $5
             returning organization_id)
           insert into svc.blobs (organization_id, customer_id, blob_id, bytes)
           select organization_id, $2, blob_id, bytes from added cross join file returning blob_id`,
    values: [
      organizationId,
      customerId,
      files.map(({ blobId }) => blobId),
      files.map(({ byteLength }) => byteLength),
      mostBytes,
    ],
  })
  return inserted.length > 0
}

/** Makes files due for removal. They count until they are removed. */
export async function releaseBlobs(tx: Tx, organizationId: string, blobIds: readonly string[]): Promise<void> {
  if (blobIds.length === 0) return
  await tx.query({
    name: 'release blobs',
    text: `update svc.blobs set due_at = clock_timestamp()
            where organization_id = $1 and blob_id = any($2) and removed_at is null`,
    values: [organizationId, blobIds],
  })
}

/** Finds which of these files have a row. */
export async function findOwnedBlobs(database: Queryable, blobIds: readonly string[]): Promise<Set<string>> {
  const rows = await database.query<{ blobId: string }>({
    name: 'find owned blobs',
    text: `select blob_id as "blobId" from svc.blobs where blob_id = any($1)`,
    values: [blobIds],
  })
  return new Set(rows.map((row) => row.blobId))
}

/** Reads the bytes of files that each organization has. One without files has no row. */
export async function readFileBytes(
  database: Queryable,
  organizationIds: readonly string[],
): Promise<Map<string, number>> {
  const totals = await database.query<{ organizationId: string; bytes: string }>({
    name: 'read blob totals',
    text: `select organization_id as "organizationId", bytes from svc.blob_totals where organization_id = any($1)`,
    values: [organizationIds],
  })
  return new Map(totals.map(({ organizationId, bytes }) => [organizationId, Number(bytes)]))
}
