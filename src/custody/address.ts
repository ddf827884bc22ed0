import type { NetworkKind } from '../catalog/network-kinds.ts'
import { checksumEvmAddress, isEvmAddress } from '../lib/addresses/evm-address.ts'
import { readSolanaAddress } from '../lib/addresses/solana-address.ts'

/**
 * Writes an address of a chain in the one notation that we store; undefined when it is none. A chain knows bytes alone,
 * so an EVM address is read in any letter case.
 */
export function normalizeAddress(kind: NetworkKind, text: string): string | undefined {
  if (kind === 'EVM') return isEvmAddress(text) ? checksumEvmAddress(text) : undefined
  return readSolanaAddress(text) ? text : undefined
}
