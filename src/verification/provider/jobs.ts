import type { Job } from '../../db/work.ts'
import type { ProviderService } from './service.ts'

/** Each holds one document at a time in memory. */
const batch = 4

/** Sends what was handed over to a provider, and asks for its answers. */
export function providerJob(provider: ProviderService, leaseMs: number): Job {
  return { name: 'verification provider', pollMs: 250, runBatch: () => provider.advanceDue(batch, leaseMs) }
}
