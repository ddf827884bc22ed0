import { validate as validateAadhaar } from 'stdnum/lib/cjs/in/aadhaar.js'
import { digitsOf, passesMod112, weightedSum } from './checksums.ts'
import { birthDay, followStdnum, type NationalIdRule, type NationalIdRules } from './rule.ts'

/** GB 11643-1999: the place, the date, a serial that is odd for men, and a check character. */
const chineseResident: NationalIdRule = {
  types: ['RESIDENT_ID', 'NATIONAL_ID', 'TIN'],
  isValid: (number) => /^[1-9]\d{16}[\dX]$/.test(number) && passesMod112(number),
  birthDay: (number) => birthDay(number.slice(6, 10), number.slice(10, 12), number.slice(12, 14)),
}

/** Ordinance 85 of 2014 of the Ministry of Internal Affairs, article 5. */
function isMyNumber(number: string): boolean {
  if (!/^\d{12}$/.test(number)) return false
  const rest = weightedSum(number, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
  return (rest < 2 ? 0 : 11 - rest) === digitsOf(number)[11]
}

function koreanBirthDay(number: string): string {
  const century = ['18', '19', '19', '20', '20', '19', '19', '20', '20', '18'][Number.parseInt(number.charAt(6), 10)]
  return birthDay(`${century}${number.slice(0, 2)}`, number.slice(2, 4), number.slice(4, 6))
}

/** Numbers issued since October 2020 end in random digits, so only the date is checked. */
const koreanResident: NationalIdRule = {
  types: ['RRN', 'ARC', 'NATIONAL_ID', 'TIN'],
  isValid: (number) => /^\d{13}$/.test(number) && koreanBirthDay(number) !== '',
  birthDay: koreanBirthDay,
}

const taiwaneseLetters = 'ABCDEFGHJKLMNPQRSTUVXYWZIO'

/** The letter stands for 10 to 35 in an order of its own; its two digits weigh 1 and 9. */
function isTaiwanese(number: string): boolean {
  if (!/^[A-Z][1289]\d{8}$/.test(number)) return false
  const letter = taiwaneseLetters.indexOf(number.charAt(0)) + 10
  return weightedSum(`${letter}${number.slice(1)}`, [1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1]) % 10 === 0
}

/** Immigration Department of Hong Kong: letters count from 10, a missing first one 36, A in the end ten. */
function isHkid(number: string): boolean {
  if (!/^[A-Z]{1,2}\d{6}[\dA]$/.test(number)) return false
  const values = Array.from(number, (character) => Number.parseInt(character, 36))
  const padded = values.length === 8 ? [36, ...values] : values
  return padded.reduce((sum, value, at) => sum + value * (9 - at), 0) % 11 === 0
}

/** Immigration & Checkpoints Authority of Singapore: citizens S and T, foreigners F, G and, since 2022, M. */
function isNric(number: string): boolean {
  if (!/^[STFGM]\d{7}[A-Z]$/.test(number)) return false
  const [first = '', last = ''] = [number.charAt(0), number.charAt(8)]
  const offset = 'TG'.includes(first) ? 4 : first === 'M' ? 3 : 0
  const letters = 'ST'.includes(first) ? 'JZIHGFEDCBA' : first === 'M' ? 'XWUTRQPNJLK' : 'XWUTRQPNMLK'
  return letters[(weightedSum(number.slice(1, 8), [2, 7, 6, 5, 4, 3, 2]) + offset) % 11] === last
}

/** Department of Provincial Administration of Thailand. */
function isThai(number: string): boolean {
  if (!/^[1-9]\d{12}$/.test(number)) return false
  return (
    (11 - (weightedSum(number.slice(0, 12), [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 ===
    digitsOf(number)[12]
  )
}

const myKadBirthDay = (number: string) => birthDay(number.slice(0, 2), number.slice(2, 4), number.slice(4, 6))

const myKad: NationalIdRule = {
  types: ['MYKAD', 'NRIC', 'NATIONAL_ID'],
  isValid: (number) => /^\d{12}$/.test(number) && myKadBirthDay(number) !== '',
  birthDay: myKadBirthDay,
}

const nikBirthDay = (number: string) =>
  birthDay(number.slice(10, 12), number.slice(8, 10), Number.parseInt(number.slice(6, 8), 10) % 40)

/** The district, the date with 40 more as a woman's day, a serial. */
const nik: NationalIdRule = {
  types: ['NIK', 'KTP', 'NATIONAL_ID'],
  isValid: (number) => /^[1-9]\d{15}$/.test(number) && nikBirthDay(number) !== '',
  birthDay: nikBirthDay,
}

/** Income Tax Department of India: the fourth letter is the kind of holder, P for a person. */
const isPan = (number: string) => /^[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]$/.test(number)

/** Law 223-III of 2007: a second set of weights when the first gives ten; ten again is not assigned. */
const kazakhstani: NationalIdRule = {
  types: ['IIN', 'NATIONAL_ID', 'TIN'],
  isValid: (number) => {
    if (!/^\d{6}[0-6]\d{5}$/.test(number)) return false
    const first = weightedSum(number, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) % 11
    const second = weightedSum(number, [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]) % 11
    return (first < 10 ? first : second) === digitsOf(number)[11]
  },
  birthDay: (number) => {
    const century = ['', '18', '18', '19', '19', '20', '20'][Number.parseInt(number.charAt(6), 10)]
    return birthDay(`${century}${number.slice(0, 2)}`, number.slice(2, 4), number.slice(4, 6))
  },
}

/** Australian Taxation Office: older numbers have eight digits. */
function isTfn(number: string): boolean {
  if (/^\d{8}$/.test(number)) return weightedSum(number, [10, 7, 8, 4, 6, 3, 5, 1]) % 11 === 0
  return /^\d{9}$/.test(number) && weightedSum(number, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0
}

/** Inland Revenue of New Zealand: a second set of weights when the first gives ten. */
function isIrd(number: string): boolean {
  const padded = number.padStart(9, '0')
  if (!/^\d{8,9}$/.test(number) || padded <= '010000000' || padded >= '200000000') return false
  const first = (11 - (weightedSum(padded, [3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11
  const second = (11 - (weightedSum(padded, [7, 4, 3, 2, 5, 2, 7, 6]) % 11)) % 11
  return (first < 10 ? first : second) === digitsOf(padded)[8]
}

// biome-ignore format: a table is read by column
export const asiaAndOceania: NationalIdRules = {
  AU: [{ types: ['TFN', 'TIN'],                          isValid: isTfn }],
  CN: [chineseResident],
  HK: [{ types: ['HKID', 'NATIONAL_ID', 'TIN'],          isValid: isHkid }],
  ID: [nik],
  IN: [
    { types: ['AADHAAR', 'NATIONAL_ID'],                 isValid: followStdnum(validateAadhaar) },
    { types: ['PAN', 'TIN', 'NATIONAL_ID'],              isValid: isPan },
  ],
  JP: [{ types: ['MY_NUMBER', 'TIN'],                    isValid: isMyNumber }],
  KR: [koreanResident],
  KZ: [kazakhstani],
  MY: [myKad],
  NZ: [{ types: ['IRD', 'TIN'],                          isValid: isIrd }],
  PK: [{ types: ['CNIC', 'NICOP', 'NATIONAL_ID', 'TIN'], isValid: (number) => /^[1-9]\d{12}$/.test(number) }],
  SG: [{ types: ['NRIC', 'FIN', 'NATIONAL_ID', 'TIN'],   isValid: isNric }],
  TH: [{ types: ['NATIONAL_ID', 'TIN'],                  isValid: isThai }],
  TW: [{ types: ['NATIONAL_ID', 'ARC'],                  isValid: isTaiwanese }],
}
