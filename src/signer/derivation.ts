import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { HDKey as Bip32Key } from '@scure/bip32'
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js'
import type { NetworkKind } from '../catalog/network-kinds.ts'
import { checksumEvmAddress } from '../lib/addresses/evm-address.ts'
import { writeSolanaAddress } from '../lib/addresses/solana-address.ts'

export type PublicAddress = { address: string; publicKey: Buffer }
export type KeyPair = PublicAddress & { privateKey: Uint8Array }

/** The keys of one seed. Only the signer opens a keyring, and only addresses leave its process. */
export type Keyring = {
  addressAt(kind: NetworkKind, index: number): PublicAddress
  /** For signing only. */
  keyAt(kind: NetworkKind, index: number): KeyPair
}

// BIP-44: m / purpose' / coin' / account' / change / index. SLIP-44 defines coins 60 and 501.
const evmBranch = "m/44'/60'/0'/0"
// SLIP-10: ed25519 has hardened steps only. Solana wallets use the account as the index: m/44'/501'/index'/0'.
const solanaBranch = "m/44'/501'"
const hardened = 0x8000_0000

/** Derives the two branches that every key comes from, so that the caller can wipe the seed. */
export function openKeyring(seed: Uint8Array): Keyring {
  const evm = Bip32Key.fromMasterSeed(seed).derive(evmBranch)
  const solana = Slip10Key.fromMasterSeed(seed).derive(solanaBranch)
  const keyAt = (kind: NetworkKind, index: number): KeyPair => {
    if (!Number.isInteger(index) || index < 0 || index >= hardened)
      throw new RangeError('the index must be an integer from 0 to 2^31 - 1')
    return kind === 'EVM' ? deriveEvm(evm, index) : deriveSolana(solana, index)
  }
  const addressAt = (kind: NetworkKind, index: number): PublicAddress => {
    const { address, publicKey, privateKey } = keyAt(kind, index)
    privateKey.fill(0)
    return { address, publicKey }
  }
  return { addressAt, keyAt }
}

function deriveEvm(branch: Bip32Key, index: number): KeyPair {
  // Throws for the one index in 2^127 that has no key (BIP-32): it must not be assigned.
  const { privateKey, publicKey } = branch.deriveChild(index)
  if (!privateKey || !publicKey) throw new Error('a branch without private keys cannot sign')
  return { privateKey, publicKey: Buffer.from(publicKey), address: evmAddressOf(publicKey) }
}

/** Takes the last 20 bytes of the hash of the point's coordinates, with the EIP-55 checksum. */
function evmAddressOf(publicKey: Uint8Array): string {
  const coordinates = secp256k1.Point.fromBytes(publicKey).toBytes(false).subarray(1)
  return checksumEvmAddress(`0x${Buffer.from(keccak_256(coordinates).subarray(-20)).toString('hex')}`)
}

function deriveSolana(branch: Slip10Key, index: number): KeyPair {
  const { privateKey, publicKeyRaw } = branch.deriveChild(hardened + index).deriveChild(hardened)
  return { privateKey, publicKey: Buffer.from(publicKeyRaw), address: writeSolanaAddress(publicKeyRaw) }
}
