import { randomBytes } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { checksumEvmAddress } from '../../src/lib/evm-address.ts'
import { writeSolanaAddress } from '../../src/lib/solana-address.ts'
import type { WalletAddresses } from '../../src/payment-accounts/ports.ts'

export type TestAddresses = WalletAddresses<unknown> & { left: number; ours: Set<string> }

/** Hands out the addresses of real keys, which nobody keeps. `left` is how many there still are. */
export function makeWalletAddresses(): TestAddresses {
  const twin: TestAddresses = {
    left: Number.POSITIVE_INFINITY,
    ours: new Set(),
    take: async (_transaction, { kind }) => {
      if (twin.left <= 0) return undefined
      twin.left -= 1
      const address = kind === 'EVM' ? makeEvmAddress() : makeSolanaAddress()
      twin.ours.add(address)
      return { address }
    },
    isOurs: async (_database, address) => twin.ours.has(address),
  }
  return twin
}

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
