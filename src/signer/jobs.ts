import type { Job } from '../db/work.ts'
import type { Sealer } from './sealer.ts'
import type { SignerService } from './service.ts'
import type { SigningService } from './signing/service.ts'

/** Short, because an empty pool blocks the creation of wallets. */
const refillPollMs = 200
const checkPollMs = 3_600_000
/** The pauses of the signer. They are short, because a payout waits for its seal, and then for its signatures. */
export const signerWatchMs = { busy: 25, alert: 50, idle: 200 }
const sealPollMs = 50
const signPollMs = 50

export function refillJob(signer: SignerService): Job {
  return { name: 'refill addresses', pollMs: refillPollMs, due: signer.due, runBatch: signer.refill }
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
  return { name: 'seal', pollMs: sealPollMs, due: sealer.due, runBatch: sealer.sealDue }
}

/** Signs on EVM networks and on Solana, each in a loop of its own: the nodes of Solana may hang. */
export function signJobs(signing: SigningService): Job[] {
  return [
    { name: 'sign', pollMs: signPollMs, due: signing.due, runBatch: signing.signDue },
    { name: 'sign SOLANA', pollMs: signPollMs, due: signing.dueOnSolana, runBatch: signing.signDueOnSolana },
  ]
}
