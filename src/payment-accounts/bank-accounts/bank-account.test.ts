import { expect, test } from 'vitest'
import { bankProfile, readBankAccount } from './bank-account.ts'

const ach = { bankAccountPaymentMethod: 'ACH', routingNumber: '021000021', accountNumber: '000123456789' }
const person = { type: 'INDIVIDUAL', firstName: 'Ada', lastName: 'Example' }
const firm = { type: 'BUSINESS', businessName: 'Example Goods' }
const own = { name: 'Ada Customer', isThirdParty: false }
const nameless = { name: '', isThirdParty: false }
const third = { name: 'Ada Customer', isThirdParty: true }
const address = { countryCode: 'US', streetLine1: '548 Market Street', postalCode: 'ABC', stateRegionProvince: 'CA' }

// biome-ignore format: a table is read by column
test.each([
  // sent                                                          whose      fields that are wrong
  [ach,                                                            own,       []],
  [{ ...ach, bankAccountOwner: person },                           own,       []],
  [{ ...ach, bankAccountOwner: firm },                             own,       []],
  [{ ...ach, bankAccountCurrency: 'USD' },                         own,       []],
  [ach,                                                            nameless,  ['bankAccountOwner']],
  [{ ...ach, bankAccountOwner: person },                           nameless,  []],
  [ach,                                                            third,     ['bankAccountOwner']],
  [{ ...ach, bankAccountOwner: firm },                             third,     []],
  [{ ...ach, bankAccountOwner: { type: 'INDIVIDUAL' } },           third,     ['bankAccountOwner.firstName', 'bankAccountOwner.lastName']],
  [{ ...ach, bankAccountOwner: { ...person, lastName: ' ' } },     third,     ['bankAccountOwner.lastName']],
  [{ ...ach, bankAccountOwner: { type: 'BUSINESS' } },             third,     ['bankAccountOwner.businessName']],
  [{ ...ach, bankAccountOwner: { ...person, businessName: 'B' } }, third,     ['bankAccountOwner.businessName']],
  [{ ...ach, bankAccountOwner: { ...firm, firstName: 'Ada' } },    third,     ['bankAccountOwner.firstName']],
  [{ ...ach, bankAccountOwner: { ...person, address } },           third,     ['bankAccountOwner.address.postalCode']],
  [{ ...ach, bankAccountCurrency: 'EUR' },                         own,       ['bankAccountCurrency']],
  [{ ...ach, bankAccountCurrency: 'EUR', routingNumber: '1' },     third,     ['bankAccountCurrency', 'routingNumber', 'bankAccountOwner']],
  [{ ...ach, bankAccountPaymentMethod: 'BASE' },                   own,       []],
  [{ ...ach, bankAccountPaymentMethod: 7 },                        third,     ['bankAccountOwner']],
  [undefined,                                                      own,       []],
  ['text',                                                         own,       []],
] as const)('the account %j of %j has the invalid fields %j', (sent, holder, wrong) => {
  expect(readBankAccount(sent, holder).problems.map(({ field }) => field)).toEqual(wrong)
})

// biome-ignore format: a table is read by column
test.each([
  // owner                                    shown name       shown email
  [undefined,                                 'Ada Customer',  'customer@example.com'],
  [person,                                    'Ada Example',   undefined],
  [{ ...person, email: 'ada@example.com' },   'Ada Example',   'ada@example.com'],
  [firm,                                      'Example Goods', undefined],
])('an account of %j is shown as %s, %s', (bankAccountOwner, ownerName, ownerEmail) => {
  const { details } = readBankAccount({ ...ach, ...(bankAccountOwner ? { bankAccountOwner } : {}) }, own)
  if (!details) throw new Error('a valid account was refused')
  const profile = bankProfile(details, 'customer@example.com')
  expect([profile.ownerName, profile.ownerEmail, profile.bankAccountType]).toEqual([ownerName, ownerEmail, 'CHECKING'])
})

test('the details keep every field', () => {
  const sent = {
    ...ach,
    bankAccountType: 'SAVINGS',
    bankName: 'Bank',
    bankAddress: '1 Street',
    bankAccountOwner: person,
  }
  expect(readBankAccount(sent, own).details).toEqual({
    paymentMethod: 'ACH',
    currency: 'USD',
    bankAccountType: 'SAVINGS',
    bankName: 'Bank',
    bankAddress: '1 Street',
    coordinates: { routingNumber: '021000021', accountNumber: '000123456789' },
    owner: person,
    ownerName: 'Ada Example',
  })
})
