import type { NetworkKind, ServiceRole } from '../catalog/network-kinds.ts'
import type { Database, Queryable, Tx } from '../db/database.ts'
import { checksumEvmAddress, isEvmAddress } from '../lib/addresses/evm-address.ts'
import * as store from './store.ts'
import type { WalletOwner } from './wallet.ts'

export type CustodyService = ReturnType<typeof createCustodyService>

/** Addresses as the API knows them. Their keys are the signer's; this process could not derive one if it tried. */
export function createCustodyService(database: Database) {
  return {
    /**
     * An address for a payment account that is made in the same transaction; if that fails, the address stays free.
     * Undefined when the pool is empty: the signer is away or behind, so try again later.
     */
    take: async (tx: Tx, owner: WalletOwner): Promise<{ address: string } | undefined> => {
      const address = await store.takeAddress(tx, owner)
      return address === undefined ? undefined : { address }
    },
    /** True for addresses of customers, free ones, the treasury and the relayer, in any spelling. */
    isOwnAddress: (kind: NetworkKind, address: string, reader: Queryable = database): Promise<boolean> =>
      store.isOwnAddress(reader, kind, kind === 'EVM' && isEvmAddress(address) ? checksumEvmAddress(address) : address),
    /** Undefined until a signer has run. */
    findServiceAddress: (kind: NetworkKind, role: ServiceRole): Promise<string | undefined> =>
      store.findServiceAddress(database, kind, role),
    countFree: () => store.countFreeAddresses(database),
    /** Of the kind that has the fewest; NaN when nobody knows. */
    countFewestFree: () =>
      store.countFreeAddresses(database).then(
        (free) => Math.min(...Object.values(free)),
        () => Number.NaN,
      ),
  }
}
