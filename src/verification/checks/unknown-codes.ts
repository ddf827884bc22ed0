import { type CodedField, isKnownCode } from '../../catalog/coded-fields.ts'
import { documentKindOf } from '../../catalog/codes/identity-documents.ts'
import { hasIdRules, nationalIdTypeOf } from '../../catalog/codes/national-id-types.ts'
import type { KybData, KycData } from '../../customers/identity/identity.ts'
import { type Finding, isBlank, needsReview, type Person, type Submission } from '../submission.ts'
import { documentsWithPaths, isGovernmentId } from './documents/document-kinds.ts'

/**
 * The lists of the contract are open: an unknown code is accepted and kept. It is a doubt only where its meaning matters
 * for the decision: funds and purposes without the customer's own words, kinds of documents, and kinds of numbers in
 * countries with rules for them. Employment, ranges and legal forms decide nothing.
 */
export function checkUnknownCodes({ customerType, identity }: Submission): Finding[] {
  const fields =
    customerType === 'BUSINESS' ? businessFields(identity.kybData ?? {}) : individualFields(identity.kycData ?? {})
  return fields.map((field) => needsReview('VERIFICATION_ISSUE', field))
}

function individualFields(kycData: KycData): string[] {
  return [
    ...unknownField('kycData.sourceOfFunds', kycData.sourceOfFunds),
    ...unknownField('kycData.accountPurpose', kycData.accountPurpose, kycData.accountPurposeOther),
    ...personFields(kycData, 'kycData'),
  ]
}

function businessFields(kybData: KybData): string[] {
  const { businessDocuments = [], associatedPersons = [] } = kybData
  return [
    ...unknownField('kybData.sourceOfFunds', kybData.sourceOfFunds, kybData.sourceOfFundsDescription),
    ...unknownField('kybData.accountPurpose', kybData.accountPurpose, kybData.accountPurposeOther),
    ...unknownPapers(businessDocuments.map(({ type }) => type)),
    ...associatedPersons.flatMap((person, at) => personFields(person, `kybData.associatedPersons[${at}]`)),
  ]
}

function personFields({ nationalIdType, nationalIdIssuingCountry = '', documents }: Person, path: string): string[] {
  const isUnknownType =
    !isBlank(nationalIdType) &&
    hasIdRules(nationalIdIssuingCountry) &&
    nationalIdTypeOf(nationalIdIssuingCountry, nationalIdType) === undefined
  const unknownKinds = documentsWithPaths(documents, path).filter(
    ({ document }) =>
      isGovernmentId(document) && !isBlank(document.subtype) && documentKindOf(document.subtype) === undefined,
  )
  return [...(isUnknownType ? [`${path}.nationalIdType`] : []), ...unknownKinds.map(({ path: at }) => `${at}.subtype`)]
}

function unknownField(field: CodedField, value: string | undefined, inOwnWords?: string): string[] {
  const isClear = isBlank(value) || isKnownCode(field, value) || !isBlank(inOwnWords)
  return isClear ? [] : [field]
}

/** One known document shows that the business exists; the others may be anything. */
function unknownPapers(types: readonly (string | undefined)[]): string[] {
  const hasKnown = types.some((type) => !isBlank(type) && isKnownCode('kybData.businessDocuments.type', type))
  const unknown = types.flatMap((type, at) => (isBlank(type) ? [] : [`kybData.businessDocuments[${at}].type`]))
  return hasKnown ? [] : unknown
}
