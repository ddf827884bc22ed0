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
  ['0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045',        'must have a valid EIP-55 checksum'],
  ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96046',        'must have a valid EIP-55 checksum'],
  ['0xf39fD6e51aad88F6F4ce6aB8827279cffFb92266',        'must have a valid EIP-55 checksum'],
  ['0x0000000000000000000000000000000000000000',        'must be a wallet, not an address without a known key'],
  ['0x0000000000000000000000000000000000000001',        'must be a wallet, not an address without a known key'],
  ['0x000000000000000000000000000000000000dEaD',        'must be a wallet, not an address without a known key'],
  ['0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',        'must be a wallet, not a token contract'],
  ['0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',        'must be a wallet, not a token contract'],
  ['0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',        'must be a wallet, not a token contract'],
] as const)('the problem of %j on an EVM network: %s', (text, problem) => {
  expect(problemOf('BASE', text)).toBe(problem)
})

// biome-ignore format: a table is read by column
test.each([
  // address                                            problem
  ['vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg',       undefined],
  ['9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',      undefined],
  ['11111111111111111111111111111111',                  'must be a wallet, not a program'],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',       'must be a wallet, not a program'],
  ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',       'must be a wallet, not a program'],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',      'must be a wallet, not a program'],
  ['ComputeBudget111111111111111111111111111111',       'must be a wallet, not a program'],
  ['SysvarC1ock11111111111111111111111111111111',       'must be a wallet, not a program'],
  ['So11111111111111111111111111111111111111112',       'must be a wallet, not a program'],
  ['1111111111111111111111111111111',                   'must be 32 bytes in base58'],
  ['111111111111111111111111111111111',                 'must be 32 bytes in base58'],
  ['0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',        'must be 32 bytes in base58'],
  ['OPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',      'must be 32 bytes in base58'],
  ['lPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',      'must be 32 bytes in base58'],
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v ',     'must be 32 bytes in base58'],
  ['zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',      'must be 32 bytes in base58'],
  ['bonfida.sol',                                       'must be 32 bytes in base58'],
  ['',                                                  'must be 32 bytes in base58'],
] as const)('the problem of %j on Solana: %s', (text, problem) => {
  expect(problemOf('SOLANA', text)).toBe(problem)
})

test('any public key is a wallet, and addresses derived by programs are not', () => {
  for (let count = 0; count < 20; count++) {
    expect(problemOf('SOLANA', writeSolanaAddress(ed25519.getPublicKey(randomBytes(32))))).toBeUndefined()
  }
  const offCurve = Array.from({ length: 200 }, () => writeSolanaAddress(randomBytes(32))).filter(
    (address) => problemOf('SOLANA', address) !== undefined,
  )
  expect(offCurve.length).toBeGreaterThan(40)
})

test('a point of small order is not a wallet', () => {
  const one = Buffer.alloc(32)
  one[0] = 1
  expect(problemOf('SOLANA', writeSolanaAddress(one))).toMatch(/must be a wallet/)
})

test.each(tokenAssets)('neither contract of %s is a wallet', (asset) => {
  const network = asset.endsWith('SOLANA') ? 'SOLANA' : 'BASE'
  for (const contract of [tokens[asset].contract, tokens[asset].testContract]) {
    expect(problemOf(network, contract)).toMatch(/must be a wallet/)
  }
})
