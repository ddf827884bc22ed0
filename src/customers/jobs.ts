import type { Job } from '../db/work.ts'
import type { CustomerService } from './service.ts'

const batch = 100

/** Removes the files of erased customers. */
export function removalJob(customers: CustomerService, leaseMs: number): Job {
  return {
    name: 'remove erased files',
    due: customers.dueRemovals,
    runBatch: () => customers.removeErasedFiles(batch, leaseMs),
  }
}
