import { expect, test } from 'vitest'
import { makeApplicant, makeApplyingBusiness } from '../../support/customers/applicants.ts'
import {
  createCustomer,
  eventsOf,
  patchCustomer,
  readCustomer,
  waitForStatus,
} from '../../support/customers/customers.ts'
import { decideReview, listReviews, readReview, sandboxDecide, waitForReview } from '../../support/customers/reviews.ts'
import { startVerifying } from '../../support/customers/verifying-api.ts'
import { eventually } from '../../support/runner/eventually.ts'

const api = await startVerifying()

const asked = 'NEEDS_ADDITIONAL_INFORMATION'
type Shown = Awaited<ReturnType<typeof readCustomer>>
const fieldsDue = ({ requirements }: Shown) => requirements?.due.map(({ field }) => field)

test('an issue names the field and the person, in words for the customer', async () => {
  const [person] = makeApplyingBusiness().associatedPersons
  const { dateOfBirth: _left, ...other } = { ...makeApplyingBusiness().associatedPersons[0], isControlPerson: false }
  const kybData = makeApplyingBusiness({
    associatedPersons: [
      { ...person, ownershipPercentage: 50 },
      { ...other, ownershipPercentage: 50, phoneNumber: '+10005550123' },
    ],
  })
  const customer = await createCustomer(api, { customerType: 'BUSINESS' })
  await patchCustomer(api, customer, { kybData })
  const { verificationIssues = [], requirements } = await waitForStatus(api, customer, asked)
  const told = verificationIssues.map(({ code, field, message }) => ({ field, code, message }))
  expect(told).toEqual([
    {
      field: 'kybData.associatedPersons[1].dateOfBirth',
      code: 'API_DATA_REQUIREMENTS_NOT_MET',
      message: 'Please provide the date of birth of person 2.',
    },
    {
      field: 'kybData.associatedPersons[1].phoneNumber',
      code: 'INVALID_PARAMETERS',
      message: expect.stringMatching(/^Please check the phone number of person 2: .* If it is right, send it again\.$/),
    },
  ])
  expect(requirements).toEqual({ due: told })
})

test('requirements are shown from the beginning, in every answer and event, until the data is submitted', async () => {
  const created = await createCustomer(api)
  expect(fieldsDue(created)).toEqual([
    'kycData.phoneNumber',
    'kycData.legalFirstName',
    'kycData.legalLastName',
    'kycData.dateOfBirth',
    'kycData.nationality',
    'kycData.address',
    'kycData.nationalIdType',
    'kycData.nationalIdNumber',
    'kycData.nationalIdIssuingCountry',
    'kycData.documents',
  ])
  const { customers } = (await api.get('/customers')).body
  expect(customers.find(({ customerId }) => customerId === created.customerId)).toEqual(created)
  const submitted = (await patchCustomer(api, created, { kycData: makeApplicant({ documents: [] }) })).body
  expect(submitted).not.toHaveProperty('requirements')
  const stopped = await waitForStatus(api, created, asked)
  expect(fieldsDue(stopped)).toEqual(['kycData.documents'])
  expect((await api.get('/customers')).body.customers).toContainEqual(stopped)
  await eventually(async () => {
    const { events } = (await api.get(`/events?resourceId=${created.customerId}`)).body
    expect(events[0]?.data).toEqual(stopped)
  })
  await patchCustomer(api, created, { kycData: { documents: makeApplicant().documents } })
  expect(await waitForStatus(api, created, 'ACTIVE')).not.toHaveProperty('requirements')
})

test('what a reviewer asks for is due too', async () => {
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: makeApplicant({ sourceOfFunds: 'XYZ' }) })
  await waitForReview(api, customer)
  await decideReview(api, customer, { decision: 'NEEDS_INFO', issues: ['DOC_QUALITY_POOR'] })
  const { requirements } = await readCustomer(api, customer)
  expect(requirements?.due).toMatchObject([{ field: 'kycData', code: 'DOC_QUALITY_POOR' }])
})

test('a doubt that a reviewer settled is not raised again for the same data, but for other data', async () => {
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: makeApplicant({ sourceOfFunds: 'XYZ' }) })
  await waitForReview(api, customer)
  await decideReview(api, customer, { decision: 'NEEDS_INFO', issues: ['DOC_QUALITY_POOR'] })
  await patchCustomer(api, customer, { kycData: { documents: [] } })
  await waitForStatus(api, customer, asked)
  await patchCustomer(api, customer, { kycData: { sourceOfFunds: 'ZYX', documents: makeApplicant().documents } })
  await waitForReview(api, customer)
  await decideReview(api, customer, { decision: 'NEEDS_INFO', issues: ['DOC_QUALITY_POOR'] })
  await patchCustomer(api, customer, { kycData: { sourceOfFunds: 'XYZ', documents: makeApplicant().documents } })
  await waitForReview(api, customer)
  expect((await readReview(api, customer)).findings.map(({ code }) => code)).toEqual(['DOC_QUALITY_POOR'])
})

