import type { Job } from '../db/work.ts'
import type { VerificationService } from './service.ts'

const batch = 20

/** Advances submissions to their outcome. */
export function verificationJob(verification: VerificationService, leaseMs: number): Job {
  return { name: 'verification', pollMs: 200, runBatch: () => verification.advanceDue(batch, leaseMs) }
}

/** Resumes the submissions that waited for a watch list. */
export function awaitedListJob(verification: VerificationService): Job {
  return { name: 'await watch list', runBatch: () => verification.wakeAwaitingList() }
}
