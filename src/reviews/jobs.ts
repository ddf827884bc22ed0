import type { Job } from '../db/work.ts'
import type { RescreenService } from './rescreen.ts'

/** Small enough to finish well within a lease, large enough to share statements. */
const batch = 50

/** Re-screens customers against a new watch list, a batch at a time. */
export function rescreenJob(rescreen: RescreenService, leaseMs: number): Job {
  return { name: 'rescreen customers', runBatch: () => rescreen.rescreenDue(batch, leaseMs) }
}
