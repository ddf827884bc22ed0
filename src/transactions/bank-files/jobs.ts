import type { Job } from '../../db/work.ts'
import type { IncomingService } from './incoming/service.ts'

const batch = 20
const pollMs = 500

/** Receives the files of banks. */
export function bankFilesJob(files: IncomingService, leaseMs: number): Job {
  const { due, hasArrivals, receiveDue } = files
  return {
    name: 'bank files',
    pollMs,
    due,
    hasArrivals,
    wakes: 'rail reports',
    runBatch: () => receiveDue(batch, leaseMs),
  }
}
