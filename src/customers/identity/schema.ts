import Type, { type TProperties } from 'typebox'
import { type CodedField, type DocumentType, documentTypes, knownCodes } from '../../catalog/coded-fields.ts'
import { industries } from '../../catalog/codes/businesses.ts'
import { occupations } from '../../catalog/codes/people.ts'

/** The schema of verification data. wire.ts registers the formats; validate.ts holds the rules over several fields. */

const most = { name: 100, text: 2_000, documents: 20, businessDocuments: 50, persons: 100 }

const name = (example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: most.name, examples: [example] }))
const text = (example: string, description?: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: most.text, examples: [example], ...(description ? { description } : {}) }),
  )
const date = (example: string) => Type.Optional(Type.String({ format: 'date', examples: [example] }))
const country = () =>
  Type.Optional(Type.String({ format: 'country', description: 'ISO 3166-1 alpha-2', examples: ['US'] }))
const phone = () => Type.Optional(Type.String({ format: 'phone', description: 'E.164', examples: ['+14155550123'] }))
/** A known value or any other code. An unknown code is kept. */
const code = (field: CodedField, example: string) =>
  Type.Optional(Type.String({ format: 'code', description: listCodes(knownCodes[field]), examples: [example] }))
/** Free text, for which a catalog has examples. */
const words = (codes: readonly string[], example: string, also: string) =>
  Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: `${also}, or any text: ${codes.join(', ')}`,
      examples: [example],
    }),
  )

/** Documents the values of an open list. */
function listCodes(codes: readonly string[]): string {
  return (
    `Known values: ${codes.join(', ')}. Case, plurals, the order of words and common spellings do not matter, and ` +
    'known words can be combined. Any other code is accepted and kept.'
  )
}

const yesOrNo = () => Type.Optional(Type.Boolean({ examples: [false] }))

/** A base64 data URI, which may be too long for a JS string: see lib/long-text.ts. */
const image = () =>
  Type.Optional(
    Type.Unsafe<unknown>({
      longText: true,
      description: 'JPG, PNG or PDF as a base64 data URI, 100 KB to 10 MB, at least 200x200 pixels',
      examples: ['data:image/jpeg;base64,/9j/4AAQSkZJRg=='],
    }),
  )

function closed<Properties extends TProperties>(title: string, properties: Properties, more = {}) {
  return Type.Object(properties, { additionalProperties: false, title, ...more })
}

const streetLine = (example: string) =>
  Type.Optional(Type.String({ minLength: 4, maxLength: 100, examples: [example] }))

export const AddressBody = closed('Address', {
  countryCode: country(),
  streetLine1: streetLine('548 Market Street'),
  streetLine2: streetLine('Floor 12'),
  city: name('San Francisco'),
  stateRegionProvince: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['CA'] })),
  postalCode: Type.Optional(Type.String({ minLength: 1, maxLength: 20, examples: ['94104'] })),
  locale: Type.Optional(Type.String({ format: 'language-tag', examples: ['en-US'] })),
})

export const DocumentBody = closed('Document', {
  // The contract closes this list.
  type: Type.Optional(Type.Unsafe<DocumentType>({ type: 'string', enum: [...documentTypes] })),
  subtype: code('documents.subtype', 'PASSPORT'),
  countryCode: country(),
  documentIdNumber: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['X1234567'] })),
  issuanceDate: date('2021-03-01'),
  expirationDate: date('2031-02-28'),
  frontIdImage: image(),
  backIdImage: image(),
  proofOfAddressImage: image(),
  description: text('Passport, photo page'),
})

const documents = Type.Optional(Type.Array(DocumentBody, { maxItems: most.documents }))

const person = {
  legalFirstName: name('Ada'),
  legalMiddleName: name('King'),
  legalLastName: name('Example'),
  phoneNumber: phone(),
  dateOfBirth: date('1990-05-17'),
  address: Type.Optional(AddressBody),
  nationalIdIssuingCountry: country(),
  nationalIdType: code('nationalIdType', 'SSN'),
  nationalIdNumber: Type.Optional(Type.String({ minLength: 1, maxLength: 64, examples: ['123-45-6788'] })),
  nationality: country(),
  documents,
}

const removedLink = { kycLink: 'was removed; answers have verificationLink' }

/** Fields that the contract removed, and their replacements. */
const removedFromPersons = {
  ...removedLink,
  middleName: 'was removed; use legalMiddleName',
  taxIdNumber: 'was removed; use nationalIdNumber with nationalIdType and nationalIdIssuingCountry',
}

