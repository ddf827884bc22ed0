import { digitsOf, passesLuhn, passesMod1110, remainder, weightedSum } from './checksums.ts'
import { birthDay, type NationalIdRule, type NationalIdRules } from './rule.ts'

const twoDigits = (number: string, at: number) => Number.parseInt(number.slice(at, at + 2), 10)

/** Returns the day that is `days` after another: some countries number the days of birth. */
function dayAfter(start: string, days: number): string {
  return new Date(Date.parse(`${start}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/** Skatteverket, SKV 704: Luhn over the last ten digits; a coordination number has 60 more as its day. */
const personnummer: NationalIdRule = {
  types: ['PERSONNUMMER', 'NATIONAL_ID', 'TIN'],
  isValid: (number) => /^(?:18|19|20)?\d{10}$/.test(number) && passesLuhn(number.slice(-10)),
  birthDay: (number) =>
    birthDay(number.slice(0, -8), twoDigits(number.slice(-10), 2), twoDigits(number.slice(-10), 4) % 60),
}

/** Skatteetaten: two check digits; a D number has 40 more as its day, invented persons a month above 12. */
const fodselsnummer: NationalIdRule = {
  types: ['FODSELSNUMMER', 'NATIONAL_ID', 'TIN'],
  isValid: (number) =>
    /^\d{11}$/.test(number) &&
    weightedSum(number, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
    weightedSum(number, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  birthDay: (number) => birthDay(number.slice(4, 6), number.slice(2, 4), twoDigits(number, 0) % 40),
}

const cprBirthDay = (number: string) => birthDay(number.slice(4, 6), number.slice(2, 4), twoDigits(number, 0) % 60)

/** CPR-kontoret: numbers issued since October 2007 may have no check digit, so only the date is checked. */
const cpr: NationalIdRule = {
  types: ['CPR', 'NATIONAL_ID', 'TIN'],
  isValid: (number) => /^\d{10}$/.test(number) && cprBirthDay(number) !== '',
  birthDay: cprBirthDay,
}

const hetuShape = /^(\d\d)(\d\d)(\d\d)([A-FU-Y]?)(\d{3})([0-9A-FHJ-NPR-Y])$/

/** Digi- ja väestötietovirasto: the remainder by 31; since 2023 several signs stand for each century. */
const hetu: NationalIdRule = {
  types: ['HETU', 'NATIONAL_ID', 'TIN'],
  isValid: (number) => {
    const [, day, month, year, , serial, check] = hetuShape.exec(number) ?? []
    return (
      check !== undefined &&
      '0123456789ABCDEFHJKLMNPRSTUVWXY'[remainder(`${day}${month}${year}${serial}`, 31)] === check
    )
  },
  birthDay: (number) => {
    const [, day = '', month = '', year = '', sign = ''] = hetuShape.exec(number) ?? []
    // A dash or a plus is a separator and gone by now: 1900 or 1800.
    const century = sign === '' ? '' : sign <= 'F' ? '20' : '19'
    return birthDay(`${century}${year}`, month, day)
  },
}

/** Standards EVS 585 of Estonia and the same in Lithuania: a second set of weights when the first gives ten. */
const balticCode = (name: string): NationalIdRule => ({
  types: [name, 'NATIONAL_ID', 'TIN'],
  isValid: (number) => {
    if (!/^[1-9]\d{10}$/.test(number)) return false
    const first = weightedSum(number, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11
    const second = weightedSum(number, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11
    return (first < 10 ? first : second % 10) === digitsOf(number)[10]
  },
  birthDay: (number) => {
    const century = 18 + Math.floor((Number.parseInt(number, 10) / 1e10 - 1) / 2)
    return number.startsWith('9')
      ? ''
      : birthDay(`${century}${number.slice(1, 3)}`, number.slice(3, 5), number.slice(5, 7))
  },
})

/** Ministerstwo Cyfryzacji: the century is added to the month, 20 for each after 1900 and 80 for 1800. */
const pesel: NationalIdRule = {
  types: ['PESEL', 'NATIONAL_ID', 'TIN'],
  isValid: (number) => /^\d{11}$/.test(number) && weightedSum(number, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
  birthDay: (number) => {
    const month = twoDigits(number, 2)
    const century = ['19', '20', '21', '22', '18'][Math.floor(month / 20)]
    return birthDay(`${century}${number.slice(0, 2)}`, month % 20, number.slice(4, 6))
  },
}

const isNip = (number: string) =>
  /^\d{10}$/.test(number) && weightedSum(number, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === digitsOf(number)[9]

const rodneCisloBirthDay = (number: string) =>
  birthDay(number.slice(0, 2), (twoDigits(number, 2) % 50) % 20, number.slice(4, 6))

/** Zákon 133/2000 Sb.: nine digits until 1953; then divisible by 11, or rarely ending in 0 for ten. */
const rodneCislo: NationalIdRule = {
  types: ['RODNE_CISLO', 'NATIONAL_ID', 'TIN'],
  isValid: (number) => {
    if (/^\d{9}$/.test(number)) return rodneCisloBirthDay(number) !== ''
    return /^\d{10}$/.test(number) && remainder(number.slice(0, 9), 11) % 10 === digitsOf(number)[9]
  },
  birthDay: rodneCisloBirthDay,
}

/** Az adózás rendjéről szóló törvény: 8, the days since 1867, a serial, a check digit. */
const hungarianTaxNumber: NationalIdRule = {
  types: ['ADOAZONOSITO_JEL', 'TIN'],
  isValid: (number) =>
    /^8\d{9}$/.test(number) && weightedSum(number, [1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11 === digitsOf(number)[9],
  birthDay: (number) => dayAfter('1867-01-01', Number.parseInt(number.slice(1, 6), 10)),
}

/** Legea 105/1996: the first digit tells sex and century; 7, 8 and 9 are foreigners and tell none. */
const cnp: NationalIdRule = {
  types: ['CNP', 'NATIONAL_ID', 'TIN'],
  isValid: (number) => {
    if (!/^[1-9]\d{12}$/.test(number)) return false
    const rest = weightedSum(number, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11
    return (rest === 10 ? 1 : rest) === digitsOf(number)[12]
  },
  birthDay: (number) => {
    const century = ['19', '19', '18', '18', '20', '20'][Number.parseInt(number.charAt(0), 10) - 1] ?? ''
    return birthDay(`${century}${number.slice(1, 3)}`, number.slice(3, 5), number.slice(5, 7))
  },
}

/** GRAO: 20 is added to the month before 1900 and 40 from 2000 on. */
const egn: NationalIdRule = {
  types: ['EGN', 'NATIONAL_ID', 'TIN'],
  isValid: (number) =>
    /^\d{10}$/.test(number) && (weightedSum(number, [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10 === digitsOf(number)[9],
  birthDay: (number) => {
    const month = twoDigits(number, 2)
    return birthDay(
      `${['19', '18', '20'][Math.floor(month / 20)]}${number.slice(0, 2)}`,
      month % 20,
      number.slice(4, 6),
    )
  },
}

/** The number of the former Yugoslavia, in use in its successors: the year without its first digit. */
const jmbg: NationalIdRule = {
  types: ['JMBG', 'EMSO', 'NATIONAL_ID'],
  isValid: (number) =>
    /^\d{13}$/.test(number) && weightedSum(number, [7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  birthDay: (number) =>
    birthDay(`${number.charAt(4) === '0' ? 2 : 1}${number.slice(4, 7)}`, number.slice(2, 4), number.slice(0, 2)),
}

/** Derzhavna podatkova sluzhba: the first five digits count the days since the end of 1899. */
const ukrainianTaxNumber: NationalIdRule = {
  types: ['RNTRC', 'RNOKPP', 'TIN'],
  isValid: (number) =>
    /^\d{10}$/.test(number) &&
    (((weightedSum(number, [-1, 5, 7, 9, 4, 6, 10, 5, 7]) % 11) + 11) % 11) % 10 === digitsOf(number)[9],
  birthDay: (number) => dayAfter('1899-12-31', Number.parseInt(number.slice(0, 5), 10)),
}

/** Federalnaya nalogovaya sluzhba: two check digits for people. */
const inn: NationalIdRule = {
  types: ['INN', 'TIN'],
  isValid: (number) =>
    /^\d{12}$/.test(number) &&
    (weightedSum(number, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === digitsOf(number)[10] &&
    (weightedSum(number, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10 === digitsOf(number)[11],
}

const isOib = (number: string) => /^\d{11}$/.test(number) && passesMod1110(number)

// biome-ignore format: a table is read by column
export const northernAndEasternEurope: NationalIdRules = {
  BA: [jmbg],
  BG: [egn],
  CZ: [rodneCislo],
  DK: [cpr],
  EE: [balticCode('ISIKUKOOD')],
  FI: [hetu],
  HR: [{ types: ['OIB', 'NATIONAL_ID', 'TIN'],           isValid: isOib }],
  HU: [hungarianTaxNumber],
  LT: [balticCode('ASMENS_KODAS')],
  // Codes issued since 2017 start with 32 and hold no date.
  LV: [{ types: ['PERSONAS_KODS', 'NATIONAL_ID', 'TIN'], isValid: (number) => /^[0-3]\d{10}$/.test(number) }],
  ME: [jmbg],
  MK: [jmbg],
  NO: [fodselsnummer],
  PL: [pesel, { types: ['NIP', 'TIN'],                   isValid: isNip }],
  RO: [cnp],
  RS: [jmbg],
  RU: [inn],
  SE: [personnummer],
  SI: [jmbg],
  SK: [rodneCislo],
  UA: [ukrainianTaxNumber],
}
