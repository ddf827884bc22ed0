import type { Job } from '../../db/work.ts'
import type { IncomingService } from './incoming/service.ts'

const batch = 20
const pollMs = 500

/** Receives the files of banks. */
export function bankFilesJob(files: IncomingService, leaseMs: number): Job {
  return { name: 'bank files', pollMs, wakes: 'rail reports', runBatch: () => files.receiveDue(batch, leaseMs) }
}
