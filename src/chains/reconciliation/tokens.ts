import type { TokenAsset } from '../../catalog/currencies.ts'
import type { Difference } from './difference.ts'
import { type ComparedSet, nameDifference, nameMoving, nameSet } from './sets.ts'
import type { Snapshot } from './snapshot.ts'
import type { Moving } from './store.ts'

export type Compared = {
  asset: TokenAsset
  balances: ReadonlyMap<string, bigint>
  /** Transfers that the block has, and the books do not have yet. */
  unbooked: readonly Moving[]
}

export type TokenReport = { differences: Difference[]; sets: ComparedSet[] }

/** Compares the treasuries and wallets in one token with the ledger. */
export function compareToken(snapshot: Snapshot, compared: Compared): TokenReport {
  const compare = createComparison(snapshot, compared)
  const { asset } = compared
  const { treasuries, addresses, held, claimed } = snapshot
  const heldAt = (address: string) => held.get(`${address} ${asset}`) ?? 0n
  const treasury = compare(`treasury ${treasuries.join(', ')}`, treasuries, snapshot.treasury.get(asset) ?? 0n)
  const wallets = addresses.map((address) => ({
    address,
    difference: compare(`wallet ${address}`, [address], heldAt(address)),
  }))
  const overdrawn = addresses.flatMap((address) => {
    const [ledger, chain] = [claimed.get(`${address} ${asset}`) ?? 0n, heldAt(address)]
    if (ledger <= chain) return []
    const difference: Difference = { about: 'BALANCES', asset, place: `wallet ${address}`, ledger, chain, causes: [] }
    return [{ address, difference }]
  })
  const recorded = addresses.reduce((sum, address) => sum + heldAt(address), 0n)
  const custody = snapshot.custody.get(asset) ?? 0n
  const books: Difference = {
    about: 'BOOKS',
    asset,
    place: 'all wallets',
    ledger: custody,
    chain: recorded,
    causes: [],
  }
  const ways = { unbooked: compared.unbooked, moving: snapshot.moving }
  return {
    differences: [
      treasury,
      ...wallets.map(({ difference }) => difference),
      ...overdrawn.map(({ difference }) => difference),
      books,
    ],
    sets: [
      {
        account: nameSet(asset, 'treasury'),
        asset,
        ledger: snapshot.treasury.get(asset) ?? 0n,
        outside: treasury.chain,
        addresses: treasuries.length,
        items: [...nameMoving(treasuries, asset, ways), ...nameDifference('ADDRESS', treasuries.join(', '), treasury)],
      },
      {
        account: nameSet(asset, 'wallets'),
        asset,
        ledger: custody,
        outside: wallets.reduce((sum, { difference }) => sum + difference.chain, 0n),
        addresses: addresses.length,
        items: [
          ...nameMoving(addresses, asset, ways),
          ...wallets.flatMap(({ address, difference }) => nameDifference('ADDRESS', address, difference)),
          ...nameDifference('RECORDS', 'all wallets', books),
        ],
      },
      // An account of its own: balances of customers are compared with records of deposits and payouts, not with the chain.
      ...overdrawn.map(({ address, difference }) => ({
        account: `${nameSet(asset, 'wallets')}: customers at ${address}`,
        asset,
        ledger: difference.ledger,
        outside: difference.chain,
        addresses: 1,
        items: nameDifference('CLAIMS', address, difference),
      })),
    ],
  }
}

/** Compares addresses with the books, after the transfers that only one side has yet are counted on both. */
function createComparison(snapshot: Snapshot, { asset, balances, unbooked }: Compared) {
  const lower = (address: string) => address.toLowerCase()
  const corrections = new Map<string, bigint>()
  const correct = (some: readonly Moving[], sign: bigint) => {
    for (const { from, to, amount } of some.filter((each) => each.asset === asset)) {
      corrections.set(lower(to), (corrections.get(lower(to)) ?? 0n) + sign * amount)
      corrections.set(lower(from), (corrections.get(lower(from)) ?? 0n) - sign * amount)
    }
  }
  correct(unbooked, 1n)
  const later = snapshot.moving.filter(({ isBooked }) => isBooked)
  correct(later, -1n)
  const causes = Map.groupBy(
    snapshot.uncredited.filter((each) => each.asset === asset),
    ({ address }) => lower(address),
  )
  return (place: string, addresses: readonly string[], books: bigint): Difference => ({
    about: 'CHAIN',
    asset,
    place,
    ledger: addresses.reduce((sum, address) => sum + (corrections.get(lower(address)) ?? 0n), books),
    chain: addresses.reduce((sum, address) => sum + (balances.get(address) ?? 0n), 0n),
    causes: addresses
      .flatMap((address) => causes.get(lower(address)) ?? [])
      .map(({ cause, reference, amount }) => ({ cause, reference, amount })),
  })
}
