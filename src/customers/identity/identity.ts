/** Verification data as stored: every field is optional, and images are references to files in the blob store. */

export type Address = {
  countryCode?: string
  streetLine1?: string
  streetLine2?: string
  city?: string
  stateRegionProvince?: string
  postalCode?: string
  locale?: string
}

/** An image or PDF that passed every check and is sealed in the blob store. */
export type StoredImage = {
  blobId: string
  mediaType: 'image/jpeg' | 'image/png' | 'application/pdf'
  /** The length of the file as it was sent. */
  byteLength: number
  /** Absent for a PDF. */
  width?: number
  height?: number
  /** Signs of a photographed screen; see verification. */
  screenHints?: string[]
  /** Signs that it shows no page that a person could read; see verification. */
  pageSigns?: string[]
  /** True for a picture with lines in the form of a machine-readable zone. */
  hasZoneLines?: true
  /** The comparison of the zone with the submitted data; without the text of the zone. */
  machineZone?: { comparedWith: string; agrees: ZoneField[]; differs: ZoneField[] }
}

/** A field that a machine-readable zone has too. */
export type ZoneField = 'dateOfBirth' | 'documentIdNumber' | 'expirationDate' | 'countryCode' | 'names'

export type IdentityDocument = {
  type?: string
  subtype?: string
  countryCode?: string
  documentIdNumber?: string
  issuanceDate?: string
  expirationDate?: string
  frontIdImage?: StoredImage
  backIdImage?: StoredImage
  proofOfAddressImage?: StoredImage
  description?: string
}

export type NationalId = { nationalIdIssuingCountry?: string; nationalIdType?: string; nationalIdNumber?: string }

export type KycData = NationalId & {
  legalFirstName?: string
  legalMiddleName?: string
  legalLastName?: string
  phoneNumber?: string
  dateOfBirth?: string
  address?: Address
  nationality?: string
  employmentStatus?: string
  mostRecentOccupation?: string
  sourceOfFunds?: string
  accountPurpose?: string
  accountPurposeOther?: string
  expectedMonthlyPaymentsUsd?: string
  isIntermediary?: boolean
  documents?: IdentityDocument[]
}

export type AssociatedPerson = NationalId & {
  legalFirstName?: string
  legalMiddleName?: string
  legalLastName?: string
  email?: string
  phoneNumber?: string
  dateOfBirth?: string
  address?: Address
  /** A fraction of one or a percentage; see verification/ownership.ts. */
  ownershipPercentage?: number
  title?: string
  isControlPerson?: boolean
  isSigner?: boolean
  isDirector?: boolean
  nationality?: string
  documents?: IdentityDocument[]
}

export type BusinessInfo = {
  legalBusinessName?: string
  dbaName?: string
  businessType?: string
  businessIndustries?: string
  businessDescription?: string
  website?: string
  otherLinks?: string[]
  formationDate?: string
  registrationCountry?: string
  isDao?: boolean
}

export type BusinessDocument = { type?: string; description?: string; documentImage?: StoredImage }

export type KybData = {
  businessInfo?: BusinessInfo
  businessRegisteredAddress?: Address
  businessOperatingAddress?: Address
  businessRegistrationNumber?: string
  sourceOfFunds?: string
  sourceOfFundsDescription?: string
  accountPurpose?: string
  accountPurposeOther?: string
  expectedMonthlyVolumeUsd?: string
  estimatedAnnualRevenueUsd?: string
  conductsMoneyServices?: boolean
  conductsMoneyServicesDescription?: string
  conductsMoneyServicesThroughSvc?: boolean
  operatesInProhibitedCountries?: boolean
  complianceScreeningDescription?: string
  highRiskActivities?: string[]
  highRiskActivitiesExplanation?: string
  associatedPersons?: AssociatedPerson[]
  businessDocuments?: BusinessDocument[]
}

export type Identity = { kycData?: KycData; kybData?: KybData }
