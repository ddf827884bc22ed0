import type { NetworkKind, ServiceRole } from '../catalog/network-kinds.ts'
import type { Database, Queryable, Tx } from '../db/database.ts'
import { normalizeAddress } from './address.ts'
import { createSealService } from './seals.ts'
import * as store from './store.ts'
import type { WalletOwner } from './wallet.ts'

export type CustodyService = ReturnType<typeof createCustodyService>

/** Manages wallet addresses for the API. Only the signer has their keys; this process cannot derive any. */
export function createCustodyService({ database }: { database: Database }) {
  return {
    /**
     * Assigns a free address to a payment account that is created in the same database transaction; a rollback frees
     * it. Undefined when the pool is empty: the signer is down or behind, so the caller should retry later.
     */
    assignAddress: async (tx: Tx, owner: WalletOwner): Promise<{ address: string } | undefined> => {
      const address = await store.assignAddress(tx, owner)
      return address === undefined ? undefined : { address }
    },
    /** True for addresses of customers, the free pool, the treasury, the relayer and the reserve; EVM ones in any letter case. */
    isOwnAddress: (kind: NetworkKind, address: string, reader: Queryable = database): Promise<boolean> =>
      store.isOwnAddress(reader, kind, normalizeAddress(kind, address) ?? address),
    /** Finds our addresses among receivers of tokens; a reserve is not one, because Svc does not have its key. */
    findReceivers: async (
      kind: NetworkKind,
      addresses: readonly string[],
      reader: Queryable = database,
    ): Promise<Map<string, 'WALLET' | 'SERVICE'>> => {
      const found = await store.findReceivers(reader, kind, addresses)
      return new Map(found.map(({ address, receiver }) => [address, receiver]))
    },
    /** Finds the address of the treasury or relayer; undefined before the first run of a signer. */
    findServiceAddress: (kind: NetworkKind, role: ServiceRole): Promise<string | undefined> =>
      store.findServiceAddress(database, kind, role),
    /** Finds our reserve, an address whose key Svc does not have; undefined when none is registered. */
    findReserveAddress: (kind: NetworkKind): Promise<string | undefined> => store.findReserveAddress(database, kind),
    /** Lists the addresses of all customers, and of our treasury, for a comparison with the chains. */
    listWallets: (kind: NetworkKind): Promise<store.OwnedAddress[]> => store.listWallets(database, kind),
    listTreasuries: (kind: NetworkKind): Promise<string[]> => store.listTreasuries(database, kind),
    /** Checks the seals of the signer. */
    seals: createSealService({ database }),
    countFree: () => store.countFreeAddresses(database),
    /** Counts the free addresses of the scarcest kind; NaN when the database does not answer. */
    countFewestFree: () =>
      store.countFreeAddresses(database).then(
        (free) => Math.min(...Object.values(free)),
        () => Number.NaN,
      ),
  }
}
