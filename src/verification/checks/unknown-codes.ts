import { type CodedField, isKnownCode } from '../../catalog/coded-fields.ts'
import type { KybData, KycData } from '../../customers/identity/identity.ts'
import { type Finding, isBlank, needsReview, type Person, type Submission } from '../submission.ts'
import { documentsWithPaths, isExpectedAddressEvidence, isProofOfAddress } from './documents/document-kinds.ts'

type Coded = { field: string; coded: CodedField; value: string | undefined }

/** The lists of the contract are open: an unknown code is accepted, and a reviewer judges what it means. */
export function checkUnknownCodes({ customerType, identity }: Submission): Finding[] {
  const codes =
    customerType === 'BUSINESS' ? businessCodes(identity.kybData ?? {}) : individualCodes(identity.kycData ?? {})
  return codes
    .filter(({ coded, value }) => !isBlank(value) && !isKnownCode(coded, value))
    .map(({ field }) => needsReview('VERIFICATION_ISSUE', field))
}

function individualCodes(kycData: KycData): Coded[] {
  const { employmentStatus, sourceOfFunds, accountPurpose, expectedMonthlyPaymentsUsd } = kycData
  return [
    ...atPlace('kycData.employmentStatus', employmentStatus),
    ...atPlace('kycData.sourceOfFunds', sourceOfFunds),
    ...atPlace('kycData.accountPurpose', accountPurpose),
    ...atPlace('kycData.expectedMonthlyPaymentsUsd', expectedMonthlyPaymentsUsd),
    ...personCodes(kycData, 'kycData'),
  ]
}

function businessCodes(kybData: KybData): Coded[] {
  const { businessInfo, highRiskActivities, businessDocuments, associatedPersons } = kybData
  const activities = (highRiskActivities ?? []).map((value, at) => ({
    value,
    field: `kybData.highRiskActivities[${at}]`,
  }))
  const types = (businessDocuments ?? []).map(({ type }, at) => ({
    value: type,
    field: `kybData.businessDocuments[${at}].type`,
  }))
  return [
    ...atPlace('kybData.businessInfo.businessType', businessInfo?.businessType),
    ...atPlace('kybData.sourceOfFunds', kybData.sourceOfFunds),
    ...atPlace('kybData.accountPurpose', kybData.accountPurpose),
    ...atPlace('kybData.expectedMonthlyVolumeUsd', kybData.expectedMonthlyVolumeUsd),
    ...atPlace('kybData.estimatedAnnualRevenueUsd', kybData.estimatedAnnualRevenueUsd),
    ...activities.map((each) => ({ ...each, coded: 'kybData.highRiskActivities' as const })),
    ...types.map((each) => ({ ...each, coded: 'kybData.businessDocuments.type' as const })),
    ...(associatedPersons ?? []).flatMap((person, at) => personCodes(person, `kybData.associatedPersons[${at}]`)),
  ]
}

function personCodes({ nationalIdType, documents }: Person, path: string): Coded[] {
  const subtypes = documentsWithPaths(documents, path)
    // The contract names these in words alone.
    .filter(({ document }) => !(isProofOfAddress(document) && isExpectedAddressEvidence(document.subtype ?? '')))
    .map(({ document, path: at }) => ({
      field: `${at}.subtype`,
      coded: 'documents.subtype' as const,
      value: document.subtype,
    }))
  return [{ field: `${path}.nationalIdType`, coded: 'nationalIdType', value: nationalIdType }, ...subtypes]
}

function atPlace(place: CodedField, value: string | undefined): Coded[] {
  return [{ field: place, coded: place, value }]
}
