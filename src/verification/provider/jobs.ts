import type { Job } from '../../db/work.ts'
import type { ProviderService } from './service.ts'

/** Each request holds one document at a time in memory. */
const batch = 4

/** Sends handed-over submissions to the provider and polls its answers. */
export function providerJob(provider: ProviderService, leaseMs: number): Job {
  const { due, advanceDue } = provider
  return { name: 'verification provider', pollMs: 250, due, runBatch: () => advanceDue(batch, leaseMs) }
}
