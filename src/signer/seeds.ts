import type { Database, Tx } from '../db/database.ts'
import { openBytes, sealBytes } from '../encryption/seal.ts'
import { newId } from '../lib/ids.ts'
import type { Keyring } from './derivation.ts'
import * as seeds from './seed.ts'
import * as store from './store.ts'

/** An opened seed with its keys. */
export type OpenSeed = { seedId: string; purpose: seeds.SeedPurpose; keyring: Keyring }
export type Entropies = Record<seeds.SeedPurpose, Buffer>
export type SeedService = ReturnType<typeof createSeedService>

/** Stores the seeds, sealed with the signer's key. A seed is replaced only while no customer has an address of it. */
export function createSeedService({ database, signerKey }: { database: Database; signerKey: Buffer }) {
  const signerKeyId = seeds.computeSignerKeyId(signerKey)
  const seal = (seedId: string, purpose: seeds.SeedPurpose, entropy: Buffer): store.NewSeed => ({
    seedId,
    purpose,
    signerKeyId,
    sealedEntropy: sealBytes(signerKey, entropy, describeSeed(seedId, purpose)),
    fingerprint: seeds.fingerprintOf(seeds.openEntropy(entropy)),
  })
  const unseal = (seed: store.StoredSeed): Buffer => {
    if (seed.signerKeyId !== signerKeyId) {
      throw new Error(
        `The seeds are sealed with the signer key ${seed.signerKeyId}, which this process was not given. Set ` +
          'SVC_SIGNER_KEY to it; if it is lost, "svc custody import" seals the phrases of your backup with the key you have.',
      )
    }
    return openBytes(signerKey, seed.sealedEntropy, describeSeed(seed.seedId, seed.purpose))
  }
  const openKeys = (seed: store.StoredSeed): OpenSeed => {
    const entropy = unseal(seed)
    const keyring = seeds.openEntropy(entropy)
    entropy.fill(0)
    return { seedId: seed.seedId, purpose: seed.purpose, keyring }
  }
  return {
    /** Creates missing seeds at random, and answers their purposes. Concurrent calls create each seed once. */
    create: (actor: string): Promise<seeds.SeedPurpose[]> =>
      database.inTx(async (tx) => {
        const created: seeds.SeedPurpose[] = []
        for (const purpose of seeds.seedPurposes) {
          if ((await store.lockSeed(tx, purpose)) !== undefined) continue
          const seed = seal(newId(), purpose, seeds.createEntropy())
          if (!(await store.insertSeed(tx, seed))) continue
          await record(tx, 'CREATED', seed.seedId, actor)
          created.push(purpose)
        }
        return created
      }),
    /** Restores both seeds from a backup, or neither. */
    restore: (entropies: Entropies, actor: string): Promise<Record<seeds.SeedPurpose, 'IMPORTED' | 'RESEALED'>> =>
      database.inTx(async (tx) => ({
        WALLETS: await restoreSeed(tx, (seedId) => seal(seedId, 'WALLETS', entropies.WALLETS), actor),
        SERVICE: await restoreSeed(tx, (seedId) => seal(seedId, 'SERVICE', entropies.SERVICE), actor),
      })),
    /** Exports every seed in clear text, retired ones included, and records the export. */
    exportAll: (actor: string): Promise<(store.StoredSeed & { entropy: Buffer })[]> =>
      database.inTx(async (tx) => {
        const opened = (await store.readSeeds(tx)).map((seed) => ({ ...seed, entropy: unseal(seed) }))
        for (const { seedId } of opened) await record(tx, 'EXPORTED', seedId, actor)
        return opened
      }),
    openAll: async (): Promise<OpenSeed[]> => (await store.readSeeds(database)).map(openKeys),
    openInUse: async (): Promise<Record<seeds.SeedPurpose, OpenSeed>> => {
      const inUse = (await store.readSeeds(database)).filter((seed) => seed.retiredAt === null)
      const open = (purpose: seeds.SeedPurpose): OpenSeed => {
        const seed = inUse.find((each) => each.purpose === purpose)
        if (seed) return openKeys(seed)
        throw new Error('There are no seeds. Run "svc custody init", or "svc custody import" with a backup.')
      }
      return { WALLETS: open('WALLETS'), SERVICE: open('SERVICE') }
    },
  }
}

/**
 * Restores one seed. The seed in use is resealed, which also replaces a lost or leaked signer key. A different seed
 * replaces it only while no customer has an address of the old one, because the signer must stay able to spend what
 * customers receive there.
 */
async function restoreSeed(
  tx: Tx,
  seal: (seedId: string) => store.NewSeed,
  actor: string,
): Promise<'IMPORTED' | 'RESEALED'> {
  const wanted = seal(newId())
  const inUseId = await store.lockSeed(tx, wanted.purpose)
  const known = (await store.readSeeds(tx)).find((seed) => seed.fingerprint === wanted.fingerprint)
  if (known && known.seedId === inUseId) {
    await store.resealSeed(tx, seal(known.seedId))
    await record(tx, 'RESEALED', known.seedId, actor)
    return 'RESEALED'
  }
  if (known)
    throw new Error(
      `The ${wanted.purpose} phrase was used here before, as a retired or another seed. Nothing was changed.`,
    )
  if (inUseId !== undefined) {
    // Retire first: from then on no request can assign a free address, and earlier requests have finished.
    await store.retireSeed(tx, inUseId)
    const assigned = await store.countAssigned(tx, inUseId)
    if (assigned > 0)
      throw new Error(
        `Customers have ${assigned === 1 ? 'an address' : `${assigned} addresses`} of the seed in use, so it cannot be ` +
          'replaced. Nothing was changed.',
      )
    await record(tx, 'RETIRED', inUseId, actor)
  }
  if (!(await store.insertSeed(tx, wanted)))
    throw new Error('Another process created a seed at the same moment. Run the command again.')
  await record(tx, 'IMPORTED', wanted.seedId, actor)
  return 'IMPORTED'
}

function record(tx: Tx, act: store.CustodyAct, seedId: string, actor: string): Promise<void> {
  return store.recordAct(tx, { actId: newId(), act, seedId, actor })
}

/** Binds a sealed seed to its row and purpose: it opens with no other. */
function describeSeed(seedId: string, purpose: seeds.SeedPurpose): string {
  return `svc signer seed\n${purpose}\n${seedId}`
}
