import { networkKinds, serviceRoles } from '../catalog/network-kinds.ts'
import type { Database } from '../db/database.ts'
import type { OpenSeed, SeedKeeper } from './seeds.ts'
import * as store from './store.ts'

export type SignerService = Awaited<ReturnType<typeof openSigner>>

/** One transaction's worth, small enough that an empty pool has its first addresses after a fraction of a second. */
const batchSize = 50
const pageSize = 500

/**
 * The only holder of keys. It has no port and takes no request: what it is to do it reads from the database, and what it
 * gives is rows there. Signing, when it comes, is one more job of this kind: read an obligation from the ledger, check it,
 * derive the key, record what was signed. No caller ever says what to sign.
 */
export async function openSigner(database: Database, keeper: SeedKeeper, { poolSize }: { poolSize: number }) {
  let open = await keeper.openInUse()
  const publish = async () => {
    const { seedId, keyring } = open.SERVICE
    for (const kind of networkKinds) {
      for (const [index, role] of serviceRoles.entries()) {
        const { address } = keyring.addressAt(kind, index)
        await store.insertServiceAddress(database, { seedId, kind, role, address })
      }
    }
  }
  await publish()
  return {
    /** Adds a batch of each kind that has too few free addresses, and says how many. */
    refill: async (): Promise<number> => {
      const inUse = await store.readIdsInUse(database)
      if (!inUse.includes(open.WALLETS.seedId) || !inUse.includes(open.SERVICE.seedId)) {
        open = await keeper.openInUse() // somebody has imported others
        await publish()
      }
      let added = 0
      for (const kind of networkKinds) added += await refillKind(database, open.WALLETS, kind, poolSize)
      return added
    },
    /** Derives the free addresses anew and names those that are not ours: somebody wants to be paid in our name. */
    findForeign: () => findForeignAddresses(database, open.WALLETS, { onlyFree: true }),
  }
}

async function refillKind(
  database: Database,
  { seedId, keyring }: OpenSeed,
  kind: (typeof networkKinds)[number],
  poolSize: number,
): Promise<number> {
  if ((await store.countFree(database, seedId, kind)) >= poolSize) return 0
  return database.inTx(async (tx) => {
    // Whoever had to wait here looks again: another signer may have filled the pool, or the seed may have been replaced.
    if ((await store.lockSeed(tx, 'WALLETS')) !== seedId) return 0
    if ((await store.countFree(tx, seedId, kind)) >= poolSize) return 0
    const firstIndex = await store.nextIndex(tx, seedId, kind)
    const derived = Array.from({ length: batchSize }, (_, at) => keyring.addressAt(kind, firstIndex + at))
    await store.insertAddresses(tx, { seedId, kind, firstIndex }, derived)
    return batchSize
  })
}

/** One sentence for each stored address of this seed that the seed does not give. */
export async function findForeignAddresses(
  database: Database,
  { seedId, purpose, keyring }: OpenSeed,
  { onlyFree }: { onlyFree: boolean },
): Promise<string[]> {
  const foreign: string[] = []
  if (purpose === 'SERVICE') {
    for (const { kind, role, address } of await store.readServiceAddresses(database, seedId)) {
      if (keyring.addressAt(kind, serviceRoles.indexOf(role)).address !== address)
        foreign.push(`${kind} ${role} address ${address} does not come from its seed`)
    }
    return foreign
  }
  for (const kind of networkKinds) {
    for (let from = 0, isLast = false; !isLast; ) {
      const page = await store.readAddresses(database, { seedId, kind, from, limit: pageSize, onlyFree })
      for (const { addressIndex, address } of page) {
        if (keyring.addressAt(kind, addressIndex).address !== address)
          foreign.push(`${kind} address ${address} at ${addressIndex} does not come from its seed`)
      }
      isLast = page.length < pageSize
      from = (page.at(-1)?.addressIndex ?? 0) + 1
    }
  }
  return foreign
}
