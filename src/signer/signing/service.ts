import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import type { Environment } from '../../catalog/currencies.ts'
import type { Database } from '../../db/database.ts'
import { newId } from '../../lib/ids.ts'
import type { SigningSettings } from '../../lib/settings/signing.ts'
import type { SealingKeyring, SealingKeyService } from '../sealing-keys.ts'
import type { SeedService } from '../seeds.ts'
import * as store from './authorization-store.ts'
import { createSigningKeys } from './keys.ts'
import { signRelays } from './relays.ts'
import { signSolanaTransfers } from './solana/transfers.ts'
import { signTransfers } from './transfers.ts'

export type SigningDeps = {
  database: Database
  environment: Environment
  settings: SigningSettings<EvmNetwork>
  sealingKeys: SealingKeyService
  /** Opens every seed, retired ones included. */
  openSeeds: SeedService['openAll']
  /** Reports requests that the signer does not sign, one sentence each. */
  onProblem(problems: readonly string[]): void
}

export type SigningService = ReturnType<typeof createSigningService>

const batchSize = 100
/** A retired sealing key is refused within this time. */
const sealsLiveMs = 5_000

/** Signs transfers and the transactions of relayers, a batch in one database transaction, while nothing stops it. */
export function createSigningService(deps: SigningDeps) {
  const { database, environment, settings, sealingKeys } = deps
  const keys = createSigningKeys('EVM', deps.openSeeds)
  const solanaKeys = createSigningKeys('SOLANA', deps.openSeeds)
  let seals: { keyring: SealingKeyring; staleAtMs: number } | undefined
  const openSeals = async (): Promise<SealingKeyring> => {
    if (!seals || performance.now() >= seals.staleAtMs) {
      seals = { keyring: await sealingKeys.open(), staleAtMs: performance.now() + sealsLiveMs }
    }
    return seals.keyring
  }
  return {
    due: store.dueRequests,

    /** Decides about a batch of requests of each kind; answers how many. */
    signDue: async (): Promise<number> => {
      const waiting = await store.hasRequests(database)
      if (!waiting.transfers && !waiting.relays && !waiting.solana) return 0
      const keyring = await openSeals()
      const problems: string[] = []
      const decided = await database.inTx(async (tx) => {
        await store.lockSigning(tx)
        if (await store.isStopped(tx)) return 0
        const transferDeps = { environment, limits: settings.limits, keys }
        const transfers = waiting.transfers ? await signTransfers(transferDeps, tx, keyring, batchSize) : []
        const relays = waiting.relays ? await signRelays({ environment, gas: settings.gas, keys }, tx, batchSize) : []
        const { limits, solana: bounds } = settings
        const solanaDeps = { environment, limits, bounds, keys: solanaKeys }
        const onSolana = waiting.solana ? await signSolanaTransfers(solanaDeps, tx, keyring, batchSize) : []
        for (const { transferId, problem } of onSolana)
          if (problem) problems.push(`transfer ${transferId} on Solana is not signed: ${problem}`)
        for (const { authorizationId, problem } of transfers)
          if (problem) problems.push(`transfer ${authorizationId} is not signed: ${problem}`)
        for (const { network, nonce, problem } of relays)
          if (problem) problems.push(`nonce ${nonce} on ${network} is not signed: ${problem}`)
        return transfers.length + relays.length + onSolana.length
      })
      if (problems.length > 0) deps.onProblem(problems)
      return decided
    },
  }
}

/** Stops all signatures. Once it answers, no signature is written until the stop is resumed. */
export function stopSigning(database: Database, reason: string, actor: string): Promise<void> {
  return database.inTx(async (tx) => {
    await store.lockSigning(tx)
    await store.insertStop(tx, { stopId: newId(), reason, actor })
  })
}

/** Resumes signatures; answers how many stops it ended. */
export function resumeSigning(database: Database, actor: string): Promise<number> {
  return database.inTx((tx) => store.resumeStops(tx, actor))
}
