import { validate as validateCnpj } from 'stdnum/lib/cjs/br/cnpj.js'
import { validate as validateCpf } from 'stdnum/lib/cjs/br/cpf.js'
import { validate as validateRuc } from 'stdnum/lib/cjs/pe/ruc.js'
import { validate as validateEin } from 'stdnum/lib/cjs/us/ein.js'
import { digitsOf, passesLuhn, weightedSum } from './checksums.ts'
import { birthDay, followStdnum, type NationalIdRule, type NationalIdRules } from './rule.ts'

/**
 * Social Security Administration, POMS RM 10201.035: no area 000, 666 or above 899, no group 00, no serial 0000.
 * The other two were printed in a wallet and in a pamphlet, and are assigned to no person.
 */
const socialSecurityNumber: NationalIdRule = {
  types: ['SSN', 'TIN'],
  isValid: (number) =>
    /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(number) && !['078051120', '219099999'].includes(number),
}

/** Internal Revenue Service, Publication 4757 and IRM 3.21.263: the fourth and fifth digits of an ITIN. */
const individualTaxpayerNumber: NationalIdRule = {
  types: ['ITIN', 'TIN'],
  isValid: (number) => /^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\d{4}$/.test(number),
}

/** Internal Revenue Service, "How EINs are assigned and valid EIN prefixes". */
const employerNumber: NationalIdRule = {
  types: ['EIN', 'TIN'],
  isValid: followStdnum(validateEin),
}

const unitedStates = [socialSecurityNumber, individualTaxpayerNumber, employerNumber]

const passesCpfSum = followStdnum(validateCpf)

/** Receita Federal: eleven equal digits add up, and are assigned to no person. */
const isCpf = (number: string) => new Set(number).size > 1 && passesCpfSum(number)

const curpShape = /^[A-Z][AEIOUX][A-Z]{2}(\d{2})(\d{2})(\d{2})[HMX][A-Z]{2}[^AEIOU\d]{3}([0-9A-Z])\d$/
const curpAlphabet = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ'

/** Registro Nacional de Población, Instructivo normativo para la asignación de la CURP. */
function isCurp(number: string): boolean {
  if (!curpShape.test(number)) return false
  const sum = Array.from(number.slice(0, 17)).reduce(
    (total, character, at) => total + curpAlphabet.indexOf(character) * (18 - at),
    0,
  )
  return (10 - (sum % 10)) % 10 === Number.parseInt(number.slice(-1), 10)
}

function curpBirthDay(number: string): string {
  const [, year = '', month = '', day = '', serial = ''] = curpShape.exec(number) ?? []
  return birthDay(`${/\d/.test(serial) ? '19' : '20'}${year}`, month, day)
}

/** Administración Federal de Ingresos Públicos: modulo 11; numbers with the result 10 are not assigned. */
function isCuit(number: string): boolean {
  if (!/^(?:2[03-7]|3[034])\d{9}$/.test(number)) return false
  return weightedSum(number, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
}

/** Registro Civil of Chile: weights 2 to 7 from the right, K stands for ten. */
function isRut(number: string): boolean {
  if (!/^\d{6,8}[\dK]$/.test(number)) return false
  const sum = digitsOf(number.slice(0, -1))
    .reverse()
    .reduce((total, digit, at) => total + digit * (2 + (at % 6)), 0)
  return '0123456789K'[(11 - (sum % 11)) % 11] === number.slice(-1)
}

/** Dirección Nacional de Identificación Civil of Uruguay. */
function isUruguayanCedula(number: string): boolean {
  if (!/^\d{7,8}$/.test(number)) return false
  return weightedSum(number.padStart(8, '0'), [2, 9, 8, 7, 6, 3, 4, 1]) % 10 === 0
}

/** Registro Civil of Ecuador: the province of issue, or 30 for those abroad, and Luhn. */
function isEcuadorianCedula(number: string): boolean {
  return /^(?:0[1-9]|1\d|2[0-4]|30)\d{8}$/.test(number) && passesLuhn(number)
}

// biome-ignore format: a table is read by column
export const americas: NationalIdRules = {
  US: unitedStates, PR: unitedStates, GU: unitedStates, VI: unitedStates, AS: unitedStates, MP: unitedStates,
  CA: [
    // Employment and Social Development Canada: 8 is for businesses; the tax agency assigns 0 to non-residents.
    { types: ['SIN'],                     isValid: (number) => /^[1-79]\d{8}$/.test(number) && passesLuhn(number) },
    { types: ['ITN', 'BN', 'TIN'],        isValid: (number) => /^\d{9}$/.test(number) && passesLuhn(number) },
  ],
  BR: [
    { types: ['CPF', 'TIN'],              isValid: isCpf },
    { types: ['CNPJ', 'TIN'],             isValid: followStdnum(validateCnpj) },
  ],
  MX: [
    { types: ['CURP', 'NATIONAL_ID'],     isValid: isCurp, birthDay: curpBirthDay },
    // Código Fiscal: letters of the name, the date, a key of three. The key has exceptions, so only its shape counts.
    { types: ['RFC', 'TIN'],              isValid: (number) => /^[A-ZÑ&]{3,4}\d{6}[0-9A-Z]{3}$/.test(number) },
  ],
  AR: [
    { types: ['DNI', 'NATIONAL_ID'],      isValid: (number) => /^\d{7,8}$/.test(number) },
    { types: ['CUIT', 'CUIL', 'TIN'],     isValid: isCuit },
  ],
  CL: [{ types: ['RUT', 'RUN', 'NATIONAL_ID', 'TIN'], isValid: isRut }],
  CO: [{ types: ['CEDULA', 'CC', 'NATIONAL_ID'],      isValid: (number) => /^\d{5,10}$/.test(number) }],
  EC: [{ types: ['CEDULA', 'NATIONAL_ID'],            isValid: isEcuadorianCedula }],
  PE: [
    { types: ['DNI', 'NATIONAL_ID', 'TIN'],           isValid: (number) => /^\d{8}[0-9A-K]?$/.test(number) },
    { types: ['RUC', 'TIN'],                          isValid: followStdnum(validateRuc) },
  ],
  UY: [{ types: ['CEDULA', 'CI', 'NATIONAL_ID'],      isValid: isUruguayanCedula }],
}
