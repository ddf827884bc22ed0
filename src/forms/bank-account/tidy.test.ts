import { expect, test } from 'vitest'
import { tidyAnswers } from './tidy.ts'

test.each([
  [
    { iban: ' de89 3704-0044 ', bankName: '  First  Bank ' },
    { iban: 'de8937040044', bankName: 'First  Bank' },
  ],
  [
    { accountNumber: '0001–2345', bankAccountOwner: { email: ' ', address: { city: '' } } },
    { accountNumber: '00012345' },
  ],
  [
    { accountNumber: 12, iban: ['DE 89'] },
    { accountNumber: 12, iban: ['DE 89'] },
  ],
])('%j is read as %j', (typed, read) => {
  expect(tidyAnswers({ externalBankAccount: typed })).toEqual({ externalBankAccount: read })
})

test('a body of ten thousand levels is left to the schema', () => {
  const deep: unknown = JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)
  expect(() => tidyAnswers(deep)).not.toThrow()
})
