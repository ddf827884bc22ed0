import { dayOf, isRealDay } from '../../lib/calendar.ts'
import { type Finding, isBlank, needsInformation, type Submission } from '../submission.ts'
import { checkScreen } from './documents/documents.ts'

/** Checks the dates and documents of a business itself. */
export function checkBusinessRecords({ customerType, identity: { kybData }, now }: Submission): Finding[] {
  if (customerType !== 'BUSINESS') return []
  const documents = (kybData?.businessDocuments ?? []).map((document, at) => ({
    ...document,
    path: `kybData.businessDocuments[${at}]`,
  }))
  return [
    ...checkFormation(kybData?.businessInfo?.formationDate, dayOf(now)),
    ...documents.flatMap(({ type, documentImage, path }) => [
      ...(isBlank(type) ? [needsInformation('API_DATA_REQUIREMENTS_NOT_MET', `${path}.type`)] : []),
      ...(documentImage ? [] : [needsInformation('API_DATA_REQUIREMENTS_NOT_MET', `${path}.documentImage`)]),
      ...checkScreen(documentImage, `${path}.documentImage`),
    ]),
  ]
}

function checkFormation(formationDate: string | undefined, today: string): Finding[] {
  if (isBlank(formationDate) || (isRealDay(formationDate) && formationDate <= today)) return []
  return [needsInformation('INVALID_PARAMETERS', 'kybData.businessInfo.formationDate')]
}
