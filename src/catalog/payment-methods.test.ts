import { expect, test } from 'vitest'
import { isCountryCode } from './countries.ts'
import {
  availableMethods,
  closedCountries,
  isPaymentMethod,
  paymentMethodNames,
  paymentMethods,
  sepaCountries,
  sepaTerritories,
} from './payment-methods.ts'

const fiat = ['ACH', 'WIRE', 'SEPA', 'CA_INTERAC', 'IN_NEFT_RTGS_IMPS']
const crypto = ['ARBITRUM', 'BASE', 'ETHEREUM', 'OPTIMISM', 'POLYGON', 'SOLANA']
const all = [...fiat, ...crypto]

test('the methods are those of the contract, in its order', () => {
  expect(paymentMethodNames).toEqual(all)
  expect(paymentMethodNames.filter((name) => paymentMethods[name].kind === 'fiat')).toEqual(fiat)
  expect(paymentMethodNames.filter((name) => paymentMethods[name].kind === 'crypto')).toEqual(crypto)
  for (const name of all) expect(isPaymentMethod(name)).toBe(true)
  for (const name of ['ach', 'PIX', '', 'toString']) expect(isPaymentMethod(name)).toBe(false)
})

// biome-ignore format: a table is read by column
test.each([
  ['ACH',               ['USD']],
  ['WIRE',              ['USD']],
  ['SEPA',              ['EUR']],
  ['CA_INTERAC',        ['CAD']],
  ['IN_NEFT_RTGS_IMPS', ['INR']],
  ['POLYGON',           ['USDC']],
  ['BASE',              ['USDC', 'EURC']],
] as const)('%s moves %j', (name, currencies) => {
  expect(paymentMethods[name].currencies).toEqual(currencies)
})

// biome-ignore format: a table is read by column
test.each([
  // country  fiat rails                    crypto
  ['US',      ['ACH', 'WIRE'],               crypto],
  ['PR',      ['ACH', 'WIRE'],               crypto],
  ['DE',      ['WIRE', 'SEPA'],              crypto],
  ['GB',      ['WIRE', 'SEPA'],              crypto],
  ['CH',      ['WIRE', 'SEPA'],              crypto],
  ['RS',      ['WIRE', 'SEPA'],              crypto],
  ['JE',      ['WIRE', 'SEPA'],              crypto],
  ['RE',      ['WIRE', 'SEPA'],              crypto],
  ['CA',      ['WIRE', 'CA_INTERAC'],        crypto],
  ['IN',      ['WIRE', 'IN_NEFT_RTGS_IMPS'], crypto],
  ['BR',      ['WIRE'],                      crypto],
  ['UA',      ['WIRE'],                      crypto],
  ['GL',      ['WIRE'],                      crypto],
  ['CU',      [],                            []],
  ['IR',      [],                            []],
  ['KP',      [],                            []],
  ['SY',      [],                            []],
])('a resident of %s can use %j and the networks %j', (countryCode, rails, networks) => {
  for (const customerType of ['INDIVIDUAL', 'BUSINESS'] as const) {
    expect(availableMethods({ customerType, countryCode, configured: all })).toEqual([...rails, ...networks])
  }
})

test('only what is configured is available, once, in the order of the contract', () => {
  const customer = { customerType: 'INDIVIDUAL', countryCode: 'US' } as const
  const configured = ['SOLANA', 'PIX', 'WIRE', 'SEPA', 'ACH', 'ACH']
  expect(availableMethods({ ...customer, configured })).toEqual(['ACH', 'WIRE', 'SOLANA'])
  expect(availableMethods({ ...customer, configured: [] })).toEqual([])
})

test('a customer without a known country may use no method', () => {
  expect(availableMethods({ customerType: 'BUSINESS', countryCode: undefined, configured: all })).toEqual([])
})

test('the lists name only countries, each once', () => {
  expect(sepaCountries).toHaveLength(41)
  expect(sepaTerritories).toHaveLength(13)
  const listed = [...sepaCountries, ...sepaTerritories, ...Object.keys(closedCountries)]
  expect(new Set(listed).size).toBe(listed.length)
  for (const code of listed) expect([code, isCountryCode(code)]).toEqual([code, true])
})
