import type { ScreenedDocument } from '../../screening/screening.ts'
import type { Person, Submission } from '../submission.ts'

/** Lists the numbers of a submission to screen: documents and national ids of each person, and the business's number. */
export function documentsToScreen({ customerType, identity }: Pick<Submission, 'customerType' | 'identity'>) {
  const { kycData, kybData } = identity
  if (customerType === 'INDIVIDUAL') return numbersOf(kycData ?? {}, 'kycData')
  const { registrationCountry } = kybData?.businessInfo ?? {}
  const people = kybData?.associatedPersons ?? []
  return [
    ...numbered(
      'BUSINESS',
      kybData?.businessRegistrationNumber,
      registrationCountry,
      'kybData.businessRegistrationNumber',
    ),
    ...people.flatMap((person, at) => numbersOf(person, `kybData.associatedPersons[${at}]`)),
  ]
}

function numbersOf({ nationalIdNumber, nationalIdIssuingCountry, documents = [] }: Person, path: string) {
  return [
    ...numbered('INDIVIDUAL', nationalIdNumber, nationalIdIssuingCountry, `${path}.nationalIdNumber`),
    ...documents.flatMap(({ documentIdNumber, countryCode }, at) =>
      numbered('INDIVIDUAL', documentIdNumber, countryCode, `${path}.documents[${at}].documentIdNumber`),
    ),
  ]
}

function numbered(
  kind: ScreenedDocument['kind'],
  number: string | undefined,
  country: string | undefined,
  field: string,
): ScreenedDocument[] {
  return number === undefined ? [] : [{ kind, number, field, ...(country === undefined ? {} : { country }) }]
}