test('a warning is kept until a reviewer has judged it, although the customer changes the data meanwhile', async () => {
  const customer = await createCustomer(api)
  const { documents, ...kycData } = makeApplicant({ dateOfBirth: '2014-05-17' })
  await patchCustomer(api, customer, { kycData })
  await waitForStatus(api, customer, asked)
  await patchCustomer(api, customer, { kycData: { dateOfBirth: '1990-05-17', documents } })
  await waitForReview(api, customer)
  const { findings } = await readReview(api, customer)
  expect(findings).toMatchObject([{ code: 'ADDITIONAL_WARNING', field: 'kycData.dateOfBirth' }])
  await decideReview(api, customer, { decision: 'NEEDS_INFO', issues: ['DOC_QUALITY_POOR'] })
  await patchCustomer(api, customer, { kycData: { documents } })
  await waitForReview(api, customer)
  expect((await readReview(api, customer)).findings.map(({ code }) => code)).toEqual(['DOC_QUALITY_POOR'])
})

test('a phone number that no numbering plan has goes to a reviewer once the customer confirms it', async () => {
  const unknown = { phoneNumber: '+10005550123' }
  const customer = await createCustomer(api)
  const { documents, ...kycData } = makeApplicant(unknown)
  await patchCustomer(api, customer, { kycData })
  expect(fieldsDue(await waitForStatus(api, customer, asked))).toEqual(['kycData.phoneNumber', 'kycData.documents'])
  // Another number is asked about anew.
  await patchCustomer(api, customer, { kycData: { phoneNumber: '+10005550199', documents } })
  expect(fieldsDue(await waitForStatus(api, customer, asked))).toEqual(['kycData.phoneNumber'])
  await patchCustomer(api, customer, { kycData: { phoneNumber: '+10005550199' } })
  await waitForReview(api, customer)
  const { findings } = await readReview(api, customer)
  expect(findings).toMatchObject([{ code: 'INVALID_PARAMETERS', field: 'kycData.phoneNumber' }])
  expect(JSON.stringify(findings)).not.toContain('ash')
  // A reviewer who asks for something else has settled it.
  await decideReview(api, customer, { decision: 'NEEDS_INFO', issues: ['DOC_QUALITY_POOR'] })
  expect(fieldsDue(await readCustomer(api, customer))).toEqual(['kycData'])
  await patchCustomer(api, customer, { kycData: { documents } })
  await waitForReview(api, customer)
  expect((await readReview(api, customer)).findings.map(({ code }) => code)).toEqual(['DOC_QUALITY_POOR'])
})

test('a doubt that the reviewer asks about, and an alarm, are raised again', async () => {
  const kycData = makeApplicant({ sourceOfFunds: 'XYZ' })
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData })
  await waitForReview(api, customer)
  await decideReview(api, customer, { decision: 'NEEDS_INFO', issues: ['VERIFICATION_ISSUE'] })
  await patchCustomer(api, customer, { kycData: { phoneNumber: kycData.phoneNumber } })
  await waitForReview(api, customer)
  const twin = await createCustomer(api)
  await patchCustomer(api, twin, { kycData: { ...makeApplicant(), nationalIdNumber: kycData.nationalIdNumber } })
  await waitForReview(api, twin)
  await decideReview(api, twin, { decision: 'NEEDS_INFO', issues: ['DOC_QUALITY_POOR'] })
  await patchCustomer(api, twin, { kycData: { phoneNumber: kycData.phoneNumber } })
  await waitForReview(api, twin)
})

test('the integrator sees that a person decides, by when, and an event, but not why', async () => {
  const customer = await createCustomer(api)
  const patched = (
    await patchCustomer(api, customer, { kycData: makeApplicant({ nationality: 'US', sourceOfFunds: 'XYZ' }) })
  ).body
  const found = await waitForReview(api, customer)
  const { openedAt, dueAt } = await readReview(api, customer)
  expect(found.review).toEqual({ openedAt, dueAt })
  expect(found).toEqual({ ...patched, review: found.review })
  await eventually(async () =>
    expect(await eventsOf(api, customer)).toEqual([
      'customer.created CREATED',
      'customer.updated UNDER_REVIEW',
      'customer.updated UNDER_REVIEW',
    ]),
  )
  await decideReview(api, customer, { decision: 'APPROVE' })
  expect(await readCustomer(api, customer)).not.toHaveProperty('review')
})

test('a review ends with its submission: the next one shows none until it waits for a person', async () => {
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: makeApplicant({ sourceOfFunds: 'XYZ' }) })
  await waitForReview(api, customer)
  await decideReview(api, customer, { decision: 'NEEDS_INFO', issues: ['DOC_QUALITY_POOR'] })
  expect(await readCustomer(api, customer)).not.toHaveProperty('review')
  expect((await patchCustomer(api, customer, { kycData: { documents: [] } })).body).not.toHaveProperty('review')
})

test('a match on an active customer shows nothing', async () => {
  const customer = await createCustomer(api)
  await patchCustomer(api, customer, { kycData: { legalFirstName: 'Ada', legalLastName: 'Approve' } })
  const before = await waitForStatus(api, customer, 'ACTIVE')
  const active = ['customer.created CREATED', 'customer.updated UNDER_REVIEW', 'customer.updated ACTIVE']
  await eventually(async () => expect(await eventsOf(api, customer)).toEqual(active))
  await sandboxDecide(api, customer, { outcome: 'REVIEW' })
  expect((await listReviews(api, `customerId=${customer.customerId}`)).reviews).toHaveLength(1)
  expect(await readCustomer(api, customer)).toEqual(before)
  // A later event tells that all events of before are sequenced.
  const later = await createCustomer(api)
  await eventually(async () => expect(await eventsOf(api, later)).toHaveLength(1))
  expect(await eventsOf(api, customer)).toEqual(active)
})
