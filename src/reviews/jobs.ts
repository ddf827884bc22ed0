import type { Job } from '../db/work.ts'
import type { RescreenService } from './rescreen.ts'

/** Small enough to be done well within a lease, large enough that statements are shared. */
const batch = 50

/** Compares customers with a new watch list, a batch at a time. */
export function rescreenJob(rescreening: RescreenService, leaseMs: number): Job {
  return { name: 'rescreen customers', runBatch: () => rescreening.rescreenDue(batch, leaseMs) }
}
