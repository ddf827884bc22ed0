import { makeApplicant, makeApplyingBusiness } from '../applicants.ts'
import { daysAgo } from './individuals.ts'
import type { Kind } from './kind.ts'

const asked = 'NEEDS_ADDITIONAL_INFORMATION'
const reviewed = 'with a reviewer'
const named = { businessName: 'Example Goods Inc' }
const correctable = 'the contract lets the customer review the submission and correct it'

/** A business whose first person has these changes, each time with numbers of its own. */
function withPersons(...changes: object[]): object {
  const persons = changes.map((change) => ({ ...makeApplyingBusiness().associatedPersons[0], ...change }))
  return makeApplyingBusiness({ associatedPersons: persons })
}

function withInfo(changes: object): object {
  const business = makeApplyingBusiness()
  return { ...business, businessInfo: { ...business.businessInfo, ...changes } }
}

const owners = (...shares: (number | undefined)[]) =>
  withPersons(...shares.map((share) => ({ ownershipPercentage: share })))
const documentImage = makeApplicant().documents[0]?.frontIdImage

// biome-ignore format: a table is read by column
export const businesses: readonly Kind[] = [
  { kind: 'complete', profile: named, data: makeApplyingBusiness(), ends: 'ACTIVE', codes: [] },

  // Persons
  { kind: 'no persons', data: makeApplyingBusiness({ associatedPersons: [] }), ends: asked, codes: ['API_DATA_REQUIREMENTS_NOT_MET'] },
  { kind: 'owners of 60 % together', data: owners(35, 25), ends: 'ACTIVE', codes: [], why: 'owners below a quarter need not be named' },
  { kind: 'owners of 130 % together', data: owners(70, 60), ends: asked, codes: ['INCONSISTENT_INFORMATION'], why: correctable },
  { kind: 'a share of 0.5 beside one of 60', data: owners(0.5, 60), ends: asked, codes: ['INCONSISTENT_INFORMATION'], why: correctable },
  { kind: 'owners of 130 % and no document', data: { ...owners(70, 60), businessDocuments: [] }, ends: asked, codes: ['API_DATA_REQUIREMENTS_NOT_MET', 'INCONSISTENT_INFORMATION'], why: correctable },
  { kind: 'no shares at all', data: owners(undefined), ends: 'ACTIVE', codes: [] },
  { kind: 'no control person', data: withPersons({ isControlPerson: false }), ends: asked, codes: ['API_DATA_REQUIREMENTS_NOT_MET'] },
  { kind: 'a person without document', data: withPersons({ documents: [] }), ends: asked, codes: ['NO_GOVERNMENT_ID'] },
  { kind: 'a person of seventeen', data: withPersons({ dateOfBirth: daysAgo(17 * 365.25 + 100) }), ends: reviewed, codes: ['ADDITIONAL_WARNING'], why: 'nothing to correct' },

  // The business itself
  { kind: 'no documents', data: makeApplyingBusiness({ businessDocuments: [] }), ends: asked, codes: ['API_DATA_REQUIREMENTS_NOT_MET'] },
  { kind: 'another name than on creation', profile: { businessName: 'Quill Shipping' }, data: makeApplyingBusiness(), ends: asked, codes: ['ID_DATA_MISMATCH'], why: correctable },
  { kind: 'a trade name alone', profile: named, data: { businessInfo: { dbaName: 'Corner Shop' } }, ends: asked, codes: ['API_DATA_REQUIREMENTS_NOT_MET', 'MISSING_NAME'], why: 'names are compared only where both were given' },
  { kind: 'a website alone', profile: named, data: { businessInfo: { website: 'https://example.com' } }, ends: asked, codes: ['API_DATA_REQUIREMENTS_NOT_MET', 'MISSING_NAME'] },
  { kind: 'formed in the future', data: withInfo({ formationDate: daysAgo(-30) }), ends: asked, codes: ['INVALID_PARAMETERS'] },
  { kind: 'registered at a post office box', data: makeApplyingBusiness({ businessRegisteredAddress: { ...makeApplicant().address, streetLine1: 'PO Box 123' } }), ends: asked, codes: ['ID_REQUIRES_ADDITIONAL_VERIFICATION'], why: 'an address issue of the contract' },

  // Codes that people send
  { kind: 'a business of type LLC', data: withInfo({ businessType: 'LLC' }), ends: 'ACTIVE', codes: [] },
  { kind: 'purpose PAYROLL', data: makeApplyingBusiness({ accountPurpose: 'PAYROLL' }), ends: 'ACTIVE', codes: [] },
  { kind: 'volume BETWEEN_100000_999999', data: makeApplyingBusiness({ expectedMonthlyVolumeUsd: 'BETWEEN_100000_999999' }), ends: 'ACTIVE', codes: [] },
  { kind: 'a CERTIFICATE_OF_INCORPORATION', data: makeApplyingBusiness({ businessDocuments: [{ type: 'CERTIFICATE_OF_INCORPORATION', documentImage }] }), ends: 'ACTIVE', codes: [] },

  // Activities and places
  { kind: 'a high-risk activity without explanation', data: makeApplyingBusiness({ highRiskActivities: ['ADULT_ENTERTAINMENT'] }), ends: asked, codes: ['API_DATA_REQUIREMENTS_NOT_MET'] },
  { kind: 'a high-risk activity with explanation', data: makeApplyingBusiness({ highRiskActivities: ['ADULT_ENTERTAINMENT'], highRiskActivitiesExplanation: 'A licensed cinema' }), ends: reviewed, codes: ['ADDITIONAL_WARNING'], why: 'a reviewer reads the explanation' },
  { kind: 'money services with description', data: makeApplyingBusiness({ conductsMoneyServices: true, conductsMoneyServicesDescription: 'Remittances' }), ends: reviewed, codes: ['ADDITIONAL_WARNING'], why: 'a reviewer reads the description' },
  { kind: 'operations in prohibited countries', data: makeApplyingBusiness({ operatesInProhibitedCountries: true }), ends: reviewed, codes: ['ADDITIONAL_WARNING'], why: 'nothing to correct' },
]