export const KycBody = closed(
  'KycData',
  {
    ...person,
    employmentStatus: code('kycData.employmentStatus', 'EMPLOYED'),
    mostRecentOccupation: words(occupations, '132011', 'An ISCO or SOC number'),
    sourceOfFunds: code('kycData.sourceOfFunds', 'SALARY'),
    accountPurpose: code('kycData.accountPurpose', 'PERSONAL_EXPENSES'),
    accountPurposeOther: text('Gifts to family'),
    expectedMonthlyPaymentsUsd: code('kycData.expectedMonthlyPaymentsUsd', 'BETWEEN_5000_9999'),
    isIntermediary: yesOrNo(),
  },
  { removed: { ...removedFromPersons, title: 'was removed; use mostRecentOccupation' } },
)

export const AssociatedPersonBody = closed(
  'AssociatedPerson',
  {
    ...person,
    email: Type.Optional(Type.String({ format: 'email', maxLength: 254, examples: ['owner@example.com'] })),
    ownershipPercentage: Type.Optional(Type.Number({ minimum: 0, maximum: 100, examples: [60] })),
    title: name('Director'),
    isControlPerson: yesOrNo(),
    isSigner: yesOrNo(),
    isDirector: yesOrNo(),
  },
  { removed: removedFromPersons },
)

export const BusinessInfoBody = closed('BusinessInfo', {
  legalBusinessName: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: ['Example Goods Inc'] })),
  dbaName: Type.Optional(Type.String({ minLength: 1, maxLength: 200, examples: ['Example Goods'] })),
  businessType: code('kybData.businessInfo.businessType', 'C_CORPORATION'),
  businessIndustries: words(industries, '454110', 'A NAICS, ISIC or NACE number'),
  businessDescription: text('Sells household goods online'),
  website: Type.Optional(Type.String({ format: 'web-address', maxLength: 2_000, examples: ['https://example.com'] })),
  otherLinks: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 2_000, examples: ['@examplegoods'] }), { maxItems: 50 }),
  ),
  formationDate: date('2018-06-01'),
  registrationCountry: country(),
  isDao: yesOrNo(),
})

export const BusinessDocumentBody = closed('BusinessDocument', {
  type: code('kybData.businessDocuments.type', 'ARTICLES_OF_INCORPORATION'),
  description: text('Certified copy'),
  documentImage: image(),
})

export const KybBody = closed(
  'KybData',
  {
    businessInfo: Type.Optional(BusinessInfoBody),
    businessRegisteredAddress: Type.Optional(AddressBody),
    businessOperatingAddress: Type.Optional(AddressBody),
    businessRegistrationNumber: Type.Optional(Type.String({ minLength: 1, maxLength: 100, examples: ['C1234567'] })),
    sourceOfFunds: code('kybData.sourceOfFunds', 'SALE_OF_GOODS_AND_SERVICES'),
    sourceOfFundsDescription: text('Revenue of the online shop'),
    accountPurpose: code('kybData.accountPurpose', 'CHARITABLE_DONATIONS'),
    accountPurposeOther: text('Paying suppliers abroad'),
    expectedMonthlyVolumeUsd: code('kybData.expectedMonthlyVolumeUsd', 'BETWEEN_10000_99999'),
    estimatedAnnualRevenueUsd: code('kybData.estimatedAnnualRevenueUsd', 'BETWEEN_100000_999999'),
    conductsMoneyServices: yesOrNo(),
    conductsMoneyServicesDescription: text('None'),
    conductsMoneyServicesThroughSvc: yesOrNo(),
    operatesInProhibitedCountries: yesOrNo(),
    complianceScreeningDescription: text('Screens customers against public lists'),
    highRiskActivities: Type.Optional(
      Type.Array(
        Type.String({
          format: 'code',
          description: listCodes(knownCodes['kybData.highRiskActivities']),
          examples: ['FOREIGN_EXCHANGE_OR_BROKERAGE'],
        }),
        { maxItems: 50 },
      ),
    ),
    highRiskActivitiesExplanation: text('None'),
    associatedPersons: Type.Optional(Type.Array(AssociatedPersonBody, { maxItems: most.persons })),
    businessDocuments: Type.Optional(Type.Array(BusinessDocumentBody, { maxItems: most.businessDocuments })),
  },
  { removed: removedLink },
)
