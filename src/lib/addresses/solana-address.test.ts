import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readSolanaAddress, writeSolanaAddress } from './solana-address.ts'

// biome-ignore format: a table is read by column
test.each([
  ['11111111111111111111111111111111',             'the system program'],
  ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',  'the token program'],
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'the mint of USDC'],
  ['So11111111111111111111111111111111111111112',  'the mint of wrapped SOL'],
  ['SysvarC1ock11111111111111111111111111111111',  'the clock'],
])('%s (%s) is 32 bytes', (address) => {
  const bytes = readSolanaAddress(address)
  expect(bytes).toHaveLength(32)
  expect(writeSolanaAddress(bytes as Uint8Array)).toBe(address)
})

// biome-ignore format: a table is read by column
test.each([
  ['',                                                'nothing'],
  ['1111111111111111111111111111111',                 '31 bytes'],
  ['111111111111111111111111111111111',               '33 bytes'],
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt',      'two digits short'],
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1vv',   'one digit more'],
  ['0PjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',    'a zero'],
  ['OPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',    'a capital O'],
  ['IPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',    'a capital I'],
  ['lPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',    'a small L'],
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v ',   'a space'],
  ['zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz',    'more than 32 bytes hold'],
  ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',      'an address of another network'],
])('%j (%s) is not an address', (text) => {
  expect(readSolanaAddress(text)).toBeUndefined()
})

test('any 32 bytes are written and read back', () => {
  for (let zeros = 0; zeros <= 32; zeros++) {
    const bytes = Buffer.concat([Buffer.alloc(zeros), randomBytes(32 - zeros)])
    expect(readSolanaAddress(writeSolanaAddress(bytes))).toEqual(bytes)
  }
})
