import type { Database, Tx } from '../db/database.ts'
import { openBytes, sealBytes } from '../encryption/seal.ts'
import { newId } from '../lib/ids.ts'
import type { Keyring } from './derivation.ts'
import * as seeds from './seed.ts'
import * as store from './store.ts'

/** A seed, opened: its keys, and the name of what they were derived from. */
export type OpenSeed = { seedId: string; purpose: seeds.SeedPurpose; keyring: Keyring }
export type Entropies = Record<seeds.SeedPurpose, Buffer>
export type SeedKeeper = ReturnType<typeof createSeedKeeper>

/** The seeds at rest: made or imported once, sealed with the signer's key, replaced only while nobody relies on them. */
export function createSeedKeeper(database: Database, signerKey: Buffer) {
  const signerKeyId = seeds.nameSignerKey(signerKey)
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
    /** Makes what is missing, at random; says what it made. Two at once make each seed once. */
    create: (actor: string): Promise<seeds.SeedPurpose[]> =>
      database.inTx(async (tx) => {
        const made: seeds.SeedPurpose[] = []
        for (const purpose of seeds.seedPurposes) {
          if ((await store.lockSeed(tx, purpose)) !== undefined) continue
          const seed = seal(newId(), purpose, seeds.createEntropy())
          if (!(await store.insertSeed(tx, seed))) continue
          await record(tx, 'CREATED', seed.seedId, actor)
          made.push(purpose)
        }
        return made
      }),
    /** Puts these seeds into use, both or neither. */
    restore: (entropies: Entropies, actor: string): Promise<Record<seeds.SeedPurpose, 'IMPORTED' | 'RESEALED'>> =>
      database.inTx(async (tx) => ({
        WALLETS: await restoreOne(tx, (seedId) => seal(seedId, 'WALLETS', entropies.WALLETS), actor),
        SERVICE: await restoreOne(tx, (seedId) => seal(seedId, 'SERVICE', entropies.SERVICE), actor),
      })),
    /** Every seed there ever was, in the clear. That it was shown is written down first. */
    reveal: (actor: string): Promise<(store.StoredSeed & { entropy: Buffer })[]> =>
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
        throw new Error('There are no seeds yet. Run "svc custody init", or "svc custody import" with a backup.')
      }
      return { WALLETS: open('WALLETS'), SERVICE: open('SERVICE') }
    },
  }
}

/**
 * The seed that is in use already is sealed anew, which is also how a lost or leaked signer key is replaced. Another one
 * takes its place only while no customer has an address of the old one: what is paid to such an address must be spendable
 * by the seed in use, for ever.
 */
async function restoreOne(
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
      `The ${wanted.purpose} phrase was used here before, for another purpose or time. Nothing was changed.`,
    )
  if (inUseId !== undefined) {
    // First retire, then count: from here on nobody can take a free one, and whoever was about to has finished.
    await store.retireSeed(tx, inUseId)
    const taken = await store.countTaken(tx, inUseId)
    if (taken > 0)
      throw new Error(
        `Customers have ${taken} addresses of the seed in use. It cannot be replaced; nothing was changed.`,
      )
    await record(tx, 'RETIRED', inUseId, actor)
  }
  if (!(await store.insertSeed(tx, wanted))) throw new Error('Somebody else made a seed just now. Try again.')
  await record(tx, 'IMPORTED', wanted.seedId, actor)
  return 'IMPORTED'
}

function record(tx: Tx, act: store.CustodyAct, seedId: string, actor: string): Promise<void> {
  return store.recordAct(tx, { actId: newId(), act, seedId, actor })
}

/** What a sealed seed is bound to: it opens in its own row and for its own purpose only. */
function describeSeed(seedId: string, purpose: seeds.SeedPurpose): string {
  return `svc signer seed\n${purpose}\n${seedId}`
}
