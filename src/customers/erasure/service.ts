import { readClock } from '../../db/business-clock.ts'
import type { Tx } from '../../db/database.ts'
import type { Caller } from '../../lib/caller.ts'
import { notFound, Refusal } from '../../lib/refusal.ts'
import { type CustomerDeps, emit, view } from '../access.ts'
import { writeSearchHashes } from '../list-store.ts'
import type { CustomerView } from '../present.ts'
import type { OpenCustomer } from '../sealed-customer.ts'
import { erasableStatuses, whyNotErase } from './erasure.ts'
import * as store from './store.ts'

/** Erases customers for good. */
export function createErasureService(deps: CustomerDeps) {
  const { database, blobs } = deps
  return {
    /** Destroys the customer's key. A second call changes nothing and answers the same. */
    erase: (tx: Tx, caller: Caller, customer: OpenCustomer): Promise<CustomerView> =>
      eraseCustomer(deps, tx, caller, customer),

    dueRemovals: store.dueRemovals,

    /** Removes files of erased customers, which are unreadable already, to free their space. */
    removeErasedFiles: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimErasedBlobs(database, { limit, leaseMs })
      const failures: unknown[] = []
      for (const blob of claimed) {
        // One failure does not stop the others: the file is retried when its lease ends.
        await blobs
          .remove(blob.blobId)
          .then(() => store.finishRemoval(database, blob))
          .catch((error: unknown) => failures.push(error))
      }
      if (failures.length > 0) throw failures[0]
      return claimed.length
    },
  }
}

async function eraseCustomer(
  deps: CustomerDeps,
  tx: Tx,
  caller: Caller,
  { customer }: OpenCustomer,
): Promise<CustomerView> {
  const { organizationId, customerId, dataKeyId } = customer
  // The lock keeps submissions and moves out between the checks and the erasure.
  const locked = await store.lockCustomer(tx, organizationId, customerId)
  if (!locked) throw notFound()
  const withoutKey: OpenCustomer = { customer: locked, key: undefined, profile: undefined }
  if (locked.erasedAt) return view(deps, withoutKey)
  const { now } = await readClock(tx)
  if (await deps.submissions.hasOpen(tx, organizationId, customerId)) {
    throw new Refusal('CONFLICT', 'A submission of this customer is still under review: erase it after the decision')
  }
  const why = whyNotErase(locked, deps.retentionDays, now) ?? (await findObstacle(deps, tx, locked))
  if (why !== undefined) throw new Refusal('CONFLICT', why)
  const erased = await store.eraseCustomer(tx, organizationId, customerId, erasableStatuses)
  if (!erased) throw new Error(`customer ${customerId} changed while it was locked`)
  await writeSearchHashes(tx, erased, [])
  for (const erase of deps.erasures) await erase(tx, organizationId, customerId)
  await store.requestRemoval(tx, organizationId, customerId)
  const act = { actor: `api_key:${caller.apiKeyId}`, action: 'customer.erased', subjectId: customerId }
  await deps.audit.append(tx, { organizationId, ...act })
  const shown = await emit(deps, tx, 'customer.updated', { ...withoutKey, customer: erased })
  await deps.vault.destroyDataKey(tx, organizationId, dataKeyId)
  return shown
}

async function findObstacle(
  { erasureObstacles }: CustomerDeps,
  tx: Tx,
  { organizationId, customerId }: { organizationId: string; customerId: string },
): Promise<string | undefined> {
  for (const obstacle of erasureObstacles) {
    const why = await obstacle(tx, organizationId, customerId)
    if (why !== undefined) return why
  }
  return undefined
}
