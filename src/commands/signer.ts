import type { Config } from '../config.ts'
import { type Database, openDatabase, signerRole } from '../db/database.ts'
import { claimEnvironment, requireRole } from '../db/deployment.ts'
import { locateDatabase } from '../db/locate.ts'
import { migrate, requireCurrentSchema } from '../db/migrate.ts'
import { startWorker } from '../db/workers/worker.ts'
import type { Logger } from '../http/log.ts'
import { checkAddressesJob, refillJob, sealJob, signerWatchMs, signJobs } from '../signer/jobs.ts'
import { createSealer } from '../signer/sealer.ts'
import { createSealingKeyService, type SealingKeyService } from '../signer/sealing-keys.ts'
import { createSeedService, type SeedService } from '../signer/seeds.ts'
import { openSigner } from '../signer/service.ts'
import { createSigningService } from '../signer/signing/service.ts'
import { createSignerNodes } from '../wiring/chains/signer-nodes.ts'
import { withRunningNodes } from './processes/local-nodes.ts'
import { loadSignerKey } from './secrets.ts'
import type { Running } from './serve.ts'

export type Custody = {
  database: Database
  seedService: SeedService
  sealingKeys: SealingKeyService
  close(): Promise<void>
}

/** Opens the database under the signer's role, for the signer and the custody commands. */
export async function openCustody(config: Config, log: Logger): Promise<Custody> {
  const location = await locateDatabase({
    ...config,
    databaseUrl: config.databaseUrl ?? config.databaseSignerUrl,
    mayShare: true,
    log: (message) => log.info(message),
  })
  const database = openDatabase({
    ...location.signer,
    connections: 3,
    onConnectionLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
    onAnswer: log.databaseAnswers,
  })
  const close = async () => {
    await database.close()
    await location.stop()
  }
  try {
    // As in openApp: no administrator migrates the embedded database.
    if (!config.databaseUrl && !config.databaseSignerUrl) await migrate(location.owner)
    await requireRole(database, signerRole, 'DATABASE_SIGNER_URL')
    await requireCurrentSchema(database)
    await claimEnvironment(database, config.environment)
    const opened = { database, signerKey: await loadSignerKey(config) }
    return { database, seedService: createSeedService(opened), sealingKeys: createSealingKeyService(opened), close }
  } catch (error) {
    await close()
    throw error
  }
}

/** Starts the process that holds the keys. It listens on no port. */
export async function startSigner(config: Config, log: Logger): Promise<Running> {
  const { database, seedService, sealingKeys, close: closeCustody } = await openCustody(config, log)
  const nodes = createSignerNodes(await withRunningNodes(config), config.environment)
  const close = async () => {
    await nodes.close()
    await closeCustody()
  }
  try {
    // In production the operator creates the seeds with "svc custody init" and backs them up first.
    if (config.environment === 'sandbox') await seedService.create('the first start of the sandbox')
    const signer = await openSigner(database, seedService, { poolSize: config.addressPoolSize })
    const onForeign = (sentences: string[]) =>
      log.error(
        { count: sentences.length, first: sentences[0] },
        'addresses in the pool are not derived from the seeds: stop assigning addresses',
      )
    const sealer = createSealer({
      database,
      sealingKeys,
      openSeeds: seedService.openAll,
      onProblem: (problems) =>
        log.error({ count: problems.length, first: problems[0] }, 'payouts or accounts are not what they should be'),
    })
    const signing = createSigningService({
      database,
      environment: config.environment,
      settings: config.signing,
      sealingKeys,
      openSeeds: seedService.openAll,
      isOver: nodes.isOver,
      onProblem: (problems) =>
        log.error({ count: problems.length, first: problems[0] }, 'the signer refuses to sign a payout'),
    })
    const jobs = [refillJob(signer), checkAddressesJob(signer, onForeign), sealJob(sealer), ...signJobs(signing)]
    const worker = startWorker(jobs, {
      database,
      watchMs: signerWatchMs,
      onError: (job, error) => log.error({ err: error, job }, 'a background batch failed and will be retried'),
    })
    log.info('the signer is running')
    // A parent that stops at this moment does not read it.
    if (process.connected) process.send?.('running', undefined, undefined, () => {})
    return { stop: () => worker.stop().then(close) }
  } catch (error) {
    await close()
    throw error
  }
}
