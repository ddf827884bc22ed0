import { findMatches, type NameMatch } from '../names/match.ts'
import { indexNames, type NameIndex } from '../names/name-index.ts'
import type { AddressMatch, ListedEntry, ListPlace, ScreenedName } from '../screening.ts'
import { type DocumentIndex, indexDocuments } from './document-index.ts'

type ListedAddressMatch = Omit<AddressMatch, keyof ListPlace | 'chain' | 'address'>

/** A whole list in memory, indexed by name, address and document number. */
export type ListIndex = {
  findName(screened: ScreenedName): NameMatch[]
  findAddress(address: string): ListedAddressMatch | undefined
  findDocument: DocumentIndex
  programsOf(entryNumber: string): string[]
}

/** Builds the index in steps: the caller can let other work run at each `yield`. */
export function* indexList(entries: readonly ListedEntry[]): Generator<void, ListIndex> {
  const persons: NameIndex = yield* indexNames(
    entries.filter(({ kind }) => kind === 'individual'),
    'person',
  )
  // Vessels and aircraft are named like businesses, and no individual is one.
  const others: NameIndex = yield* indexNames(
    entries.filter(({ kind }) => kind !== 'individual'),
    'business',
  )
  const addresses = new Map<string, ListedAddressMatch>()
  for (const { number, names, addresses: listed } of entries) {
    for (const { currency, address } of listed) {
      const match = { entryNumber: number, listedName: names[0]?.text ?? '', listedCurrency: currency }
      addresses.set(normalizeAddress(address), match)
    }
  }
  const programs = new Map(entries.flatMap(({ number, programs: own }) => (own ? [[number, own] as const] : [])))
  return {
    findName: (screened) => findMatches(screened.kind === 'INDIVIDUAL' ? persons : others, screened),
    findDocument: indexDocuments(entries),
    programsOf: (entryNumber) => programs.get(entryNumber) ?? [],
    findAddress: (address) => addresses.get(normalizeAddress(address)),
  }
}

const evmAddress = /^0x[0-9a-f]{40}$/i

/**
 * Normalizes an address. Capitals are only a checksum in an EVM address and count elsewhere. The network is not
 * compared: the holder of a listed key controls it on every network.
 */
function normalizeAddress(address: string): string {
  const text = address.trim()
  return evmAddress.test(text) ? text.toLowerCase() : text
}
