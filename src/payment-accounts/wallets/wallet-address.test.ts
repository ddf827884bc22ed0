import { randomBytes } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { expect, test } from 'vitest'
import { tokenAssets, tokenContracts, tokens } from '../../catalog/currencies.ts'
import { writeSolanaAddress } from '../../lib/addresses/solana-address.ts'
import { readWalletAddress } from './wallet-address.ts'

const contracts = tokenContracts()
const problemOf = (network: 'BASE' | 'SOLANA', text: string) => {
  const read = readWalletAddress(network, text, contracts)
  return read.ok ? undefined : read.problem
}

// biome-ignore format: a table is read by column
test.each([
  // address                                            problem
  ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',        undefined],
  ['0xd8da6bf26964af9d7eed9e03e53415d37aa96045',        undefined],
  ['0xD8DA6BF26964AF9D7EED9E03E53415D37AA96045',        undefined],
  ['0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',        undefined],
  ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8',        undefined],
  ['0x27b1fdb04752bbc536007a920d24acb045561c26',        undefined],
  ['0x52908400098527886E0F7030069857D2E4169EE7',        undefined],
  ['0x0000000000000000000000000000000001000000',        undefined],
  ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA9604',         'must be 0x and 40 hexadecimal digits'],
  ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA960455',       'must be 0x and 40 hexadecimal digits'],
  ['d8dA6BF26964aF9D7eEd9e03E53415D37aA96045',          'must be 0x and 40 hexadecimal digits'],
  ['0Xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',        'must be 0x and 40 hexadecimal digits'],
  ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA9604g',        'must be 0x and 40 hexadecimal digits'],
  [' 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',       'must be 0x and 40 hexadecimal digits'],
  ['vitalik.eth',                                       'must be 0x and 40 hexadecimal digits'],
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',      'must be 0x and 40 hexadecimal digits'],
  ['',                                                  'must be 0x and 40 hexadecimal digits'],
  ['0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045',        'has a wrong EIP-55 checksum'],
  ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046',        'has a wrong EIP-55 checksum'],
  ['0xf39fD6e51aad88F6F4ce6aB8827279cffFb92266',        'has a wrong EIP-55 checksum'],
  ['0x0000000000000000000000000000000000000000',        'is an address that nobody has the key of'],
  ['0x0000000000000000000000000000000000000001',        'is an address that nobody has the key of'],
  ['0x000000000000000000000000000000000000dEaD',        'is an address that nobody has the key of'],
  ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',        'is the contract of a token, not a wallet'],
  ['0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',        'is the contract of a token, not a wallet'],
  ['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',        'is the contract of a token, not a wallet'],
] as const)('of %j on an EVM network is said: %s', (text, problem) => {
  expect(problemOf('BASE', text)).toBe(problem)
})

// biome-ignore format: a table is read by column
test.each([
  // address                                            problem
  ['vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg',       undefined],
  ['9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',      undefined],
  ['11111111111111111111111111111111',                  'is a program, not a wallet'],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',       'is a program, not a wallet'],
  ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',       'is a program, not a wallet'],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',      'is a program, not a wallet'],
  ['ComputeBudget111111111111111111111111111111',       'is a program, not a wallet'],
  ['SysvarC1ock11111111111111111111111111111111',       'is a program, not a wallet'],
  ['So11111111111111111111111111111111111111112',       'is a program, not a wallet'],
  ['1111111111111111111111111111111',                   'must be 32 bytes in base58'],
  ['111111111111111111111111111111111',                 'must be 32 bytes in base58'],
  ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',        'must be 32 bytes in base58'],
  ['OPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',      'must be 32 bytes in base58'],
  ['lPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',      'must be 32 bytes in base58'],
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v ',     'must be 32 bytes in base58'],
  ['zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',      'must be 32 bytes in base58'],
  ['bonfida.sol',                                       'must be 32 bytes in base58'],
  ['',                                                  'must be 32 bytes in base58'],
] as const)('of %j on Solana is said: %s', (text, problem) => {
  expect(problemOf('SOLANA', text)).toBe(problem)
})

test('the public key of anybody is a wallet, and addresses that programs made are not', () => {
  for (let count = 0; count < 20; count++) {
    expect(problemOf('SOLANA', writeSolanaAddress(ed25519.getPublicKey(randomBytes(32))))).toBeUndefined()
  }
  const offCurve = Array.from({ length: 200 }, () => writeSolanaAddress(randomBytes(32))).filter(
    (address) => problemOf('SOLANA', address) !== undefined,
  )
  expect(offCurve.length).toBeGreaterThan(40)
})

test('points of small order are nobody’s wallet', () => {
  const one = Buffer.alloc(32)
  one[0] = 1
  expect(problemOf('SOLANA', writeSolanaAddress(one))).toMatch(/not a wallet/)
})

test.each(tokenAssets)('neither contract of %s is a wallet', (asset) => {
  const network = asset.endsWith('SOLANA') ? 'SOLANA' : 'BASE'
  for (const contract of [tokens[asset].contract, tokens[asset].testContract]) {
    expect(problemOf(network, contract)).toMatch(/not a wallet/)
  }
})
