import { type Database, openDatabase } from '../../../src/db/database.ts'
import { startWorker, type Worker } from '../../../src/db/work.ts'
import { sealJob } from '../../../src/signer/jobs.ts'
import { createSealer, type Sealer } from '../../../src/signer/sealer.ts'
import { createSealingKeyService } from '../../../src/signer/sealing-keys.ts'
import { createSeedService } from '../../../src/signer/seeds.ts'
import type { TestDatabase } from '../runner/database.ts'

export const testSignerKey = Buffer.alloc(32, 9)

/** The seals of a running signer, made in the process of the test with the signer's role. */
export type TestSigner = {
  /** Seals everything that is due now. */
  sealAll(): Promise<void>
  /** Seals in the background, as a running signer does. */
  start(): void
  stop(): Promise<void>
  /** The problems that the signer reported. */
  problems: string[]
}

export function makeSigner({ signer }: Pick<TestDatabase, 'signer'>): TestSigner {
  const problems: string[] = []
  let opened: { database: Database; sealer: Sealer } | undefined
  let worker: Worker | undefined
  const open = () => {
    const database = openDatabase({ ...signer, connections: 2 })
    const sealer = createSealer({
      database,
      sealingKeys: createSealingKeyService({ database, signerKey: testSignerKey }),
      openSeeds: createSeedService({ database, signerKey: testSignerKey }).openAll,
      onProblem: (found) => problems.push(...found),
    })
    opened = { database, sealer }
    return opened
  }
  return {
    problems,
    sealAll: async () => {
      const { sealer } = opened ?? open()
      while ((await sealer.sealDue()) > 0);
    },
    start: () => {
      const { sealer } = opened ?? open()
      // A test may take its database away; the signer retries each second.
      worker ??= startWorker([sealJob(sealer)], { onError: () => {} })
    },
    stop: async () => {
      await worker?.stop()
      await opened?.database.close()
      worker = undefined
      opened = undefined
    },
  }
}
