import { networkKinds, serviceRoles } from '../catalog/network-kinds.ts'
import type { Database } from '../db/database.ts'
import type { OpenSeed, SeedService } from './seeds.ts'
import * as store from './store.ts'

export type SignerService = Awaited<ReturnType<typeof openSigner>>

/** Small, so that an empty pool has its first addresses within a fraction of a second. */
const batchSize = 50
const pageSize = 500

/**
 * Opens the signer, the only holder of keys. It accepts no requests: it reads its work from the database and writes the
 * results there. No caller can choose what the signer signs: signing will be one more such job, which reads an
 * obligation from the ledger, checks it, derives the key and records the signature.
 */
export async function openSigner(database: Database, seedService: SeedService, { poolSize }: { poolSize: number }) {
  let open = await seedService.openInUse()
  const publishServiceAddresses = async () => {
    const { seedId, keyring } = open.SERVICE
    for (const kind of networkKinds) {
      for (const [index, role] of serviceRoles.entries()) {
        const { address } = keyring.addressAt(kind, index)
        await store.insertServiceAddress(database, { seedId, kind, role, address })
      }
    }
  }
  await publishServiceAddresses()
  return {
    due: store.duePool(networkKinds, poolSize),

    /** Adds a batch of addresses for each kind with too few free ones, and answers how many. */
    refill: async (): Promise<number> => {
      const inUse = await store.readSeedIdsInUse(database)
      if (!inUse.includes(open.WALLETS.seedId) || !inUse.includes(open.SERVICE.seedId)) {
        open = await seedService.openInUse() // an operator has imported others
        await publishServiceAddresses()
      }
      let added = 0
      for (const kind of networkKinds) added += await refillKind(database, open.WALLETS, kind, poolSize)
      return added
    },
    /** Re-derives the free addresses and lists those that are not ours. */
    findForeignAddresses: () => findForeignAddresses(database, open.WALLETS, { onlyFree: true }),
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
    // Re-check under the lock: another signer may have filled the pool, or an operator may have replaced the seed.
    if ((await store.lockSeed(tx, 'WALLETS')) !== seedId) return 0
    if ((await store.countFree(tx, seedId, kind)) >= poolSize) return 0
    const firstIndex = await store.readNextIndex(tx, seedId, kind)
    const derived = Array.from({ length: batchSize }, (_, at) => keyring.addressAt(kind, firstIndex + at))
    await store.insertAddresses(tx, { seedId, kind, firstIndex }, derived)
    return batchSize
  })
}

/** Lists the stored addresses of this seed that it does not derive, one sentence each. */
export async function findForeignAddresses(
  database: Database,
  { seedId, purpose, keyring }: OpenSeed,
  { onlyFree }: { onlyFree: boolean },
): Promise<string[]> {
  const foreign: string[] = []
  if (purpose === 'SERVICE') {
    for (const { kind, role, address } of await store.readServiceAddresses(database, seedId)) {
      if (keyring.addressAt(kind, serviceRoles.indexOf(role)).address !== address)
        foreign.push(`${kind} ${role} address ${address} is not derived from its seed`)
    }
    return foreign
  }
  for (const kind of networkKinds) {
    for (let from = 0, isLast = false; !isLast; ) {
      const page = await store.readAddresses(database, { seedId, kind, from, limit: pageSize, onlyFree })
      for (const { addressIndex, address } of page) {
        if (keyring.addressAt(kind, addressIndex).address !== address)
          foreign.push(`${kind} address ${address} at ${addressIndex} is not derived from its seed`)
      }
      isLast = page.length < pageSize
      from = (page.at(-1)?.addressIndex ?? 0) + 1
    }
  }
  return foreign
}
