import { expect, test } from 'vitest'
import type { Identity } from '../../../src/customers/identity/identity.ts'
import { KybBody, KycBody } from '../../../src/customers/identity/schema.ts'
import { findIdentityProblems } from '../../../src/customers/identity/validate.ts'
import { compileSchema } from '../../../src/http/bodies/validate.ts'
import { type HonestApplicant, honestApplicants } from '../../support/customers/honest/applicants.ts'
import { makeStoredImage } from '../../support/customers/identities.ts'
import '../../../src/customers/wire.ts'
import { verifySubmission } from '../../../src/verification/engine.ts'

// SEED=… tries other applicants.
const seed = Number(process.env.SEED ?? 20_251_121)
const inspect = { INDIVIDUAL: compileSchema(KycBody), BUSINESS: compileSchema(KybBody) }

test('at least 90 % of 200 honest applicants from 40 countries become ACTIVE without a reviewer', () => {
  const applicants = honestApplicants(seed)
  expect(new Set(applicants.map(({ country }) => country)).size).toBe(40)
  const stopped = applicants.flatMap((applicant) => explain(applicant) ?? [])
  const active = applicants.length - stopped.length
  console.info(
    [`Of ${applicants.length} honest applicants, ${active} became ACTIVE (seed ${seed}).`, ...stopped].join('\n'),
  )
  expect(stopped.length).toBeLessThanOrEqual(applicants.length / 10)
})

/** Tells why an applicant is refused, asked or left to a reviewer; undefined for one who becomes ACTIVE. */
function explain({ customerType, country, profile, data }: HonestApplicant): string | undefined {
  const root = customerType === 'BUSINESS' ? 'kybData' : 'kycData'
  const inspected = inspect[customerType](data)
  const problems = [
    ...(inspected.ok ? [] : inspected.problems),
    ...findIdentityProblems({ [root]: data }, { [root]: data }),
  ]
  if (problems.length > 0) return `  ${customerType} of ${country}: refused, ${JSON.stringify(problems)}`
  const stored = JSON.parse(JSON.stringify(data, (name, value) => (name.endsWith('Image') ? makeStoredImage() : value)))
  const verdict = verifySubmission({
    organizationId: '',
    customerId: '',
    customerType,
    version: 1,
    identity: { [root]: stored } as Identity,
    profile: { email: 'ada@example.com', ...profile },
    now: new Date('2026-01-15T00:00:00Z'),
    seenBefore: { sameOrganizationActive: false, attempted: false },
  })
  if (verdict.outcome === 'approve') return undefined
  const findings = verdict.findings.map(({ code, field }) => `${code} ${field}`)
  return `  ${customerType} of ${country}: ${verdict.outcome}, ${findings.join(', ')}`
}
