import { HDKey as Bip32Key } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js'
import { describe, expect, test } from 'vitest'
import { openKeyring } from './derivation.ts'
import { createEntropy, fingerprintOf, openEntropy, readMnemonic, writeMnemonic } from './seed.ts'

const hex = (bytes: Uint8Array | null) => Buffer.from(bytes ?? []).toString('hex')
const junk = 'test test test test test test test test test test test junk'
const about = 'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const art = `${'abandon '.repeat(23)}art`
const keyringOf = (phrase: string) => openKeyring(mnemonicToSeedSync(phrase))

// Hardhat's and Foundry's accounts (junk); what `solana-keygen` answers for prompt://?key=<index>/0; BIP-44 generators.
// biome-ignore format: a table is read by column
test.each([
  [junk,  'EVM',    0, '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
  [junk,  'EVM',    1, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
  [junk,  'EVM',    2, '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'],
  [junk,  'EVM',    9, '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720'],
  [about, 'EVM',    0, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94'],
  [junk,  'SOLANA', 0, 'oeYf6KAJkLYhBuR8CiGc6L4D4Xtfepr85fuDgA9kq96'],
  [junk,  'SOLANA', 1, 'AqynRZwvVqUPRwRJXvm6odUb3t93fDjnWe3p6BeuUFxD'],
  [about, 'SOLANA', 0, 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk'],
  [about, 'SOLANA', 1, 'Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb'],
  [about, 'SOLANA', 2, '7WktogJEd2wQ9eH2oWusmcoFTgeYi6rS632UviTBJ2jm'],
] as const)('%s: %s address %i is %s', (phrase, kind, index, address) => {
  const keyring = keyringOf(phrase)
  expect(keyring.addressAt(kind, index).address).toBe(address)
  expect(keyring.keyAt(kind, index).address).toBe(address)
})

test('private keys match those that local chains print', () => {
  const { privateKey } = keyringOf(junk).keyAt('EVM', 0)
  expect(hex(privateKey)).toBe('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
})

test.each([0, 1, 77, 4_096, 2 ** 31 - 1])('the keys at %i are those of the libraries', (index) => {
  const seed = mnemonicToSeedSync(junk)
  const keyring = openKeyring(seed)
  const evm = Bip32Key.fromMasterSeed(seed).derive(`m/44'/60'/0'/0/${index}`)
  const solana = Slip10Key.fromMasterSeed(seed).derive(`m/44'/501'/${index}'/0'`)
  const [onEvm, onSolana] = [keyring.keyAt('EVM', index), keyring.keyAt('SOLANA', index)]
  expect([hex(onEvm.privateKey), hex(onEvm.publicKey)]).toEqual([hex(evm.privateKey), hex(evm.publicKey)])
  expect([hex(onSolana.privateKey), hex(onSolana.publicKey)]).toEqual([
    hex(solana.privateKey),
    hex(solana.publicKeyRaw),
  ])
})

test.each([-1, 0.5, 2 ** 31, Number.NaN])('%d is not an index', (index) => {
  expect(() => keyringOf(junk).addressAt('EVM', index)).toThrow(RangeError)
})

describe('test vectors of the standards', () => {
  // BIP-32, test vector 1.
  const seed = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')
  // biome-ignore format: a table is read by column
  test.each([
    ['m',                        'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi'],
    ["m/0'/1/2'/2/1000000000",   'xprvA41z7zogVVwxVSgdKUHDy1SKmdb533PjDz7J6N6mV6uS3ze1ai8FHa8kmHScGpWmj4WggLyQjgPie1rFSruoUihUZREPSL39UNdE3BBDu76'],
  ])('BIP-32 %s', (path, key) => {
    expect(Bip32Key.fromMasterSeed(seed).derive(path).privateExtendedKey).toBe(key)
  })

  // SLIP-10, test vectors 1 and 2 for ed25519.
  const seed2 = Buffer.from(
    'fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a29f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542',
    'hex',
  )
  // biome-ignore format: a table is read by column
  test.each([
    [seed,  "m/0'/1'/2'/2'/1000000000'",          '8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793', '3c24da049451555d51a7014a37337aa4e12d41e485abccfa46b47dfb2af54b7a'],
    [seed2, "m/0'/2147483647'/1'/2147483646'/2'", '551d333177df541ad876a60ea71f00447931c0a9da16f227c11ea080d7391b8d', '47150c75db263559a70d5778bf36abbab30fb061ad69f69ece61a72b0cfa4fc0'],
  ])('SLIP-10 %#', (given, path, privateKey, publicKey) => {
    const derived = Slip10Key.fromMasterSeed(given).derive(path)
    expect([hex(derived.privateKey), hex(derived.publicKeyRaw)]).toEqual([privateKey, publicKey])
  })

  // biome-ignore format: a table is read by column
  test.each([
    // phrase  entropy               seed without a passphrase
    [about,    '00'.repeat(16),      '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4'],
    [art,      '00'.repeat(32),      '408b285c123836004f4b8842c89324c1f01382450c0d439af345ba7fc49acf705489c6fc77dbd4e3dc1dd8cc6bc9f043db8ada1e243c4a0eafb290d399480840'],
  ])('BIP-39 %s', (phrase, entropy, expected) => {
    expect(hex(readMnemonic(phrase) ?? null)).toBe(entropy)
    expect(hex(mnemonicToSeedSync(phrase))).toBe(expected)
  })
})

test('a phrase is read in any case and spacing, and refused with a wrong word, order or number of words', () => {
  const entropy = readMnemonic(about)
  expect(entropy).toBeDefined()
  expect(readMnemonic(`  ${about.toUpperCase().replaceAll(' ', ' \n\t')} `)).toEqual(entropy)
  for (const wrong of [
    '',
    'abandon',
    about.replace('about', 'abandon'),
    about.replace('about', 'abuot'),
    `${about} art`,
  ])
    expect(readMnemonic(wrong), wrong).toBeUndefined()
})

test('new entropy gives 24 words that restore it, and the same seed always has the same fingerprint', () => {
  const entropy = createEntropy()
  const phrase = writeMnemonic(entropy)
  expect(phrase.split(' ')).toHaveLength(24)
  expect(readMnemonic(phrase)).toEqual(entropy)
  expect(fingerprintOf(openEntropy(entropy))).toBe(fingerprintOf(keyringOf(phrase)))
  expect(fingerprintOf(openEntropy(createEntropy()))).not.toBe(fingerprintOf(keyringOf(phrase)))
})
