import { validate as validateAhv } from 'stdnum/lib/cjs/ch/ssn.js'
import { validate as validateSpi } from 'stdnum/lib/cjs/fr/nif.js'
import { validate as validateCodiceFiscale } from 'stdnum/lib/cjs/it/codicefiscale.js'
import { validate as validateBsn } from 'stdnum/lib/cjs/nl/bsn.js'
import { digitsOf, passesMod1110, remainder, weightedSum } from './checksums.ts'
import { birthDay, followStdnum, type NationalIdRule, type NationalIdRules } from './rule.ts'

/** HM Revenue & Customs, National Insurance Manual NIM39110: letters and pairs of letters that are not used. */
function isNino(number: string): boolean {
  return /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]$/.test(number)
}

/** HM Revenue & Customs: the first digit checks the other nine. Letters show a K before or after it. */
function isUtr(number: string): boolean {
  const [, check, rest = ''] = /^K?(\d)(\d{9})K?$/.exec(number) ?? []
  return '21987654321'[weightedSum(rest, [6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11] === check
}

/** Revenue Commissioners: since 2013 the second letter counts, nine times its place in the alphabet. */
function isPpsn(number: string): boolean {
  if (!/^\d{7}[A-W][ABHWTX]?$/.test(number)) return false
  const second = Math.max('WABCDEFGHI'.indexOf(number[8] ?? 'W'), 0)
  return (
    'WABCDEFGHIJKLMNOPQRSTUV'[(weightedSum(number.slice(0, 7), [8, 7, 6, 5, 4, 3, 2]) + second * 9) % 23] === number[7]
  )
}

/** Bundeszentralamt für Steuern: one digit of the first ten comes twice or three times, never three in a row. */
function isSteuerId(number: string): boolean {
  if (!/^[1-9]\d{10}$/.test(number) || /(\d)\1\1/.test(number.slice(0, 10))) return false
  const first = number.slice(0, 10)
  const repeated = [...new Set(first)].map((digit) => first.split(digit).length - 1).filter((times) => times > 1)
  return repeated.length === 1 && (repeated[0] ?? 0) <= 3 && passesMod1110(number)
}

/** INSEE: the key is 97 less the remainder; Corsica's 2A and 2B count as 19 and 18. */
function isNir(number: string): boolean {
  if (!/^[1-478]\d{4}(?:\d\d|2[AB])\d{8}$/.test(number)) return false
  const counted = number.slice(0, 13).replace('2A', '19').replace('2B', '18')
  return 97 - remainder(counted, 97) === Number.parseInt(number.slice(13), 10)
}

/** Those born from 2000 on count a 2 in front. */
function belgianCentury(number: string): string | undefined {
  if (!/^\d{11}$/.test(number)) return undefined
  const key = Number.parseInt(number.slice(9), 10)
  if (97 - remainder(number.slice(0, 9), 97) === key) return '19'
  return 97 - remainder(`2${number.slice(0, 9)}`, 97) === key ? '20' : undefined
}

const nationalRegisterNumber: NationalIdRule = {
  types: ['NRN', 'NISS', 'NATIONAL_ID', 'TIN'],
  isValid: (number) => belgianCentury(number) !== undefined,
  // Zeros stand for an unknown day. A foreigner who is not registered has 20 or 40 more as the month.
  birthDay: (number) =>
    birthDay(`${belgianCentury(number)}${number.slice(0, 2)}`, number.slice(2, 4), number.slice(4, 6)),
}

/** Ministerio del Interior: the letter of the remainder by 23; Y and Z in front count 1 and 2, other letters 0. */
function isDniOrNie(number: string): boolean {
  if (!/^[\dKLMXYZ]\d{7}[A-Z]$/.test(number)) return false
  const counted = number.slice(0, 8).replace(/^[A-Z]/, (letter) => String(Math.max('XYZ'.indexOf(letter), 0)))
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[remainder(counted, 23)] === number[8]
}

/** Autoridade Tributária: modulo 11, remainders below 2 give 0. */
function isPortugueseNif(number: string): boolean {
  if (!/^(?:[1235689]|45|7[0-24-9])\d+$/.test(number) || number.length !== 9) return false
  const rest = weightedSum(number.slice(0, 8), [9, 8, 7, 6, 5, 4, 3, 2]) % 11
  return (rest < 2 ? 0 : 11 - rest) === Number.parseInt(number.slice(-1), 10)
}

const codiceFiscaleShape = /^[A-Z]{6}([\dLMNP-V]{2})([A-EHLMPR-T])([\dLMNP-V]{2})[A-Z][\dLMNP-V]{3}[A-Z]$/

const codiceFiscale: NationalIdRule = {
  types: ['CODICE_FISCALE', 'TIN'],
  isValid: followStdnum(validateCodiceFiscale),
  birthDay: codiceFiscaleBirthDay,
}

/** Two people with one code are told apart by letters in place of digits; a woman's day is 40 more. */
function codiceFiscaleBirthDay(number: string): string {
  const plain = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => String('LMNPQRSTUV'.indexOf(letter)))
  const [, year = '', month = '', day = ''] = codiceFiscaleShape.exec(number) ?? []
  return birthDay(plain(year), 'ABCDEHLMPRST'.indexOf(month) + 1, Number.parseInt(plain(day), 10) % 40)
}

/** Hauptverband der Sozialversicherungsträger: the fourth digit checks the others. */
function isSvnr(number: string): boolean {
  if (!/^[1-9]\d{9}$/.test(number)) return false
  return weightedSum(number, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === digitsOf(number)[3]
}

/** Independent Authority for Public Revenue: powers of two, modulo 11, ten becomes 0. */
function isAfm(number: string): boolean {
  if (!/^\d{9}$/.test(number)) return false
  return (weightedSum(number, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === digitsOf(number)[8]
}

// biome-ignore format: a table is read by column
export const westernEurope: NationalIdRules = {
  AT: [{ types: ['SVNR'],                                          isValid: isSvnr }],
  BE: [nationalRegisterNumber],
  CH: [{ types: ['AHV', 'AVS', 'TIN'],                             isValid: followStdnum(validateAhv) }],
  DE: [{ types: ['STEUER_ID', 'IDNR', 'TIN'],                      isValid: isSteuerId }],
  ES: [{ types: ['DNI', 'NIE', 'NIF', 'NATIONAL_ID', 'TIN'],       isValid: isDniOrNie }],
  FR: [
    { types: ['NIR', 'INSEE'],                                     isValid: isNir },
    { types: ['SPI', 'NIF', 'TIN'],                                isValid: followStdnum(validateSpi) },
  ],
  GB: [
    { types: ['NINO', 'TIN'],                                      isValid: isNino },
    { types: ['UTR', 'TIN'],                                       isValid: isUtr },
  ],
  GR: [{ types: ['AFM', 'TIN'],                                    isValid: isAfm }],
  IE: [{ types: ['PPSN', 'PPS', 'TIN'],                            isValid: isPpsn }],
  IT: [codiceFiscale],
  NL: [{ types: ['BSN', 'TIN'],                                    isValid: followStdnum(validateBsn) }],
  PT: [{ types: ['NIF', 'TIN'],                                    isValid: isPortugueseNif }],
}
