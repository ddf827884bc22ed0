import { randomBytes } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { checksumEvmAddress } from '../../../src/lib/addresses/evm-address.ts'
import { writeSolanaAddress } from '../../../src/lib/addresses/solana-address.ts'

/** Addresses of random keys that are discarded: external wallets. */

export function makeEvmAddress(): string {
  const publicKey = secp256k1.getPublicKey(secp256k1.utils.randomSecretKey(), false)
  return checksumEvmAddress(
    `0x${Buffer.from(keccak_256(publicKey.subarray(1)))
      .subarray(-20)
      .toString('hex')}`,
  )
}

export function makeSolanaAddress(): string {
  return writeSolanaAddress(ed25519.getPublicKey(randomBytes(32)))
}
