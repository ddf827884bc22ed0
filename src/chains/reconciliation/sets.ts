import type { Item, ItemKind } from '../../transactions/reconciliation/reconciliation.ts'
import { type Cause, type Difference, explain } from './difference.ts'
import type { Moving } from './store.ts'

/** An open item before its age is known. */
export type FoundItem = Pick<Item, 'kind' | 'reference' | 'amount'> & { state: 'MISSING' | 'UNEXPECTED' }

/** A set of our addresses in one asset on a network: what the ledger has there, and what the chain has. */
export type ComparedSet = {
  /** 'BASE USDC treasury' */
  account: string
  asset: string
  ledger: bigint
  outside: bigint
  /** The number of addresses. */
  addresses: number
  /** They make up the difference exactly. */
  items: FoundItem[]
}

export type SetName = 'treasury' | 'wallets' | 'relayers'

/** Names a set of addresses: 'BASE USDC treasury'. */
export function nameSet(asset: string, name: SetName): string {
  const [currency, network] = asset.split('/')
  return `${network} ${currency} ${name}`
}

const causeKinds = {
  dust: 'DUST',
  'not credited yet': 'DEPOSIT',
  quarantined: 'DEPOSIT',
  'received, and not recorded': 'UNRECORDED',
} as const satisfies Record<Cause['cause'], ItemKind>

/** Names what only the chain has, or only the ledger. */
function itemOf(kind: ItemKind, reference: string, surplus: bigint): FoundItem[] {
  if (surplus === 0n) return []
  return surplus > 0n
    ? [{ state: 'UNEXPECTED', kind, reference, amount: surplus }]
    : [{ state: 'MISSING', kind, reference, amount: -surplus }]
}

/** Names the difference at one place: each known cause, and the rest. */
export function nameDifference(kind: ItemKind, reference: string, difference: Difference): FoundItem[] {
  const { causes, rest } = explain(difference)
  return [
    ...causes.flatMap(({ cause, reference: known, amount }) => itemOf(causeKinds[cause], known, amount)),
    ...itemOf(kind, reference, rest),
  ]
}

/**
 * Names the transfers of ours that only one of the two sides has yet, as far as they change the sum of these addresses. One
 * that the block has and the books do not is UNEXPECTED, the other way round it is MISSING.
 */
export function nameMoving(
  addresses: readonly string[],
  asset: string,
  { unbooked, moving }: { unbooked: readonly Moving[]; moving: readonly Moving[] },
): FoundItem[] {
  const isOurs = ownedBy(addresses)
  const name = (state: FoundItem['state'], some: readonly Moving[]) =>
    some.flatMap((each): FoundItem[] => {
      const amount = each.asset === asset ? changeOf(each, isOurs) : 0n
      return amount === 0n ? [] : [{ state, kind: 'PAYOUT', reference: each.payoutId, amount }]
    })
  return [
    ...name('UNEXPECTED', unbooked),
    ...name(
      'MISSING',
      moving.filter(({ isBooked }) => isBooked),
    ),
  ]
}

/** Tells by how much these items make the chain differ from the ledger. */
export function surplusOf(items: readonly FoundItem[]): bigint {
  return items.reduce((sum, { state, amount }) => (state === 'MISSING' ? sum - amount : sum + amount), 0n)
}

function changeOf({ from, to, amount }: Moving, isOurs: (address: string) => boolean): bigint {
  return (isOurs(to) ? amount : 0n) - (isOurs(from) ? amount : 0n)
}

/** Letter case does not tell EVM addresses apart; no two addresses of ours on Solana differ in it alone. */
function ownedBy(addresses: readonly string[]): (address: string) => boolean {
  const known = new Set(addresses.map((address) => address.toLowerCase()))
  return (address) => known.has(address.toLowerCase())
}
