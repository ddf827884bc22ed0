import { expect, test } from 'vitest'
import { readCorrection } from './correction.ts'

// biome-ignore format: a table is read by column
test.each([
  ['C01', '1234567890001                ', { accountNumber: '1234567890001' }],
  ['C02', '091000019                    ', { routingNumber: '091000019' }],
  ['C03', '091000019   1234567890001    ', { routingNumber: '091000019', accountNumber: '1234567890001' }],
  ['C03', '091000019   12345678901234567', { routingNumber: '091000019', accountNumber: '12345678901234567' }],
  ['C05', '32                           ', { bankAccountType: 'SAVINGS' }],
  ['C06', '1234567890001       22       ', { accountNumber: '1234567890001', bankAccountType: 'CHECKING' }],
  ['C07', '0910000191234567890001    32 ', { routingNumber: '091000019', accountNumber: '1234567890001', bankAccountType: 'SAVINGS' }],
  ['C01', '                             ', undefined],
  ['C03', '091000019                    ', undefined],
  ['C05', '52                           ', undefined],
  ['C04', 'ANN EXAMPLE                  ', undefined],
  ['C09', '123456                       ', undefined],
] as const)('%s with "%s" corrects %o', (code, corrected, expected) => {
  expect(readCorrection(code, corrected)).toEqual(expected)
})
