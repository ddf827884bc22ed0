import type { FiatRail } from '../../catalog/currencies.ts'
import { readCoordinates } from '../../payment-accounts/bank-accounts/bank-coordinates.ts'
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
  const read = rails.map((rail) => readCoordinates(rail, request.coordinates))
  const [problem] = read.flatMap(({ problems }) => problems)
  if (problem) throw new Error(`--coordinates: ${problem.field} ${problem.message}.`)
  const coordinates = Object.fromEntries(read.flatMap((each) => Object.entries(each.coordinates)))
  return { holderName, coordinates, dialect: readDialect(rails, request.dialect) }
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
