import type { Job } from '../db/work.ts'
import type { VerificationService } from './service.ts'

const batch = 20

/** Advances submissions to their outcome. */
export function verificationJob(verification: VerificationService, leaseMs: number): Job {
  return { name: 'verification', pollMs: 200, runBatch: () => verification.advanceDue(batch, leaseMs) }
}
