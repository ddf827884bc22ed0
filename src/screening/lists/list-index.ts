import { findMatches, type NameMatch } from '../names/match.ts'
import { indexNames, type NameIndex } from '../names/name-index.ts'
import type { AddressMatch, ListedEntry, ScreenedName } from '../screening.ts'

/** A whole list, ready to be asked. */
export type ListIndex = {
  findName(party: ScreenedName): NameMatch[]
  findAddress(address: string): Omit<AddressMatch, 'listVersion' | 'chain' | 'address'> | undefined
}

/** Builds the index in steps: each `yield` is a good moment to do something else. */
export function* indexList(entries: readonly ListedEntry[]): Generator<void, ListIndex> {
  const persons: NameIndex = yield* indexNames(
    entries.filter(({ kind }) => kind === 'individual'),
    'person',
  )
  // Ships and aircraft are named like businesses, and nobody who signs up is one.
  const others: NameIndex = yield* indexNames(
    entries.filter(({ kind }) => kind !== 'individual'),
    'business',
  )
  const addresses = new Map<string, Omit<AddressMatch, 'listVersion' | 'chain' | 'address'>>()
  for (const { number, names, addresses: listed } of entries) {
    for (const { currency, address } of listed) {
      const match = { entryNumber: number, listedName: names[0]?.text ?? '', listedCurrency: currency }
      addresses.set(spellAddress(address), match)
    }
  }
  return {
    findName: (party) => findMatches(party.kind === 'INDIVIDUAL' ? persons : others, party),
    findAddress: (address) => addresses.get(spellAddress(address)),
  }
}

const evmAddress = /^0x[0-9a-f]{40}$/i

/**
 * The capitals of an EVM address are a checksum and no part of it. Elsewhere they count. The network is not compared: a
 * key that is listed for one currency is the same hand on every network.
 */
function spellAddress(address: string): string {
  const text = address.trim()
  return evmAddress.test(text) ? text.toLowerCase() : text
}
