import type { Job } from '../db/work.ts'
import type { Sealer } from './sealer.ts'
import type { SignerService } from './service.ts'

/** Short, because an empty pool blocks the creation of wallets. */
const refillPollMs = 200
const checkPollMs = 3_600_000
/** Short, because a payout waits for its seal. */
const sealPollMs = 50

export function refillJob(signer: SignerService): Job {
  return { name: 'refill addresses', pollMs: refillPollMs, runBatch: signer.refill }
}

/** Finds addresses in the free pool that the signer did not derive: money sent there would go to an attacker. */
export function checkAddressesJob(signer: SignerService, onForeign: (violations: string[]) => void): Job {
  return {
    name: 'check addresses',
    pollMs: checkPollMs,
    runBatch: async () => {
      const foreign = await signer.findForeignAddresses()
      if (foreign.length > 0) onForeign(foreign)
      return 0
    },
  }
}

export function sealJob(sealer: Sealer): Job {
  return { name: 'seal', pollMs: sealPollMs, runBatch: sealer.sealDue }
}
