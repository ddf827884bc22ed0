import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../../../src/catalog/currencies.ts'
import { readConfig } from '../../../src/config.ts'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import type { Worker } from '../../../src/db/work.ts'
import { startWorker } from '../../../src/db/workers/worker.ts'
import { sealJob, signerWatchMs, signJobs } from '../../../src/signer/jobs.ts'
import { createSealer, type Sealer } from '../../../src/signer/sealer.ts'
import { createSealingKeyService } from '../../../src/signer/sealing-keys.ts'
import { createSeedService } from '../../../src/signer/seeds.ts'
import { createSigningService, type SigningService } from '../../../src/signer/signing/service.ts'
import { createSignerNodes } from '../../../src/wiring/chains/signer-nodes.ts'
import type { TestDatabase } from '../runner/database.ts'

export const testSignerKey = Buffer.alloc(32, 9)

/** The seals of a running signer, made in the process of the test with the signer's role. */
export type TestSigner = {
  /** Seals all obligations, also those that the signer in the background has in hand. */
  sealAll(): Promise<void>
  /** Decides about all requests for signatures. */
  signAll(): Promise<void>
  /** Seals in the background, as a running signer does. */
  start(): void
  stop(): Promise<void>
  /** The problems that the signer reported. */
  problems: string[]
}

/** An obligation whose destination has no seal yet waits a second. */
const sealPatienceMs = 60_000

/** Counts obligations that a signer will seal: nothing was found wrong with them. */
async function countUnsealed(database: Database): Promise<number> {
  const unsealed = await database.query({
    text: `select from svc.payouts as payout
             left join svc.payment_accounts as account on account.organization_id = payout.organization_id
              and account.payment_account_id = payout.payment_account_id
            where payout.status = 'WAITING' and payout.seal is null and payout.seal_problem is null
              and account.seal_problem is null and coalesce(account.status, 'ACTIVE') = 'ACTIVE'`,
  })
  return unsealed.length
}

export function makeSigner(
  { signer }: Pick<TestDatabase, 'signer'>,
  settings: Record<string, string> = {},
  environment: Environment = 'sandbox',
): TestSigner {
  const problems: string[] = []
  let opened: { database: Database; sealer: Sealer; signing: SigningService; closeNodes(): Promise<void> } | undefined
  let worker: Worker | undefined
  const open = () => {
    const database = openDatabase({ ...signer, connections: 3 })
    const shared = {
      database,
      sealingKeys: createSealingKeyService({ database, signerKey: testSignerKey }),
      openSeeds: createSeedService({ database, signerKey: testSignerKey }).openAll,
      onProblem: (found: readonly string[]) => problems.push(...found),
    }
    const config = readConfig(settings, process.cwd())
    const { isOver, close: closeNodes } = createSignerNodes(config, environment)
    opened = {
      database,
      sealer: createSealer(shared),
      signing: createSigningService({ ...shared, environment, settings: config.signing, isOver }),
      closeNodes,
    }
    return opened
  }
  const start = () => {
    const { database, sealer, signing } = opened ?? open()
    // A test may take its database away; the signer retries each second.
    worker ??= startWorker([sealJob(sealer), ...signJobs(signing)], {
      database,
      watchMs: signerWatchMs,
      onError: () => {},
    })
  }
  return {
    problems,
    sealAll: async () => {
      const { database, sealer } = opened ?? open()
      // A claim passes over the payouts that a background round has just locked, so none may be under way at the end.
      const running = worker
      worker = undefined
      await running?.stop()
      const endsAt = performance.now() + sealPatienceMs
      try {
        do {
          while ((await sealer.sealDue()) > 0);
        } while (performance.now() < endsAt && (await countUnsealed(database)) > 0 && (await sleep(20, true)))
      } finally {
        if (running) start()
      }
    },
    signAll: async () => {
      const { signing } = opened ?? open()
      while ((await signing.signDue()) + (await signing.signDueOnSolana()) > 0);
    },
    start,
    stop: async () => {
      await worker?.stop()
      await opened?.closeNodes()
      await opened?.database.close()
      worker = undefined
      opened = undefined
    },
  }
}
