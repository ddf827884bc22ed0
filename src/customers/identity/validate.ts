import { postalCodeProblem } from '../../catalog/postal-codes/postal-codes.ts'
import { regionProblem } from '../../catalog/regions.ts'
import type { FieldProblem } from '../../lib/refusal.ts'

type Tree = Record<string, unknown>
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Applies the rules over several fields to the merged data. Skips values of a wrong type: the schema reports them. */
export function findIdentityProblems(
  identity: { kycData?: unknown; kybData?: unknown },
  patch: typeof identity,
): FieldProblem[] {
  const { kycData, kybData } = identity
  const kyc = isTree(kycData) ? kycData : {}
  const kyb = isTree(kybData) ? kybData : {}
  const persons = listOf(kyb.associatedPersons)
  return [
    ...addressProblems('kycData.address', kyc.address),
    ...addressProblems('kybData.businessRegisteredAddress', kyb.businessRegisteredAddress),
    ...addressProblems('kybData.businessOperatingAddress', kyb.businessOperatingAddress),
    ...persons.flatMap((person, at) =>
      addressProblems(`kybData.associatedPersons[${at}].address`, isTree(person) ? person.address : undefined),
    ),
    ...nationalIdProblems('kycData', patch.kycData),
    ...listOf(isTree(patch.kybData) ? patch.kybData.associatedPersons : []).flatMap((person, at) =>
      nationalIdProblems(`kybData.associatedPersons[${at}]`, person),
    ),
  ]
}

/** Checks postal code and region in countries with rules for them. */
export function addressProblems(field: string, address: unknown): FieldProblem[] {
  if (!isTree(address)) return []
  const countryCode = textOf(address.countryCode)
  const postalCode = textOf(address.postalCode)
  const region = textOf(address.stateRegionProvince)
  if (countryCode === undefined) return []
  const postal = postalCode === undefined ? undefined : postalCodeProblem(countryCode, postalCode)
  const regional = region === undefined ? undefined : regionProblem(countryCode, region)
  return [
    ...(postal ? [{ field: `${field}.postalCode`, message: postal }] : []),
    ...(regional ? [{ field: `${field}.stateRegionProvince`, message: regional }] : []),
  ]
}

const nationalIdFields = ['nationalIdType', 'nationalIdNumber', 'nationalIdIssuingCountry']

/** Requires all three national id fields or none: one alone means nothing. */
function nationalIdProblems(field: string, person: unknown): FieldProblem[] {
  if (!isTree(person)) return []
  // Three nulls clear the national id.
  const isCleared = nationalIdFields.every((name) => person[name] === null)
  const missing = nationalIdFields.filter((name) => person[name] === undefined || person[name] === null)
  const isNotSent = nationalIdFields.every((name) => person[name] === undefined)
  if (missing.length === 0 || isCleared || isNotSent) return []
  const sent = nationalIdFields.filter((name) => !missing.includes(name))
  const together =
    sent.length > 0
      ? `must be sent together with ${sent.join(' and ')}`
      : 'must be null as well: the three fields of a national id are cleared together'
  return missing.map((name) => ({ field: `${field}.${name}`, message: together }))
}
