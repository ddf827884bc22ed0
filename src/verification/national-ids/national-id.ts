import { nationalIdTypeOf } from '../../catalog/codes/national-id-types.ts'
import { type Finding, isBlank, needsInformation, type Person } from '../submission.ts'
import { americas } from './americas.ts'
import { asiaAndOceania } from './asia-and-oceania.ts'
import { middleEastAndAfrica } from './middle-east-and-africa.ts'
import { northernAndEasternEurope } from './northern-and-eastern-europe.ts'
import { type NationalIdRule, type NationalIdRules, withoutSeparators } from './rule.ts'
import { westernEurope } from './western-europe.ts'

export const nationalIdRules: NationalIdRules = {
  ...americas,
  ...westernEurope,
  ...northernAndEasternEurope,
  ...asiaAndOceania,
  ...middleEastAndAfrica,
}

/** The verdict on a number by itself: whether it follows its country's rules, and the birth date it tells. */
export type NationalIdReading = 'unknown' | 'wrong' | { birthDay: string }

export function readNationalId(countryCode: string, type: string, number: string): NationalIdReading {
  const rules: readonly NationalIdRule[] = Object.hasOwn(nationalIdRules, countryCode)
    ? (nationalIdRules[countryCode] ?? [])
    : []
  const kind = nationalIdTypeOf(countryCode, type) ?? ''
  const candidates = rules.filter(({ types }) => types.includes(kind))
  if (candidates.length === 0) return 'unknown'
  const plain = withoutSeparators(number)
  // Zeros pass many sums, and are assigned to no person.
  const fitting = /^0+$/.test(plain) ? undefined : candidates.find((rule) => rule.isValid(plain))
  return fitting === undefined ? 'wrong' : { birthDay: fitting.birthDay?.(plain) ?? '' }
}

/** Checks that the number follows its country's rules and tells the birth date of the person. */
export function checkNationalId(person: Person, path: string): Finding[] {
  const { nationalIdIssuingCountry, nationalIdType, nationalIdNumber, dateOfBirth } = person
  if (isBlank(nationalIdIssuingCountry) || isBlank(nationalIdType) || isBlank(nationalIdNumber)) return []
  const reading = readNationalId(nationalIdIssuingCountry, nationalIdType, nationalIdNumber)
  if (reading === 'unknown') return []
  if (reading === 'wrong') return [needsInformation('ID_NUMBER_NOT_VERIFIED', `${path}.nationalIdNumber`)]
  const isOther = !isBlank(dateOfBirth) && !dateOfBirth.endsWith(reading.birthDay)
  return isOther ? [needsInformation('BIRTH_DATE_MISMATCH', `${path}.dateOfBirth`)] : []
}
