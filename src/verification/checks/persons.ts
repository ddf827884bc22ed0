import { checkNationalId } from '../national-ids/national-id.ts'
import type { Finding, Person, PersonCheck, Submission } from '../submission.ts'
import { checkPersonAddress } from './address.ts'
import { checkAge } from './age.ts'
import { checkPersonCompleteness } from './completeness.ts'
import { checkConsistency } from './documents/consistency.ts'
import { checkDocuments } from './documents/documents.ts'
import { checkProofOfAddress } from './documents/proof-of-address.ts'
import { checkPhone } from './phone.ts'

const personChecks: readonly PersonCheck[] = [
  checkPersonCompleteness,
  checkAge,
  checkPersonAddress,
  checkPhone,
  checkNationalId,
  checkDocuments,
  checkProofOfAddress,
  checkConsistency,
]

/** Checks every person of a submission alike: the individual, or each associated person of a business. */
export function checkPersons(submission: Submission): Finding[] {
  return peopleOf(submission).flatMap(({ person, path }) =>
    personChecks.flatMap((check) => check(person, path, submission.now)),
  )
}

function peopleOf({ customerType, identity: { kycData, kybData } }: Submission): { person: Person; path: string }[] {
  if (customerType === 'INDIVIDUAL') return [{ person: kycData ?? {}, path: 'kycData' }]
  return (kybData?.associatedPersons ?? []).map((person, at) => ({ person, path: `kybData.associatedPersons[${at}]` }))
}
