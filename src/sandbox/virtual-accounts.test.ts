import { isValidBIC, isValidIBAN } from 'ibantools'
import { expect, test } from 'vitest'
import { fiatCurrencies, fiatLabels } from '../catalog/currencies.ts'
import { readCoordinates } from '../payment-accounts/bank-accounts/bank-coordinates.ts'
import { sandboxVirtualAccounts } from './virtual-accounts.ts'

const open = async (currency: string, number: bigint) =>
  (await sandboxVirtualAccounts.open({ currency, number })).coordinates

test.each(fiatLabels)(
  'accounts in %s are valid on every rail of the currency, and no two are the same',
  async (currency) => {
    const seen = new Set<string>()
    for (const number of [1n, 2n, 9n, 10n, 96n, 97n, 98n, 12_345n, 99_999_999n]) {
      const coordinates = await open(currency, number)
      for (const rail of fiatCurrencies[currency].rails) {
        expect([number, readCoordinates(rail, coordinates).problems]).toEqual([number, []])
      }
      seen.add(JSON.stringify(coordinates))
    }
    expect(seen.size).toBe(9)
  },
)

test('the IBAN and the BIC belong to one bank', async () => {
  const { iban = '', bicSwift = '' } = await open('EUR', 1n)
  expect([isValidIBAN(iban), isValidBIC(bicSwift)]).toEqual([true, true])
  expect(iban.slice(4, 8)).toBe(bicSwift.slice(0, 4))
})
