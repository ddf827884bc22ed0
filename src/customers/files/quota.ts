import type { Queryable, Tx } from '../../db/database.ts'
import { Refusal } from '../../lib/refusal.ts'
import { insertBlobs, readFileBytes, type StoredFile } from './store.ts'

/** The bytes of files that an organization can have, and the code of a refusal. */
export type FileQuota = { database: Queryable; mostFileBytes: number; quotaCode?: 'CONFLICT' | 'SERVICE_UNAVAILABLE' }

/** Refuses files that cannot be kept, before they are stored. Concurrent requests may still compete for the rest. */
export async function requireRoomForFiles(quota: FileQuota, organizationId: string, bytes: number): Promise<void> {
  if (bytes === 0) return
  const used = (await readFileBytes(quota.database, [organizationId])).get(organizationId) ?? 0
  if (used + bytes > quota.mostFileBytes) throw quotaReached(quota)
}

/** Records the owner of stored files, so that an erasure removes them. The files of a refused request are orphans. */
export async function keepFiles(
  quota: FileQuota,
  tx: Tx,
  customer: { organizationId: string; customerId: string },
  files: readonly StoredFile[],
): Promise<void> {
  if (!(await insertBlobs(tx, customer, files, quota.mostFileBytes))) throw quotaReached(quota)
}

function quotaReached({ mostFileBytes, quotaCode = 'CONFLICT' }: FileQuota): Refusal {
  return new Refusal(
    quotaCode,
    `An organization can have at most ${mostFileBytes} bytes of files: erase customers first`,
  )
}
