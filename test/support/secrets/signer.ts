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
  /** Seals everything that is due now. */
  sealAll(): Promise<void>
  /** Decides about all requests for signatures. */
  signAll(): Promise<void>
  /** Seals in the background, as a running signer does. */
  start(): void
  stop(): Promise<void>
  /** The problems that the signer reported. */
  problems: string[]
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
  return {
    problems,
    sealAll: async () => {
      const { sealer } = opened ?? open()
      while ((await sealer.sealDue()) > 0);
    },
    signAll: async () => {
      const { signing } = opened ?? open()
      while ((await signing.signDue()) + (await signing.signDueOnSolana()) > 0);
    },
    start: () => {
      const { database, sealer, signing } = opened ?? open()
      // A test may take its database away; the signer retries each second.
      worker ??= startWorker([sealJob(sealer), ...signJobs(signing)], {
        database,
        watchMs: signerWatchMs,
        onError: () => {},
      })
    },
    stop: async () => {
      await worker?.stop()
      await opened?.closeNodes()
      await opened?.database.close()
      worker = undefined
      opened = undefined
    },
  }
}
