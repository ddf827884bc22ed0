import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Hex } from '../../../lib/chains/node-error.ts'

/**
 * The bloom filter of logs in a block's header (yellow paper, section 4.4.3): 2048 bits, of which each address and each
 * topic of a log sets three. It has no false negatives: what a filter does not contain is not in the block.
 */
const bytes = 256

/** The places of an entry's bits: the low eleven bits of the first three pairs of bytes of its hash. */
function placesOf(entry: string): number[] {
  const hash = keccak_256(Buffer.from(entry.slice(2), 'hex'))
  return [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047)
}

// The same few contracts and topics occur in every block.
const known = new Map<string, number[]>()
const mostKnown = 10_000

function cachedPlaces(entry: string): number[] {
  const found = known.get(entry) ?? placesOf(entry)
  if (known.size >= mostKnown) known.clear()
  known.set(entry, found)
  return found
}

export function bloomContains(bloom: Hex, entry: string): boolean {
  const filter = Buffer.from(bloom.slice(2), 'hex')
  return cachedPlaces(entry).every((place) => ((filter[bytes - 1 - (place >> 3)] ?? 0) & (1 << (place & 7))) !== 0)
}

/** True when these entries explain every bit of the filter: otherwise the block has logs that are not among them. */
export function areEntriesComplete(bloom: Hex, entries: Iterable<string>): boolean {
  const rest = Buffer.from(bloom.slice(2), 'hex')
  for (const entry of new Set(entries)) {
    for (const place of cachedPlaces(entry)) {
      const at = bytes - 1 - (place >> 3)
      rest[at] = (rest[at] ?? 0) & ~(1 << (place & 7))
    }
  }
  return rest.every((byte) => byte === 0)
}
