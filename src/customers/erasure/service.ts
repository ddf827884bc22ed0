import { readClock } from '../../db/business-clock.ts'
import type { Queryable } from '../../db/database.ts'
import type { Caller } from '../../lib/caller.ts'
import { notFound, Refusal } from '../../lib/refusal.ts'
import { type CustomerOptions, emit, view } from '../access.ts'
import type { CustomerView } from '../present.ts'
import type { OpenCustomer } from '../sealed-customer.ts'
import { erasableStatuses, whyNotErase } from './erasure.ts'
import * as store from './store.ts'

/** Forgets customers, for good. */
export function makeErasing(options: CustomerOptions) {
  const { database, blobs } = options
  return {
    /** Destroys the customer's key. Done twice, the second time changes nothing and answers the same. */
    erase: (transaction: Queryable, caller: Caller, customer: OpenCustomer): Promise<CustomerView> =>
      eraseCustomer(options, transaction, caller, customer),

    /** Removes files of erased customers. Their key is gone already: this frees the room they take. */
    removeErasedFiles: async (limit: number, leaseMs: number): Promise<number> => {
      const claimed = await store.claimErasedBlobs(database, { limit, leaseMs })
      const failures: unknown[] = []
      for (const blob of claimed) {
        // One that cannot be removed keeps back no other: it comes again when its lease ends.
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
  options: CustomerOptions,
  transaction: Queryable,
  caller: Caller,
  { row }: OpenCustomer,
): Promise<CustomerView> {
  const { organizationId, customerId, dataKeyId } = row
  // Held from here on: neither a submission nor a move can come between the look and the deed.
  const held = await store.holdCustomer(transaction, organizationId, customerId)
  if (!held) throw notFound()
  const forgotten: OpenCustomer = { row: held, key: undefined, profile: undefined }
  if (held.erasedAt) return view(options, forgotten)
  const { now } = await readClock(transaction)
  if (await store.hasOpenSubmission(transaction, organizationId, customerId)) {
    throw new Refusal('CONFLICT', 'What this customer submitted is still being reviewed')
  }
  const why = whyNotErase(held, options.retentionDays, now) ?? (await findObstacle(options, transaction, held))
  if (why !== undefined) throw new Refusal('CONFLICT', why)
  const erased = await store.eraseCustomer(transaction, organizationId, customerId, erasableStatuses)
  if (!erased) throw new Error(`customer ${customerId} changed while it was held`)
  await store.forgetMarks(transaction, organizationId, customerId)
  await store.forgetHits(transaction, organizationId, customerId)
  await store.requestRemoval(transaction, organizationId, customerId)
  const act = { actor: `api_key:${caller.apiKeyId}`, action: 'customer.erased', subjectId: customerId }
  await options.audit.append(transaction, { organizationId, ...act })
  const shown = await emit(options, transaction, 'customer.updated', { ...forgotten, row: erased })
  await options.vault.destroyDataKey(transaction, organizationId, dataKeyId)
  return shown
}

async function findObstacle(
  { erasureObstacles }: CustomerOptions,
  transaction: Queryable,
  { organizationId, customerId }: { organizationId: string; customerId: string },
): Promise<string | undefined> {
  for (const obstacle of erasureObstacles) {
    const why = await obstacle(transaction, organizationId, customerId)
    if (why !== undefined) return why
  }
  return undefined
}
