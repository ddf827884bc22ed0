import { validate as validateTckn } from 'stdnum/lib/cjs/tr/tckimlik.js'
import { validate as validateVkn } from 'stdnum/lib/cjs/tr/vkn.js'
import { passesLuhn } from './checksums.ts'
import { birthDay, followStdnum, type NationalIdRule, type NationalIdRules } from './rule.ts'

/** Department of Home Affairs: the date, a serial, 0 for a citizen, and Luhn. */
const southAfricanId: NationalIdRule = {
  types: ['SA_ID', 'NATIONAL_ID'],
  isValid: (number) => /^\d{10}[0-2]\d{2}$/.test(number) && passesLuhn(number),
  birthDay: (number) => birthDay(number.slice(0, 2), number.slice(2, 4), number.slice(4, 6)),
}

/** South African Revenue Service, the tax reference number. */
const isSouthAfricanTaxNumber = (number: string) => /^[01239]\d{9}$/.test(number) && passesLuhn(number)

const egyptianBirthDay = (number: string) =>
  birthDay(`${number.startsWith('2') ? 19 : 20}${number.slice(1, 3)}`, number.slice(3, 5), number.slice(5, 7))

/** The first digit is the century: 2 for 1900 and 3 for 2000. The rule of the last digit is not public. */
const egyptian: NationalIdRule = {
  types: ['NATIONAL_ID'],
  isValid: (number) => /^[23]\d{13}$/.test(number) && egyptianBirthDay(number) !== '',
  birthDay: egyptianBirthDay,
}

/** Written with or without its leading zeros. */
const isIsraeli = (number: string) => /^\d{5,9}$/.test(number) && passesLuhn(number)

/** 1 for citizens, 2 for residents. */
const isSaudi = (number: string) => /^[12]\d{9}$/.test(number) && passesLuhn(number)

// biome-ignore format: a table is read by column
export const middleEastAndAfrica: NationalIdRules = {
  // 784 is the country in ISO 3166-1; then the year of birth.
  AE: [{ types: ['EMIRATES_ID', 'NATIONAL_ID'],         isValid: (number) => /^784(?:19|20)\d{10}$/.test(number) }],
  EG: [egyptian],
  IL: [{ types: ['TEUDAT_ZEHUT', 'NATIONAL_ID', 'TIN'], isValid: isIsraeli }],
  NG: [{ types: ['NIN', 'BVN', 'NATIONAL_ID'],          isValid: (number) => /^\d{11}$/.test(number) }],
  SA: [{ types: ['IQAMA', 'NATIONAL_ID'],               isValid: isSaudi }],
  TR: [
    { types: ['TCKN', 'NATIONAL_ID', 'TIN'],            isValid: followStdnum(validateTckn) },
    { types: ['VKN', 'TIN'],                            isValid: followStdnum(validateVkn) },
  ],
  ZA: [southAfricanId, { types: ['TAX_NUMBER', 'TIN'],  isValid: isSouthAfricanTaxNumber }],
}
