import { isValidBIC, ValidationErrorsIBAN, validateIBAN } from 'ibantools'
import type { FiatRail } from '../../catalog/currencies.ts'
import { sepaCountries, sepaTerritories } from '../../catalog/payment-methods.ts'
import type { FieldProblem } from '../../lib/refusal.ts'
import { type BankCoordinates, type CoordinateName, coordinateNames } from '../payment-account.ts'

type RailFields = {
  /** Alternative sets of fields that identify an account; a request sends exactly one set. */
  alternatives: readonly (readonly CoordinateName[])[]
  optional: readonly CoordinateName[]
  accountDigits: readonly [least: number, most: number]
}

/**
 * The fields that identify an account on each rail. Sources of the lengths: the Nacha file format (17 characters),
 * Payments Canada standard 005 (7 to 12 digits), the Reserve Bank of India's range for banks (9 to 18 digits).
 */
// biome-ignore format: a table is read by column
export const railFields: Readonly<Record<FiatRail, RailFields>> = {
  ACH:               { alternatives: [['routingNumber', 'accountNumber']],                                         optional: [],           accountDigits: [4, 17] },
  WIRE:              { alternatives: [['routingNumber', 'accountNumber']],                                         optional: ['bicSwift'], accountDigits: [4, 17] },
  SEPA:              { alternatives: [['iban']],                                                                   optional: ['bicSwift'], accountDigits: [0, 0] },
  CA_INTERAC:        { alternatives: [['interacEmail'], ['institutionNumber', 'transitNumber', 'accountNumber']],  optional: [],           accountDigits: [7, 12] },
  IN_NEFT_RTGS_IMPS: { alternatives: [['ifscCode', 'accountNumber']],                                              optional: [],           accountDigits: [9, 18] },
}

/** Reads the coordinates in the notation of their rail, and lists the problem of each invalid field. */
export function readCoordinates(
  rail: FiatRail,
  sent: Readonly<Record<string, unknown>>,
): { coordinates: BankCoordinates; problems: FieldProblem[] } {
  const { alternatives, optional } = railFields[rail]
  const given = coordinateNames.filter((name) => sent[name] !== undefined)
  const chosen = alternatives.filter((fields) => fields.some((name) => given.includes(name)))
  const [fields = [], other] = chosen
  const problems: FieldProblem[] = [
    ...(chosen.length === 0 ? missingFields(rail) : []),
    ...(other ? [{ field: fields[0] as string, message: `cannot be sent together with ${other.join(', ')}` }] : []),
    ...fields.filter((name) => !given.includes(name)).map((field) => ({ field, message: `is required for ${rail}` })),
  ]
  const coordinates: BankCoordinates = {}
  for (const field of given) {
    const value = sent[field]
    if (typeof value !== 'string') continue // the schema reports it
    const isUsed = [...alternatives.flat(), ...optional].includes(field)
    const text = normalize(field, value)
    const message = isUsed ? coordinateProblem(rail, field, text) : `must be left out for ${rail}`
    if (message) problems.push({ field, message })
    else coordinates[field] = text
  }
  return { coordinates, problems }
}

/** Lists the fields of the first set, and names the alternatives in the message. */
function missingFields(rail: FiatRail): FieldProblem[] {
  const [fields = [], ...others] = railFields[rail].alternatives
  const instead = others.map((other) => `, or ${other.join(', ')}`).join('')
  return fields.map((field) => ({ field, message: `is required for ${rail}${instead}` }))
}

/** Removes the spaces of an IBAN and unifies the case of codes. Account numbers stay as sent. */
function normalize(field: CoordinateName, text: string): string {
  if (field === 'iban' || field === 'bicSwift' || field === 'ifscCode') return text.replaceAll(' ', '').toUpperCase()
  return field === 'interacEmail' ? text.toLowerCase() : text
}

export function coordinateProblem(rail: FiatRail, field: CoordinateName, text: string): string | undefined {
  switch (field) {
    case 'routingNumber':
      return isRoutingNumber(text) ? undefined : 'must be an ABA routing number of 9 digits with a valid check digit'
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
 * Checks the rule of the American Bankers Association: the digits weighted 3, 7, 1 add up to a multiple of ten. The first
 * two are a Federal Reserve district (01–12, plus 20 for thrifts, plus 60 for electronic use), the government (00) or
 * traveller's cheques (80).
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
  if (valid) return isInArea ? undefined : 'must belong to a country in the SEPA area'
  const { NoIBANProvided, NoIBANCountry, WrongBBANLength, WrongBBANFormat } = ValidationErrorsIBAN
  const has = (...codes: ValidationErrorsIBAN[]) => codes.some((code) => errorCodes.includes(code))
  if (has(NoIBANProvided, NoIBANCountry)) return 'must begin with the code of a country that uses IBANs'
  if (has(WrongBBANLength)) return `must have the length of an IBAN of ${country}`
  if (has(WrongBBANFormat)) return `must have the format of an IBAN of ${country}`
  return 'must have valid check digits'
}

function isDigits(text: string, least: number, most: number): boolean {
  return text.length >= least && text.length <= most && /^\d+$/.test(text)
}
