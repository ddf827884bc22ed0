import { createHmac } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { HDKey as Bip32Key } from '@scure/bip32'
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js'
import { pointCompress, pointFromScalar, privateAdd } from 'tiny-secp256k1'
import type { NetworkKind } from '../catalog/network-kinds.ts'
import { checksumEvmAddress } from '../lib/addresses/evm-address.ts'
import { writeSolanaAddress } from '../lib/addresses/solana-address.ts'
import { openSigningKey, publicKeyOf } from '../lib/solana/signature.ts'

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

/** Takes the last step of BIP-32, which is not hardened. The library would compute the public key in JavaScript. */
function deriveEvm({ chainCode, publicKey: parentKey, privateKey: parent }: Bip32Key, index: number): KeyPair {
  if (!parent || !parentKey || !chainCode) throw new Error('a branch without private keys cannot sign')
  const [tweak, _] = splitMac(chainCode, parentKey, writeIndex(index))
  // Throws, or answers nothing, for the one index in 2^127 that has no key (BIP-32): it must not be assigned.
  const privateKey = privateAdd(parent, tweak)
  const point = privateKey && pointFromScalar(privateKey, false)
  if (!privateKey || !point) throw new Error(`index ${index} has no key`)
  return { privateKey, publicKey: Buffer.from(pointCompress(point, true)), address: evmAddressOf(point) }
}

/** Takes the last 20 bytes of the hash of the point's coordinates, with the EIP-55 checksum. */
function evmAddressOf(point: Uint8Array): string {
  const coordinates = point.subarray(1)
  return checksumEvmAddress(`0x${Buffer.from(keccak_256(coordinates).subarray(-20)).toString('hex')}`)
}

/** Takes the last two steps of SLIP-10, which are hardened. */
function deriveSolana({ privateKey: parent, chainCode }: Slip10Key, index: number): KeyPair {
  const account = splitMac(chainCode, Buffer.of(0), parent, writeIndex(hardened + index))
  const [privateKey, _] = splitMac(account[1], Buffer.of(0), account[0], writeIndex(hardened))
  account[0].fill(0)
  const publicKey = publicKeyOf(openSigningKey(privateKey))
  return { privateKey, publicKey, address: writeSolanaAddress(publicKey) }
}

/** Computes a key or the tweak of one, and the next chain code: 32 bytes each. */
function splitMac(chainCode: Uint8Array, ...parts: readonly Uint8Array[]): [Buffer, Buffer] {
  const mac = createHmac('sha512', chainCode)
  for (const part of parts) mac.update(part)
  const digest = mac.digest()
  return [digest.subarray(0, 32), digest.subarray(32)]
}

function writeIndex(index: number): Buffer {
  const written = Buffer.alloc(4)
  written.writeUInt32BE(index)
  return written
}
