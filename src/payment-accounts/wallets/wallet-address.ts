import { ed25519 } from '@noble/curves/ed25519.js'
import type { Network } from '../../catalog/currencies.ts'
import { checksumEvmAddress, hasValidChecksumCase, isEvmAddress } from '../../lib/addresses/evm-address.ts'
import { readSolanaAddress } from '../../lib/addresses/solana-address.ts'

/**
 * Programs and system accounts that callers mistake for wallets. Source: docs.solana.com and the program library, 2025.
 */
const solanaPrograms: ReadonlySet<string> = new Set([
  '11111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'ComputeBudget111111111111111111111111111111',
  'Stake11111111111111111111111111111111111111',
  'Vote111111111111111111111111111111111111111',
  'BPFLoaderUpgradeab1e11111111111111111111111',
  'So11111111111111111111111111111111111111112',
  'SysvarRent111111111111111111111111111111111',
  'SysvarC1ock11111111111111111111111111111111',
])

export type ReadAddress = { ok: true; address: string } | { ok: false; problem: string }

/** Reads a wallet address in the notation of its network, or tells why it must not receive money. */
export function readWalletAddress(network: Network, text: string, tokenContracts: readonly string[]): ReadAddress {
  const read = network === 'SOLANA' ? readSolanaWallet(text) : readEvmWallet(text)
  if (read.ok && tokenContracts.includes(read.address)) return refused('must be a wallet, not a token contract')
  return read
}

function readEvmWallet(text: string): ReadAddress {
  if (!isEvmAddress(text)) return refused('must be 0x and 40 hexadecimal digits')
  if (!hasValidChecksumCase(text)) return refused('must have a valid EIP-55 checksum')
  // The zero address, precompiled contracts and burn addresses have no known key.
  if (/^0x0{36}/.test(text)) return refused('must be a wallet, not an address without a known key')
  return { ok: true, address: checksumEvmAddress(text) }
}

function readSolanaWallet(text: string): ReadAddress {
  const bytes = readSolanaAddress(text)
  if (!bytes) return refused('must be 32 bytes in base58')
  if (solanaPrograms.has(text)) return refused('must be a wallet, not a program')
  if (!isPublicKey(bytes)) return refused('must be a wallet on the ed25519 curve, not an account of a program')
  return { ok: true, address: text }
}

/** Tells whether the bytes are a point that has a private key. Points of small order verify any signature. */
function isPublicKey(bytes: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(bytes).isSmallOrder()
  } catch {
    return false
  }
}

function refused(problem: string): ReadAddress {
  return { ok: false, problem }
}
