import { createHash, createHmac, randomBytes } from 'node:crypto'
import { entropyToMnemonic, mnemonicToEntropy, mnemonicToSeedSync } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { networkKinds } from '../catalog/network-kinds.ts'
import { type Keyring, openKeyring } from './derivation.ts'

/** Customers' wallets have one seed; the treasury and the relayer another, so that neither can be had with the other. */
export const seedPurposes = ['WALLETS', 'SERVICE'] as const
export type SeedPurpose = (typeof seedPurposes)[number]

/** 24 words. */
const entropyLength = 32

export function createEntropy(): Buffer {
  return randomBytes(entropyLength)
}

/** The entropy of a BIP-39 phrase; undefined when a word or the checksum is wrong. Spaces and case do not matter. */
export function readMnemonic(text: string): Buffer | undefined {
  try {
    return Buffer.from(mnemonicToEntropy(text.trim().toLowerCase().split(/\s+/).join(' '), wordlist))
  } catch {
    return undefined // what went wrong could quote a word
  }
}

export function writeMnemonic(entropy: Uint8Array): string {
  return entropyToMnemonic(entropy, wordlist)
}

/** BIP-39 without a passphrase. The seed is wiped as soon as the keys are derived from it. */
export function openEntropy(entropy: Uint8Array): Keyring {
  const seed = mnemonicToSeedSync(writeMnemonic(entropy))
  const keyring = openKeyring(seed)
  seed.fill(0)
  return keyring
}

/** A name for a seed that anybody may see, made of public keys alone: the same phrase always has the same one. */
export function fingerprintOf(keyring: Keyring): string {
  const hash = createHash('sha256')
  for (const kind of networkKinds) hash.update(keyring.addressAt(kind, 0).publicKey)
  return hash.digest('hex').slice(0, 16)
}

/** A name for the signer's key that says nothing about its bytes. */
export function nameSignerKey(key: Buffer): string {
  return createHmac('sha256', key).update('svc signer key id').digest('hex').slice(0, 16)
}
