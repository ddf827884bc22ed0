import type { FiatRail } from '../../catalog/currencies.ts'
import { coordinateProblem, readCoordinates } from '../../payment-accounts/bank-accounts/bank-coordinates.ts'
import type { BankCoordinates } from '../../payment-accounts/payment-account.ts'
import type { AccountFiles, BankDialect, NachaDialect } from './bank-account.ts'

const digits = (count: number) => ({ pattern: new RegExp(`^\\d{${count}}$`), says: `must have ${count} digits` })
const name = (most: number) => ({
  pattern: new RegExp(`^[A-Z0-9][A-Z0-9 .,&/-]{0,${most - 1}}$`),
  says: `must be 1 to ${most} capital letters, digits and spaces`,
})

/** The fields of a NACHA dialect, and the form of each: Nacha Operating Rules, file and batch header records. */
const nachaFields: Readonly<Record<keyof NachaDialect, { pattern: RegExp; says: string }>> = {
  immediateDestination: digits(9),
  immediateOrigin: { pattern: /^(\d{9}|[A-Z0-9]{10})$/, says: 'must have 9 digits, or 10 characters' },
  destinationName: name(23),
  originName: name(23),
  companyId: { pattern: /^[A-Z0-9]{10}$/, says: 'must have 10 capital letters and digits' },
  companyName: name(16),
  odfi: digits(8),
}

type Texts = Readonly<Record<string, string>>

export type FilesRequest = { holderName: string; coordinates: Texts; dialect: Texts }

/** Reads how files name an account; throws an error that names the option and what to change. */
export function readAccountFiles(rails: readonly FiatRail[], request: FilesRequest): AccountFiles {
  const { holderName } = request
  if (holderName.trim() === '' || holderName.length > 70)
    throw new Error('--holder must be a name of 1 to 70 characters.')
  // A message of our bank names it by its BIC, on rails whose receivers have none, too.
  const { bicSwift: told, ...named } = request.coordinates
  const bicSwift = told?.replaceAll(' ', '').toUpperCase()
  const read = rails.map((rail) => readCoordinates(rail, named))
  const wrongBic = bicSwift === undefined ? undefined : coordinateProblem('WIRE', 'bicSwift', bicSwift)
  const problems = read.flatMap((each) => each.problems)
  const [problem] = wrongBic ? [{ field: 'bicSwift', message: wrongBic }] : problems
  if (problem) throw new Error(`--coordinates: ${problem.field} ${problem.message}.`)
  const coordinates = Object.fromEntries(read.flatMap((each) => Object.entries(each.coordinates)))
  const bank = bicSwift === undefined ? {} : { bicSwift }
  return { holderName, coordinates: { ...coordinates, ...bank }, dialect: readDialect(rails, request.dialect) }
}

function readDialect(rails: readonly FiatRail[], given: Texts): BankDialect {
  const isIso = rails.some((rail) => rail !== 'ACH')
  const known = [...(rails.includes('ACH') ? Object.keys(nachaFields) : []), ...(isIso ? isoFields : [])]
  const unknown = Object.keys(given).find((field) => !known.includes(field))
  if (unknown) throw new Error(`--dialect: ${unknown} is no field for these rails; they have ${known.join(', ')}.`)
  return {
    ...(rails.includes('ACH') ? { nacha: readNacha(given) } : {}),
    ...(isIso ? { iso20022: readIso(given) } : {}),
  }
}

function readNacha(given: Texts): NachaDialect {
  for (const [field, { pattern, says }] of Object.entries(nachaFields)) {
    if (!pattern.test(given[field] ?? '')) throw new Error(`--dialect: ${field} ${says}.`)
  }
  const read = Object.keys(nachaFields).map((field) => [field, given[field]])
  return Object.fromEntries(read) as NachaDialect
}

const isoFields = ['initiatingPartyId', 'batchBooking']

function readIso({ initiatingPartyId, batchBooking = 'false' }: Texts) {
  if (!['true', 'false'].includes(batchBooking)) throw new Error('--dialect: batchBooking must be true or false.')
  if (initiatingPartyId !== undefined && !/^[A-Za-z0-9-]{1,35}$/.test(initiatingPartyId))
    throw new Error('--dialect: initiatingPartyId must be 1 to 35 letters, digits and hyphens.')
  return { batchBooking: batchBooking === 'true', ...(initiatingPartyId === undefined ? {} : { initiatingPartyId }) }
}

const bankCodes = ['routingNumber', 'ifscCode', 'institutionNumber', 'transitNumber', 'bicSwift'] as const
const plain = (text = '') => text.replaceAll(/[^0-9A-Za-z]/g, '').toUpperCase()

/** True when two sets of coordinates may name one account: the same IBAN, or the same number at a bank that may be one. */
export function isSameAccount(one: BankCoordinates, other: BankCoordinates): boolean {
  if (one.iban !== undefined && other.iban !== undefined) return plain(one.iban) === plain(other.iban)
  const number = plain(one.accountNumber)
  if (number === '' || number !== plain(other.accountNumber)) return false
  // The last three characters of a BIC name a branch.
  return bankCodes.every((code) => {
    const [left, right] = [plain(one[code]), plain(other[code])].map((text) =>
      code === 'bicSwift' ? text.slice(0, 8) : text,
    )
    return left === '' || right === '' || left === right
  })
}
