import type { Network } from '../../catalog/currencies.ts'
import { kindOf } from '../../catalog/network-kinds.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import * as store from './store.ts'

/** Our side of a comparison, read at one moment. Amounts of addresses are by `<address> <asset>`. */
export type Snapshot = store.ScannedBlocks & {
  /** The addresses of customers, and those of the pool that ever received a deposit. */
  addresses: string[]
  treasuries: string[]
  /** The tokens that deposits and payouts have left at each address. */
  held: ReadonlyMap<string, bigint>
  /** The balances of customers by the ledger, and the fees that were not collected, at each address. */
  claimed: ReadonlyMap<string, bigint>
  /** The ledger's sums of all wallets, and of the treasury with the coins of relayers, by asset. */
  custody: ReadonlyMap<string, bigint>
  treasury: ReadonlyMap<string, bigint>
  uncredited: readonly store.Uncredited[]
  moving: readonly store.Moving[]
  coins: store.Coins
}

type SnapshotDeps = {
  database: Database
  ledger: Pick<LedgerService, 'totals' | 'positions'>
  custody: Pick<CustodyService, 'listWallets' | 'listTreasuries'>
}

const fees = ['UNCOLLECTED_FEES', 'UNCOLLECTED_DEVELOPER_FEES'] as const

/** Reads the books and records of a network; undefined before its first scan. */
export async function readSnapshot(
  { database, ledger, custody }: SnapshotDeps,
  network: Network,
  contracts: ReadonlyMap<string, string>,
): Promise<Snapshot | undefined> {
  const wallets = await custody.listWallets(kindOf(network))
  const treasuries = await custody.listTreasuries(kindOf(network))
  return database.inTx(async (tx) => {
    await store.beginSnapshot(tx)
    const scanned = await store.readScanned(tx, network)
    if (!scanned) return undefined
    const { final } = scanned
    const held = await store.readHeld(tx, network)
    const totals = await ledger.totals(tx, undefined)
    // Tokens that we hold are debits: negative.
    const sumBy = (kinds: readonly string[]) =>
      sum(totals.filter(({ kind }) => kinds.includes(kind)).map(({ asset, posted }) => [asset, -posted]))
    return {
      ...scanned,
      addresses: [...new Set([...wallets.map(({ address }) => address), ...held.map(({ address }) => address)])],
      treasuries,
      held: sum(held.map(({ address, asset, amount }) => [`${address} ${asset}`, amount])),
      claimed: await readClaims({ ledger }, tx, wallets),
      custody: sumBy(['CUSTODY', ...fees]),
      treasury: sumBy(['TREASURY']),
      uncredited: await store.readUncredited(tx, network, { upTo: final.number, contracts }),
      moving: await store.readMoving(tx, network, final.number),
      coins: await store.readCoins(tx, network, final.number),
    }
  })
}

async function readClaims(
  { ledger }: Pick<SnapshotDeps, 'ledger'>,
  tx: Tx,
  wallets: Awaited<ReturnType<CustodyService['listWallets']>>,
): Promise<Map<string, bigint>> {
  const claims: [string, bigint][] = []
  for (const [organizationId, owned] of Map.groupBy(wallets, (wallet) => wallet.organizationId)) {
    const addresses = new Map(owned.map(({ paymentAccountId, address }) => [paymentAccountId, address]))
    for (const { kind, holder, asset, posted } of await ledger.positions(tx, organizationId, ['WALLET', ...fees])) {
      const address = addresses.get(holder)
      if (address !== undefined) claims.push([`${address} ${asset}`, kind === 'WALLET' ? posted : -posted])
    }
  }
  return sum(claims)
}

function sum(amounts: readonly (readonly [string, bigint])[]): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const [key, amount] of amounts) sums.set(key, (sums.get(key) ?? 0n) + amount)
  return sums
}
