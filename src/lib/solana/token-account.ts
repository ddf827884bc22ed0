import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { readSolanaAddress, writeSolanaAddress } from '../addresses/solana-address.ts'
import { programs } from './programs.ts'

/** True when the bytes are a public key. A program's own address is never one, so it has no private key. */
export function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes)
    return true
  } catch {
    return false
  }
}

/** Reads the bytes of an address that is known to be one. */
export function addressBytes(address: string): Uint8Array {
  const bytes = readSolanaAddress(address)
  if (!bytes) throw new Error(`${address} is no Solana address`)
  return bytes
}

const tokenProgram = addressBytes(programs.token)
const associatedTokenProgram = addressBytes(programs.associatedToken)

/**
 * Derives the token account of an owner for a mint of the Token program: the first address off the curve that the hash
 * of owner, program, mint and a falling number gives.
 */
export function associatedAccountOf(owner: string, mint: string): string {
  const key = `${owner} ${mint}`
  const account = known.get(key) ?? derive(owner, mint)
  if (known.size >= mostKnown) known.clear()
  known.set(key, account)
  return account
}

// The test for a point takes a millisecond, and the same owners come again and again.
const known = new Map<string, string>()
const mostKnown = 20_000

function derive(owner: string, mint: string): string {
  const seeds = [addressBytes(owner), tokenProgram, addressBytes(mint)]
  for (let bump = 255; bump >= 0; bump -= 1) {
    const hash = createHash('sha256')
    for (const seed of seeds) hash.update(seed)
    const bytes = hash
      .update(Uint8Array.of(bump))
      .update(associatedTokenProgram)
      .update('ProgramDerivedAddress')
      .digest()
    if (!isOnCurve(bytes)) return writeSolanaAddress(bytes)
  }
  throw new Error(`${owner} has no token account for ${mint}`)
}

/** The content of a token account. */
export type TokenAccount = { mint: string; owner: string; amount: bigint; isFrozen: boolean }

const tokenAccountBytes = 165
const mintBytes = 82

/** Reads the data of an account of the Token program; undefined when it is no token account. */
export function readTokenAccount(data: Buffer): TokenAccount | undefined {
  if (data.length !== tokenAccountBytes) return undefined
  const state = data[108]
  // 0 is an account that was never set up.
  if (state !== 1 && state !== 2) return undefined
  return {
    mint: writeSolanaAddress(data.subarray(0, 32)),
    owner: writeSolanaAddress(data.subarray(32, 64)),
    amount: data.readBigUInt64LE(64),
    isFrozen: state === 2,
  }
}

/** Reads the decimals of a mint of the Token program; undefined when the account is none. */
export function readMintDecimals(data: Buffer): number | undefined {
  return data.length === mintBytes && data[45] === 1 ? data[44] : undefined
}
