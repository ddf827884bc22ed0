import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeBusinessSubmission, makeSubmission } from '../../test/support/customers/identities.ts'
import { propertyRuns } from '../../test/support/runner/form.ts'
import { countryCodes } from '../catalog/countries.ts'
import { isAlarm, isIssueCode } from '../catalog/issues/verification-issues.ts'
import type {
  Address,
  AssociatedPerson,
  Identity,
  IdentityDocument,
  KybData,
  KycData,
} from '../customers/identity/identity.ts'
import { verifySubmission } from './engine.ts'
import { identityTexts } from './identity-hash.ts'
import { readMagicName } from './magic-names.ts'
import { nationalIdRules } from './national-ids/national-id.ts'
import type { Submission } from './submission.ts'

/** Any subset of the fields, as a partial update leaves them. */
const some = <Data>(fields: { [Name in keyof Data]-?: fc.Arbitrary<NonNullable<Data[Name]>> }) =>
  fc.record(fields, { requiredKeys: [] }) as unknown as fc.Arbitrary<Data>

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom('', ' ', 'Ada', '__proto__'),
)
const day = fc.oneof(
  fc
    .date({ min: new Date('1850-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  fc.constantFrom('2024-02-29', '2025-02-30', '0000-00-00', '9999-12-31', 'yesterday', ''),
)
const country = fc.oneof(fc.constantFrom(...countryCodes), fc.constantFrom('US', 'SE', 'us', 'XX', '', 'toString'))
const code = fc.oneof(
  fc.constantFrom('PASSPORT', 'NATIONAL_ID', 'SSN', 'TIN', 'EMPLOYED', 'UTILITY_BILL', 'constructor'),
  text,
)
const types = Object.values(nationalIdRules).flatMap((rules) => rules.flatMap((rule) => rule.types))
const number = fc.oneof(text, fc.stringMatching(/^[0-9A-Z-]{1,20}$/), fc.stringMatching(/^\d{6,18}$/))
const image = fc.record({
  blobId: fc.uuid(),
  mediaType: fc.constantFrom('image/jpeg', 'image/png', 'application/pdf'),
  byteLength: fc.nat(),
  screenHints: fc.array(text, { maxLength: 2 }),
} as const)

const address = some<Address>({
  countryCode: country,
  streetLine1: text,
  streetLine2: text,
  city: text,
  stateRegionProvince: fc.oneof(fc.constantFrom('CA', 'NY', 'ON'), text),
  postalCode: fc.oneof(fc.constantFrom('94104', 'K1A 0B1'), text),
  locale: text,
})
const document = some<IdentityDocument>({
  type: fc.oneof(fc.constantFrom('GOVERNMENT_ID', 'PROOF_OF_ADDRESS'), text),
  subtype: code,
  countryCode: country,
  documentIdNumber: number,
  issuanceDate: day,
  expirationDate: day,
  description: text,
  frontIdImage: image,
  backIdImage: image,
  proofOfAddressImage: image,
})
const person = {
  legalFirstName: text,
  legalMiddleName: text,
  legalLastName: text,
  dateOfBirth: day,
  address,
  nationality: country,
  phoneNumber: fc.oneof(fc.stringMatching(/^\+[1-9]\d{6,14}$/), text),
  documents: fc.array(document, { maxLength: 3 }),
  nationalIdIssuingCountry: country,
  nationalIdType: fc.oneof(fc.constantFrom(...types), text),
  nationalIdNumber: number,
}
const kycData = some<KycData>({
  ...person,
  employmentStatus: code,
  mostRecentOccupation: text,
  sourceOfFunds: code,
  accountPurpose: code,
  accountPurposeOther: text,
  expectedMonthlyPaymentsUsd: code,
  isIntermediary: fc.boolean(),
})
const associatedPerson = some<AssociatedPerson>({
  ...person,
  email: text,
  title: text,
  ownershipPercentage: fc.oneof(fc.double(), fc.integer({ min: 0, max: 100 })),
  isControlPerson: fc.boolean(),
  isSigner: fc.boolean(),
  isDirector: fc.boolean(),
})
const yesOrNo = fc.boolean()
const kybData = some<KybData>({
  businessInfo: some<NonNullable<KybData['businessInfo']>>({
    legalBusinessName: text,
    dbaName: text,
    businessType: code,
    businessIndustries: text,
    businessDescription: text,
    website: text,
    otherLinks: fc.array(text),
    formationDate: day,
    registrationCountry: country,
    isDao: yesOrNo,
  }),
  businessRegisteredAddress: address,
  businessOperatingAddress: address,
  businessRegistrationNumber: number,
  sourceOfFunds: code,
  sourceOfFundsDescription: text,
  accountPurpose: code,
  accountPurposeOther: text,
  expectedMonthlyVolumeUsd: code,
  estimatedAnnualRevenueUsd: code,
  conductsMoneyServices: yesOrNo,
  conductsMoneyServicesDescription: text,
  conductsMoneyServicesThroughSvc: yesOrNo,
  operatesInProhibitedCountries: yesOrNo,
  complianceScreeningDescription: text,
  highRiskActivities: fc.array(code, { maxLength: 3 }),
  highRiskActivitiesExplanation: text,
  associatedPersons: fc.array(associatedPerson, { maxLength: 3 }),
  businessDocuments: fc.array(
    some<NonNullable<KybData['businessDocuments']>[number]>({ type: code, description: text, documentImage: image }),
    { maxLength: 3 },
  ),
})

const submission: fc.Arbitrary<Submission> = fc.record({
  organizationId: fc.uuid(),
  customerId: fc.uuid(),
  version: fc.nat(),
  customerType: fc.constantFrom('INDIVIDUAL', 'BUSINESS'),
  identity: some<Identity>({ kycData, kybData }),
  profile: fc.record({ email: text, firstName: text, lastName: text, businessName: text }),
  now: fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
  seenBefore: fc.record({ sameOrganizationActive: fc.boolean(), attempted: fc.boolean() }),
  watchListMatches: fc.array(fc.record({ strength: fc.constantFrom('match', 'possible') }), { maxLength: 2 }),
})

const path = /^(?:kycData|kybData)(?:\.\w+(?:\[\d+\])?)+$/

test('the verdict on any submission is sound and leaves the submission unchanged', () => {
  fc.assert(
    fc.property(submission, (given) => {
      const before = structuredClone(given)
      const verdict = verifySubmission(given)
      expect(given).toEqual(before)
      expect(verifySubmission(given)).toEqual(verdict)
      if (verdict.outcome === 'approve') return
      expect(verdict.findings.length).toBeGreaterThan(0)
      const isAtOnce = verdict.findings.some(({ code }) => isAlarm(code))
      const canCorrect = verdict.findings.some(({ leadsTo }) => leadsTo === 'information')
      expect(verdict.outcome).toBe(isAtOnce || !canCorrect ? 'review' : 'information')
      for (const finding of verdict.findings) {
        expect(isIssueCode(finding.code)).toBe(true)
        if (finding.field !== undefined) expect(finding.field).toMatch(path)
      }
      expect(new Set(verdict.findings.map((finding) => JSON.stringify(finding))).size).toBe(verdict.findings.length)
    }),
    propertyRuns({ short: 400, full: 2_000 }),
  )
})

/** Removes one value at any depth. */
function leaveOut(data: unknown, at: { left: number }): unknown {
  if (Array.isArray(data)) return data.map((each) => leaveOut(each, at))
  if (typeof data !== 'object' || data === null) return data
  const kept = Object.entries(data).filter(() => at.left-- !== 0)
  return Object.fromEntries(kept.map(([name, value]) => [name, leaveOut(value, at)]))
}

test.each([
  ['an individual', makeSubmission()],
  ['a business', makeBusinessSubmission()],
])('%s with any one field left out is never left to a reviewer', (_who, whole) => {
  const outcomes = Array.from({ length: 90 }, (_, left) => {
    const identity = leaveOut(whole.identity, { left }) as Identity
    return verifySubmission({ ...whole, identity }).outcome
  })
  expect(new Set(outcomes)).toEqual(new Set(['approve', 'information']))
})

test('texts of identities and magic names are read from anything', () => {
  fc.assert(
    fc.property(some<Identity>({ kycData, kybData }), text, (identity, name) => {
      for (const each of identityTexts(identity)) expect(each).toMatch(/^[^|]+(?:\|[^|]+){2,3}$/)
      expect(readMagicName(name)).toBeUndefined()
    }),
    propertyRuns({ short: 200, full: 500 }),
  )
})
