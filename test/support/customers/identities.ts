import type {
  Address,
  AssociatedPerson,
  IdentityDocument,
  KybData,
  KycData,
  StoredImage,
} from '../../../src/customers/identity/identity.ts'
import type { Submission } from '../../../src/verification/submission.ts'

/** A day on which all this data is valid, for tests that need one. */
export const identityDay = new Date('2025-11-21T10:00:00.000Z')

export function makeStoredImage(changes: Partial<StoredImage> = {}): StoredImage {
  return {
    blobId: '019aa0c2-7c00-7000-8000-000000000001',
    mediaType: 'image/jpeg',
    byteLength: 240_000,
    width: 1_200,
    height: 800,
    screenHints: [],
    ...changes,
  }
}

export function makeAddress(changes: Partial<Address> = {}): Address {
  return {
    countryCode: 'US',
    streetLine1: '548 Market Street',
    city: 'San Francisco',
    stateRegionProvince: 'CA',
    postalCode: '94104',
    ...changes,
  }
}

export function makePassport(changes: Partial<IdentityDocument> = {}): IdentityDocument {
  return {
    type: 'GOVERNMENT_ID',
    subtype: 'PASSPORT',
    countryCode: 'US',
    documentIdNumber: 'X1234567',
    issuanceDate: '2024-05-01',
    expirationDate: '2034-04-30',
    frontIdImage: makeStoredImage(),
    ...changes,
  }
}

export function makeProofOfAddress(changes: Partial<IdentityDocument> = {}): IdentityDocument {
  return {
    type: 'PROOF_OF_ADDRESS',
    subtype: 'UTILITY_BILL',
    countryCode: 'US',
    issuanceDate: '2025-11-01',
    proofOfAddressImage: makeStoredImage(),
    ...changes,
  }
}

const person = () => ({
  legalFirstName: 'Ada',
  legalLastName: 'Example',
  phoneNumber: '+14155550123',
  dateOfBirth: '1990-05-17',
  address: makeAddress(),
  nationalIdIssuingCountry: 'US',
  nationalIdType: 'SSN',
  nationalIdNumber: '123-45-6788',
  nationality: 'US',
  documents: [makePassport()],
})

/** An individual of the United States whom the checks approve. */
export function makeKycData(changes: Partial<KycData> = {}): KycData {
  return {
    ...person(),
    employmentStatus: 'EMPLOYED',
    mostRecentOccupation: '132011',
    sourceOfFunds: 'SALARY',
    accountPurpose: 'PERSONAL_EXPENSES',
    expectedMonthlyPaymentsUsd: 'BETWEEN_5000_9999',
    isIntermediary: false,
    ...changes,
  }
}

export function makeAssociatedPerson(changes: Partial<AssociatedPerson> = {}): AssociatedPerson {
  return {
    ...person(),
    email: 'owner@example.com',
    ownershipPercentage: 100,
    title: 'Director',
    isControlPerson: true,
    isSigner: true,
    isDirector: true,
    ...changes,
  }
}

/** A business of the United States whom the checks approve. */
export function makeKybData(changes: Partial<KybData> = {}): KybData {
  return {
    businessInfo: {
      legalBusinessName: 'Example Goods Inc',
      dbaName: 'Example Goods',
      businessType: 'C_CORPORATION',
      businessIndustries: '454110',
      businessDescription: 'Sells household goods online',
      website: 'https://example.com',
      formationDate: '2018-06-01',
      registrationCountry: 'US',
      isDao: false,
    },
    businessRegisteredAddress: makeAddress(),
    businessRegistrationNumber: 'C1234567',
    sourceOfFunds: 'SALE_OF_GOODS_AND_SERVICES',
    accountPurpose: 'CHARITABLE_DONATIONS',
    expectedMonthlyVolumeUsd: 'BETWEEN_10000_99999',
    estimatedAnnualRevenueUsd: 'BETWEEN_100000_999999',
    conductsMoneyServices: false,
    conductsMoneyServicesThroughSvc: false,
    operatesInProhibitedCountries: false,
    highRiskActivities: [],
    associatedPersons: [makeAssociatedPerson()],
    businessDocuments: [{ type: 'ARTICLES_OF_INCORPORATION', documentImage: makeStoredImage() }],
    ...changes,
  }
}

/** An individual's submission that the checks approve. */
export function makeSubmission(kycChanges: Partial<KycData> = {}, changes: Partial<Submission> = {}): Submission {
  return {
    organizationId: '019aa0c2-7c00-7000-8000-00000000000a',
    customerId: '019aa0c2-7c00-7000-8000-00000000000b',
    customerType: 'INDIVIDUAL',
    version: 1,
    identity: { kycData: makeKycData(kycChanges) },
    profile: { email: 'ada@example.com' },
    now: identityDay,
    seenBefore: { sameOrganizationActive: false, attempted: false },
    ...changes,
  }
}

/** A business's submission that the checks approve. */
export function makeBusinessSubmission(
  kybChanges: Partial<KybData> = {},
  changes: Partial<Submission> = {},
): Submission {
  return makeSubmission({}, { customerType: 'BUSINESS', identity: { kybData: makeKybData(kybChanges) }, ...changes })
}

const imageFields = ['frontIdImage', 'backIdImage', 'proofOfAddressImage', 'documentImage'] as const
type ImageField = (typeof imageFields)[number]

export type WithoutImages<Data> = Data extends readonly (infer Item)[]
  ? WithoutImages<Item>[]
  : Data extends object
    ? { [Name in Exclude<keyof Data, ImageField>]: WithoutImages<Data[Name]> }
    : Data

/** The same data without its images. */
export function withoutImages<Data>(data: Data): WithoutImages<Data> {
  const isImage = (name: string) => (imageFields as readonly string[]).includes(name)
  const text = JSON.stringify(data, (name, value) => (isImage(name) ? undefined : value))
  return JSON.parse(text) as WithoutImages<Data>
}
