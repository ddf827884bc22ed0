import { expect, test } from 'vitest'
import { normalizeAddress } from './address.ts'

const evm = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const solana = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

// biome-ignore format: a table is read by column
test.each([
  ['EVM',    evm,                        evm],
  ['EVM',    evm.toLowerCase(),          evm],
  ['EVM',    `0x${evm.slice(2).toUpperCase()}`, evm],
  ['EVM',    evm.replace('5aA', '5Aa'),  evm],
  ['EVM',    evm.slice(0, -1),           undefined],
  ['EVM',    solana,                     undefined],
  ['SOLANA', solana,                     solana],
  ['SOLANA', solana.replace('E', '0'),   undefined],
  ['SOLANA', evm,                        undefined],
] as const)('%s address %s', (kind, text, expected) => {
  expect(normalizeAddress(kind, text)).toBe(expected)
})
