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
import { findOver, type IsOver } from './solana/earlier.ts'
import { findWaiting } from './solana/store.ts'
import { signSolanaTransfers } from './solana/transfers.ts'
import { signTransfers } from './transfers.ts'

export type SigningDeps = {
  database: Database
  environment: Environment
  settings: SigningSettings<EvmNetwork>
  sealingKeys: SealingKeyService
  /** Opens every seed, retired ones included. */
  openSeeds: SeedService['openAll']
  /** Asks the signer's own nodes of Solana about an earlier transaction; undefined without nodes. */
  isOver?: IsOver | undefined
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
  /** Reports why requests are not signed; answers how many have a decision. */
  const report = (decided: readonly { name: string; problem: string | null }[]): number => {
    const refused = decided.flatMap(({ name, problem }) =>
      problem === null ? [] : [`${name} is not signed: ${problem}`],
    )
    if (refused.length > 0) deps.onProblem(refused)
    return decided.length
  }
  const signOnSolana = async (requestIds: readonly string[], over: readonly string[]): Promise<number> => {
    if (requestIds.length === 0) return 0
    const keyring = await openSeals()
    const decided = await database.inTx(async (tx) => {
      await store.lockSigning(tx)
      if (await store.isStopped(tx)) return []
      const solanaDeps = { environment, limits: settings.limits, bounds: settings.solana, keys: solanaKeys }
      return signSolanaTransfers(solanaDeps, tx, keyring, { requestIds, over })
    })
    return report(decided.map(({ transferId, problem }) => ({ name: `transfer ${transferId} on Solana`, problem })))
  }
  return {
    due: store.dueRequests,
    dueOnSolana: store.dueOnSolana,

    /** Decides about a batch of requests for transactions on Solana; answers how many. Its nodes delay no other network. */
    signDueOnSolana: async (): Promise<number> => {
      const { requestIds, repeatedIds, earlier } = await findWaiting(database, batchSize)
      // The nodes are not asked while nothing is signed.
      if (requestIds.length + repeatedIds.length === 0 || (await store.isStopped(database))) return 0
      // Those that need no nodes are not delayed by the others.
      const decided = await signOnSolana(requestIds, [])
      if (repeatedIds.length === 0) return decided
      const over = await findOver(earlier, deps.isOver, deps.onProblem)
      return decided + (await signOnSolana(repeatedIds, over))
    },

    /** Decides about a batch of requests of each kind on EVM networks; answers how many. */
    signDue: async (): Promise<number> => {
      const waiting = await store.hasRequests(database)
      if (!waiting.transfers && !waiting.relays) return 0
      const keyring = await openSeals()
      const { transfers, relays } = await database.inTx(async (tx) => {
        await store.lockSigning(tx)
        if (await store.isStopped(tx)) return { transfers: [], relays: [] }
        const transferDeps = { environment, limits: settings.limits, keys }
        return {
          transfers: waiting.transfers ? await signTransfers(transferDeps, tx, keyring, batchSize) : [],
          relays: waiting.relays ? await signRelays({ environment, gas: settings.gas, keys }, tx, batchSize) : [],
        }
      })
      return report([
        ...transfers.map(({ authorizationId, problem }) => ({ name: `transfer ${authorizationId}`, problem })),
        ...relays.map(({ network, nonce, problem }) => ({ name: `nonce ${nonce} on ${network}`, problem })),
      ])
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
