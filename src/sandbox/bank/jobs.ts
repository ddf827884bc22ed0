import type { Job } from '../../db/work.ts'
import type { SandboxBank } from './service.ts'

const pollMs = 200

/** Runs the sandbox's bank. */
export function sandboxBankJob(bank: SandboxBank): Job {
  const { due, hasArrivals, work: runBatch } = bank
  return { name: 'sandbox bank', pollMs, due, hasArrivals, runBatch }
}
