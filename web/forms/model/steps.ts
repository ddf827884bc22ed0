import { documentPath, listAt, read, readText } from './paths.ts'
import type { Catalog, FormState } from './types.ts'

/** One page of the form: its topic, and the fields on it. */
export type Step = {
  id: string
  topic: string
  fields: string[]
  /** The person that the page is about. */
  person?: number
  kind?: 'people' | 'papers' | 'check'
}

/** The fields of an address. A country without postal codes is asked for none. */
export function addressFields(
  { values }: Pick<FormState, 'values'>,
  { postalCodes }: Catalog,
  path: string,
  withCountry = false,
): string[] {
  const hasCode = !postalCodes.none.includes(readText(values, `${path}.countryCode`))
  const names = ['streetLine1', 'streetLine2', 'city', 'stateRegionProvince']
  return [...(withCountry ? ['countryCode'] : []), ...names, ...(hasCode ? ['postalCode'] : [])].map(
    (name) => `${path}.${name}`,
  )
}

export function stepsOf(state: FormState, catalog: Catalog): Step[] {
  return state.customerType === 'BUSINESS' ? businessSteps(state, catalog) : personSteps(state, catalog)
}

function personSteps(state: FormState, catalog: Catalog): Step[] {
  const at = (...names: string[]) => names.map((name) => `kycData.${name}`)
  const isOther = readText(state.values, 'kycData.accountPurpose') === 'OTHER'
  return [
    { id: 'country', topic: 'country', fields: at('address.countryCode', 'nationality') },
    { id: 'about', topic: 'about', fields: at('legalFirstName', 'legalMiddleName', 'legalLastName', 'dateOfBirth') },
    {
      id: 'contact',
      topic: 'contact',
      fields: [...at('phoneNumber'), ...addressFields(state, catalog, 'kycData.address')],
    },
    { id: 'number', topic: 'number', fields: at('nationalIdIssuingCountry', 'nationalIdType', 'nationalIdNumber') },
    {
      id: 'money',
      topic: 'money',
      fields: at(
        'employmentStatus',
        'mostRecentOccupation',
        'sourceOfFunds',
        'accountPurpose',
        ...(isOther ? ['accountPurposeOther'] : []),
        'expectedMonthlyPaymentsUsd',
        'isIntermediary',
      ),
    },
    { id: 'document', topic: 'document', fields: documentFields(state, catalog, 'kycData') },
    { id: 'check', topic: 'check', fields: [], kind: 'check' },
  ]
}

/** The fields of a person's identity document. Of a passport one page is enough. */
export function documentFields({ values }: FormState, catalog: Catalog, person: string): string[] {
  const path = documentPath(values, person, 'GOVERNMENT_ID')
  const subtype = readText(values, `${path}.subtype`)
  const sides =
    subtype === '' || catalog.oneSided.includes(subtype) ? ['frontIdImage'] : ['frontIdImage', 'backIdImage']
  const names = ['subtype', 'countryCode', 'documentIdNumber', 'issuanceDate', 'expirationDate', ...sides]
  return [...names.map((name) => `${path}.${name}`), ...proofFields(values, person)]
}

/** The fields of a proof of address, which is optional unless an issue asks for it. */
function proofFields(values: unknown, person: string): string[] {
  const path = documentPath(values, person, 'PROOF_OF_ADDRESS')
  if (read(values, `${path}.type`) === undefined) return []
  return ['subtype', 'issuanceDate', 'proofOfAddressImage'].map((name) => `${path}.${name}`)
}

function businessSteps(state: FormState, catalog: Catalog): Step[] {
  const { values } = state
  const at = (...names: string[]) => names.map((name) => `kybData.${name}`)
  const isYes = (name: string) => read(values, `kybData.${name}`) === true
  const hasRisks = listAt(values, 'kybData.highRiskActivities').length > 0
  const hasOperating = read(values, 'kybData.businessOperatingAddress') !== undefined
  const isOther = readText(values, 'kybData.accountPurpose') === 'OTHER'
  const info = ['legalBusinessName', 'dbaName', 'businessType', 'businessIndustries', 'businessDescription', 'website']
  return [
    { id: 'place', topic: 'place', fields: at('businessInfo.registrationCountry') },
    {
      id: 'business',
      topic: 'business',
      fields: at(
        ...info.map((name) => `businessInfo.${name}`),
        'businessInfo.formationDate',
        'businessRegistrationNumber',
      ),
    },
    {
      id: 'addresses',
      topic: 'addresses',
      fields: [
        ...addressFields(state, catalog, 'kybData.businessRegisteredAddress', true),
        ...(hasOperating ? addressFields(state, catalog, 'kybData.businessOperatingAddress', true) : []),
      ],
    },
    {
      id: 'activity',
      topic: 'activity',
      fields: at(
        'sourceOfFunds',
        'accountPurpose',
        ...(isOther ? ['accountPurposeOther'] : []),
        'expectedMonthlyVolumeUsd',
        'estimatedAnnualRevenueUsd',
        'conductsMoneyServices',
        ...(isYes('conductsMoneyServices')
          ? ['conductsMoneyServicesDescription', 'conductsMoneyServicesThroughSvc']
          : []),
        'operatesInProhibitedCountries',
        'highRiskActivities',
        ...(hasRisks ? ['highRiskActivitiesExplanation'] : []),
      ),
    },
    { id: 'people', topic: 'people', fields: ['kybData.associatedPersons'], kind: 'people' },
    ...listAt(values, 'kybData.associatedPersons').flatMap((_, person) => associateSteps(state, catalog, person)),
    { id: 'papers', topic: 'papers', fields: paperFields(state), kind: 'papers' },
    { id: 'check', topic: 'check', fields: [], kind: 'check' },
  ]
}

function paperFields({ values }: FormState): string[] {
  const papers = listAt(values, 'kybData.businessDocuments')
  return [
    ...papers.flatMap((_, at) => ['type', 'documentImage'].map((name) => `kybData.businessDocuments[${at}].${name}`)),
    'kybData.businessDocuments',
  ]
}

export function associateSteps(state: FormState, catalog: Catalog, person: number): Step[] {
  const path = `kybData.associatedPersons[${person}]`
  const at = (...names: string[]) => names.map((name) => `${path}.${name}`)
  const id = (part: string) => `person-${person + 1}-${part}`
  return [
    {
      id: id('about'),
      topic: 'person-about',
      person,
      fields: at(
        'legalFirstName',
        'legalMiddleName',
        'legalLastName',
        'dateOfBirth',
        'nationality',
        'email',
        'title',
        'ownershipPercentage',
        'isControlPerson',
        'isSigner',
      ),
    },
    {
      id: id('address'),
      topic: 'person-address',
      person,
      fields: addressFields(state, catalog, `${path}.address`, true),
    },
    { id: id('document'), topic: 'person-document', person, fields: documentFields(state, catalog, path) },
  ]
}

/** The page of a person that holds this file; undefined for other places. */
export function personPageOf(place: string): string | undefined {
  const [, at] = /^kybData\.associatedPersons\[(\d+)\]\.documents/.exec(place) ?? []
  return at === undefined ? undefined : `person-${Number(at) + 1}-document`
}

/** The number of a page among the main pages: the pages of people count as one. */
export function progressOf(steps: readonly Step[], step: Step): { at: number; of: number } {
  const main = steps.filter(({ person }) => person === undefined)
  const at = main.findIndex(({ id, kind }) => (step.person === undefined ? id === step.id : kind === 'people'))
  return { at: at + 1, of: main.length }
}
