import type { Job } from '../db/work.ts'
import type { VerificationService } from './service.ts'

const batch = 20

/** Advances submissions to their outcome. */
export function verificationJob(verification: VerificationService, leaseMs: number): Job {
  const { due, advanceDue } = verification
  return { name: 'verification', pollMs: 200, due, runBatch: () => advanceDue(batch, leaseMs) }
}

/** Resumes the submissions that waited for a watch list. */
export function awaitedListJob(verification: VerificationService): Job {
  const { hasAwaitingList: due, wakeAwaitingList: runBatch } = verification
  return { name: 'await watch list', due, runBatch }
}
