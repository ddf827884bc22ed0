import { ed25519 } from '@noble/curves/ed25519.js'
import type { Network } from '../../catalog/currencies.ts'
import { checksumEvmAddress, hasRightCase, isEvmAddress } from '../../lib/addresses/evm-address.ts'
import { readSolanaAddress } from '../../lib/addresses/solana-address.ts'

/** Programs and system accounts that people paste by mistake. Source: docs.solana.com and the program library, 2025. */
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

/** The address of somebody's wallet as its network writes it, or why money must not be sent there. */
export function readWalletAddress(network: Network, text: string, tokenContracts: readonly string[]): ReadAddress {
  const read = network === 'SOLANA' ? readSolanaWallet(text) : readEvmWallet(text)
  if (read.ok && tokenContracts.includes(read.address)) return refused('is the contract of a token, not a wallet')
  return read
}

function readEvmWallet(text: string): ReadAddress {
  if (!isEvmAddress(text)) return refused('must be 0x and 40 hexadecimal digits')
  if (!hasRightCase(text)) return refused('has a wrong EIP-55 checksum')
  // Zero, the precompiled contracts and the places where tokens are burnt: nobody has their key.
  if (/^0x0{36}/.test(text)) return refused('is an address that nobody has the key of')
  return { ok: true, address: checksumEvmAddress(text) }
}

function readSolanaWallet(text: string): ReadAddress {
  const bytes = readSolanaAddress(text)
  if (!bytes) return refused('must be 32 bytes in base58')
  if (solanaPrograms.has(text)) return refused('is a program, not a wallet')
  if (!isPublicKey(bytes)) return refused('is not a wallet: it is off the ed25519 curve, as accounts of programs are')
  return { ok: true, address: text }
}

/** A point of the curve that somebody can have the key of: points of small order sign anything. */
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
