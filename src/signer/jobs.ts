import type { Job } from '../db/work.ts'
import type { SignerService } from './service.ts'

/** Looked at often: while the pool is empty, nobody can be given a wallet. */
const refillPollMs = 200
const checkPollMs = 3_600_000

export function refillJob(signer: SignerService): Job {
  return { name: 'refill addresses', pollMs: refillPollMs, runBatch: signer.refill }
}

/** An address that the signer did not derive would be paid to somebody else, so it must not lie in the pool unseen. */
export function checkAddressesJob(signer: SignerService, onForeign: (sentences: string[]) => void): Job {
  return {
    name: 'check addresses',
    pollMs: checkPollMs,
    runBatch: async () => {
      const foreign = await signer.findForeign()
      if (foreign.length > 0) onForeign(foreign)
      return 0
    },
  }
}
