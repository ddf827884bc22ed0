import type { NetworkKind } from '../../catalog/network-kinds.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { Database, Queryable, Tx } from '../../db/database.ts'
import type { PayoutOrder } from '../../transactions/payouts/rail.ts'
import { lockTreasuries } from './treasury-store.ts'

/** An order that a treasury of ours pays; `sender` is the one that has to. */
export type TreasuryOrder = Pick<PayoutOrder, 'reference' | 'asset' | 'amount'> & { sender?: string | undefined }

export type TreasuryDeps = {
  database: Database
  kind: NetworkKind
  custody: Pick<CustodyService, 'listTreasuries'>
  /** Reads what addresses hold of an asset in a final state, in their order. */
  readBalances(asset: string, addresses: readonly string[]): Promise<bigint[]>
  /** Sums what requests may still take from addresses, beyond that final state, in their order. */
  sumPromised(tx: Tx, asset: string, addresses: readonly string[]): Promise<bigint[]>
}

/**
 * Chooses for each order the treasury in use, or a former one that holds the tokens: an imported seed begins with an empty
 * address. `write` records the requests in the database transaction of the choice, and choices come one after another: so
 * no two batches, of one worker or several, promise the same tokens.
 */
export async function chooseTreasuries(
  { database, kind, custody, readBalances, sumPromised }: TreasuryDeps,
  orders: readonly TreasuryOrder[],
  write: (database: Queryable, treasuries: ReadonlyMap<string, string>) => Promise<void>,
): Promise<void> {
  const addresses = orders.length > 0 ? await custody.listTreasuries(kind) : []
  const [inUse] = addresses
  if (inUse === undefined && orders.length > 0) throw new Error('the signer has published no treasury yet')
  if (inUse === undefined || addresses.length === 1) {
    return write(database, new Map(orders.map(({ reference, sender = inUse }) => [reference, sender as string])))
  }
  const balances = new Map<string, bigint[]>()
  for (const { asset } of orders) {
    if (!balances.has(asset)) balances.set(asset, await readBalances(asset, addresses))
  }
  await database.inTx(async (tx) => {
    await lockTreasuries(tx, kind)
    const free = new Map<string, bigint>()
    for (const [asset, held] of balances) {
      const promised = await sumPromised(tx, asset, addresses)
      for (const [at, address] of addresses.entries()) {
        free.set(`${asset} ${address}`, (held[at] ?? 0n) - (promised[at] ?? 0n))
      }
    }
    const leftAt = (asset: string, address: string) => free.get(`${asset} ${address}`) ?? 0n
    const chosen = orders.map(({ reference, asset, amount, sender }) => {
      const address = sender ?? addresses.find((each) => leftAt(asset, each) >= amount) ?? inUse
      free.set(`${asset} ${address}`, leftAt(asset, address) - amount)
      return [reference, address] as const
    })
    await write(tx, new Map(chosen))
  })
}
