import { isValidBIC, ValidationErrorsIBAN, validateIBAN } from 'ibantools'
import type { FiatRail } from '../../catalog/currencies.ts'
import { sepaCountries, sepaTerritories } from '../../catalog/payment-methods.ts'
import type { FieldProblem } from '../../lib/refusal.ts'
import { type BankCoordinates, type CoordinateName, coordinateNames } from '../payment-account.ts'

type RailFields = {
  /** The sets of fields that name an account; one of them must be there as a whole. */
  ways: readonly (readonly CoordinateName[])[]
  may: readonly CoordinateName[]
  accountDigits: readonly [least: number, most: number]
}

/**
 * What each rail calls an account by. Lengths: the Nacha file format (17 characters), Payments Canada standard 005 (7 to
 * 12 digits), and the Reserve Bank of India's range for banks (9 to 18 digits).
 */
// biome-ignore format: a table is read by column
export const railFields: Readonly<Record<FiatRail, RailFields>> = {
  ACH:               { ways: [['routingNumber', 'accountNumber']],                                         may: [],           accountDigits: [4, 17] },
  WIRE:              { ways: [['routingNumber', 'accountNumber']],                                         may: ['bicSwift'], accountDigits: [4, 17] },
  SEPA:              { ways: [['iban']],                                                                   may: ['bicSwift'], accountDigits: [0, 0] },
  CA_INTERAC:        { ways: [['interacEmail'], ['institutionNumber', 'transitNumber', 'accountNumber']],  may: [],           accountDigits: [7, 12] },
  IN_NEFT_RTGS_IMPS: { ways: [['ifscCode', 'accountNumber']],                                              may: [],           accountDigits: [9, 18] },
}

/** Reads the coordinates as their rail writes them, or says what is wrong with each field. */
export function readCoordinates(
  rail: FiatRail,
  sent: Readonly<Record<string, unknown>>,
): { coordinates: BankCoordinates; problems: FieldProblem[] } {
  const { ways, may } = railFields[rail]
  const given = coordinateNames.filter((name) => sent[name] !== undefined)
  const chosen = ways.filter((way) => way.some((name) => given.includes(name)))
  const [way = [], other] = chosen
  const problems: FieldProblem[] = [
    ...(chosen.length === 0 ? missing(rail) : []),
    ...(other ? [{ field: way[0] as string, message: `cannot be sent together with ${other.join(', ')}` }] : []),
    ...way.filter((name) => !given.includes(name)).map((field) => ({ field, message: `is required for ${rail}` })),
  ]
  const coordinates: BankCoordinates = {}
  for (const field of given) {
    const value = sent[field]
    if (typeof value !== 'string') continue // the schema has said so
    const isUsed = [...ways.flat(), ...may].includes(field)
    const text = normalize(field, value)
    const message = isUsed ? coordinateProblem(rail, field, text) : `is not used by ${rail}`
    if (message) problems.push({ field, message })
    else coordinates[field] = text
  }
  return { coordinates, problems }
}

/** Nothing at all was sent: the first way is named, and the others with it. */
function missing(rail: FiatRail): FieldProblem[] {
  const [way = [], ...others] = railFields[rail].ways
  const instead = others.map((other) => `, or ${other.join(', ')}`).join('')
  return way.map((field) => ({ field, message: `is required for ${rail}${instead}` }))
}

/** People write an IBAN in groups, and codes in either case. Account numbers are taken as they are. */
function normalize(field: CoordinateName, text: string): string {
  if (field === 'iban' || field === 'bicSwift' || field === 'ifscCode') return text.replaceAll(' ', '').toUpperCase()
  return field === 'interacEmail' ? text.toLowerCase() : text
}

export function coordinateProblem(rail: FiatRail, field: CoordinateName, text: string): string | undefined {
  switch (field) {
    case 'routingNumber':
      return isRoutingNumber(text) ? undefined : 'must be an ABA routing number of 9 digits with a right check digit'
    case 'accountNumber': {
      const [least, most] = railFields[rail].accountDigits
      return isDigits(text, least, most) ? undefined : `must have ${least} to ${most} digits for ${rail}`
    }
    case 'iban':
      return ibanProblem(text)
    case 'bicSwift':
      return isValidBIC(text) ? undefined : 'must be a BIC of 8 or 11 characters'
    case 'ifscCode':
      // Reserve Bank of India: four letters of the bank, a zero, six characters of the branch.
      return /^[A-Z]{4}0[A-Z0-9]{6}$/.test(text) ? undefined : 'must be an IFSC such as HDFC0000123'
    case 'institutionNumber':
      return isDigits(text, 3, 3) ? undefined : 'must have 3 digits'
    case 'transitNumber':
      return isDigits(text, 5, 5) ? undefined : 'must have 5 digits'
    case 'interacEmail':
      return undefined // the schema checks the form of an address
  }
}

/**
 * American Bankers Association: the digits weighted 3, 7, 1 add up to a multiple of ten. The first two are a Federal
 * Reserve district (01–12, with 20 more for thrifts and 60 more for electronic use), the government (00) or cheques (80).
 */
function isRoutingNumber(text: string): boolean {
  if (!isDigits(text, 9, 9) || /^0+$/.test(text)) return false
  const weights = [3, 7, 1]
  const sum = [...text].reduce((total, digit, at) => total + Number(digit) * (weights[at % 3] as number), 0)
  return sum % 10 === 0 && /^(0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/.test(text)
}

function ibanProblem(text: string): string | undefined {
  const country = text.slice(0, 2)
  const isInArea = sepaCountries.includes(country) || sepaTerritories.includes(country)
  const { valid, errorCodes } = validateIBAN(text)
  if (valid) return isInArea ? undefined : 'must be of a country in the SEPA area'
  const { NoIBANProvided, NoIBANCountry, WrongBBANLength, WrongBBANFormat } = ValidationErrorsIBAN
  const has = (...codes: ValidationErrorsIBAN[]) => codes.some((code) => errorCodes.includes(code))
  if (has(NoIBANProvided, NoIBANCountry)) return 'must begin with a country that has IBANs'
  if (has(WrongBBANLength)) return `must have as many characters as ${country} uses`
  if (has(WrongBBANFormat)) return `must have the form that ${country} uses`
  return 'has a wrong check digit'
}

function isDigits(text: string, least: number, most: number): boolean {
  return text.length >= least && text.length <= most && /^\d+$/.test(text)
}
