import { expect, test } from 'vitest'
import { createCustomer, patchCustomer, readCustomer } from '../../support/customers/customers.ts'
import { startApi } from '../../support/runner/api.ts'

const api = await startApi({ SVC_SANDBOX_VERIFICATION_DELAY: '3600' })
const individual = await createCustomer(api)
const business = await createCustomer(api, { customerType: 'BUSINESS' })

const kyc = (fields: object) => ({ kycData: fields })
const kyb = (fields: object) => ({ kybData: fields })
const address = (fields: object) => kyc({ address: fields })
const person = (fields: object) => kyb({ associatedPersons: [{}, fields] })
const document = (fields: object) => kyc({ documents: [fields] })

test.each([
  // body                                                             field                               message
  [{}, 'body', /at least one field with content/],
  [kyc({}), 'body', /at least one field/],
  [kyb({ businessRegistrationNumber: 'X' }), 'kybData', /is for businesses/],
  [kyc({ phoneNumber: '4155550123' }), 'kycData.phoneNumber', /E\.164/],
  [kyc({ phoneNumber: '+0155550123' }), 'kycData.phoneNumber', /E\.164/],
  [kyc({ dateOfBirth: '1990-02-30' }), 'kycData.dateOfBirth', /a date that exists/],
  [kyc({ dateOfBirth: '17.05.1990' }), 'kycData.dateOfBirth', /a date that exists/],
  [kyc({ nationality: 'USA' }), 'kycData.nationality', /ISO 3166-1/],
  [kyc({ nationality: 'us' }), 'kycData.nationality', /ISO 3166-1/],
  [kyc({ employmentStatus: 'full time' }), 'kycData.employmentStatus', /code/],
  [kyc({ isIntermediary: 'no' }), 'kycData.isIntermediary', /must be a boolean/],
  [kyc({ middleName: 'K' }), 'kycData.middleName', /was removed; use legalMiddleName/],
  [kyc({ taxIdNumber: '1' }), 'kycData.taxIdNumber', /was removed; use nationalIdNumber/],
  [kyc({ title: 'Dr' }), 'kycData.title', /was removed/],
  [kyc({ favouriteColour: 'red' }), 'kycData.favouriteColour', /is not a field/],
  [{ ...kyc({ legalFirstName: 'A' }), kycLink: 'x' }, 'kycLink', /was removed; the answer has verificationLink/],
  [kyc({ nationalIdType: 'SSN' }), 'kycData.nationalIdNumber', /together with nationalIdType/],
  [kyc({ nationalIdNumber: '1', nationalIdIssuingCountry: 'US' }), 'kycData.nationalIdType', /together with/],
  [address({ streetLine1: 'abc' }), 'kycData.address.streetLine1', /at least 4/],
  [address({ streetLine2: 'abc' }), 'kycData.address.streetLine2', /at least 4/],
  [address({ streetLine1: 'x'.repeat(101) }), 'kycData.address.streetLine1', /at most 100/],
  [address({ countryCode: 'US', postalCode: '9410' }), 'kycData.address.postalCode', /./],
  [address({ countryCode: 'EG', postalCode: '1234' }), 'kycData.address.postalCode', /./],
  [address({ countryCode: 'AR', postalCode: 'I1234ABC' }), 'kycData.address.postalCode', /./],
  [address({ countryCode: 'GB', postalCode: 'SW1A' }), 'kycData.address.postalCode', /./],
  [address({ countryCode: 'US', stateRegionProvince: 'California' }), 'kycData.address.stateRegionProvince', /./],
  [address({ countryCode: 'CN', stateRegionProvince: '11' }), 'kycData.address.stateRegionProvince', /./],
  [address({ locale: 'english!' }), 'kycData.address.locale', /language tag/],
  [document({ expirationDate: '2030-13-01' }), 'kycData.documents[0].expirationDate', /a date that exists/],
  [document({ type: 'SELFIE' }), 'kycData.documents[0].type', /must be one of GOVERNMENT_ID, PROOF_OF_ADDRESS/],
  [document({ countryCode: 'XX' }), 'kycData.documents[0].countryCode', /ISO 3166-1/],
  [document({ frontIdImage: 'hello' }), 'kycData.documents[0].frontIdImage', /./],
  [document({ frontIdImage: 7 }), 'kycData.documents[0].frontIdImage', /data URI/],
  [kyc({ documents: Array.from({ length: 21 }, () => ({})) }), 'kycData.documents', /at most 20/],
])('an individual with %o is refused by its field', async (body, field, message) => {
  const answer = await patchCustomer(api, individual, body)
  expect([answer.status, answer.body.error]).toEqual([400, 'BAD_REQUEST'])
  const { details } = answer.body
  expect(details?.find((each) => each.field === field)?.message ?? `not among ${JSON.stringify(details)}`).toMatch(
    message,
  )
  expect((await readCustomer(api, individual)).customerStatus).toBe('CREATED')
})

test.each([
  [kyc({ legalFirstName: 'A' }), 'kycData', /is for individuals/],
  [kyb({ businessInfo: { website: 'example' } }), 'kybData.businessInfo.website', /web address/],
  [kyb({ businessInfo: { formationDate: 'x' } }), 'kybData.businessInfo.formationDate', /a date that exists/],
  [kyb({ businessInfo: { registrationCountry: 'ZZ' } }), 'kybData.businessInfo.registrationCountry', /ISO 3166-1/],
  [kyb({ businessInfo: { isDao: 1 } }), 'kybData.businessInfo.isDao', /boolean/],
  [
    kyb({ businessRegisteredAddress: { countryCode: 'CA', postalCode: '123' } }),
    'kybData.businessRegisteredAddress.postalCode',
    /./,
  ],
  [
    kyb({ businessOperatingAddress: { streetLine1: 'x' } }),
    'kybData.businessOperatingAddress.streetLine1',
    /at least 4/,
  ],
  [kyb({ highRiskActivities: ['a b'] }), 'kybData.highRiskActivities[0]', /code/],
  [person({ ownershipPercentage: 101 }), 'kybData.associatedPersons[1].ownershipPercentage', /at most 100/],
  [person({ email: 'x' }), 'kybData.associatedPersons[1].email', /email/],
  [person({ phoneNumber: '12' }), 'kybData.associatedPersons[1].phoneNumber', /E\.164/],
  [person({ nationalIdNumber: '1' }), 'kybData.associatedPersons[1].nationalIdType', /together/],
  [person({ address: { countryCode: 'US', postalCode: 'x' } }), 'kybData.associatedPersons[1].address.postalCode', /./],
  [person({ middleName: 'x' }), 'kybData.associatedPersons[1].middleName', /legalMiddleName/],
  [kyb({ businessDocuments: [{ documentImage: 'x' }] }), 'kybData.businessDocuments[0].documentImage', /./],
  [kyb({ businessDocuments: Array.from({ length: 51 }, () => ({})) }), 'kybData.businessDocuments', /at most 50/],
])('a business with %o is refused by its field', async (body, field, message) => {
  const answer = await patchCustomer(api, business, body)
  expect([answer.status, answer.body.error]).toEqual([400, 'BAD_REQUEST'])
  const { details } = answer.body
  expect(details?.find((each) => each.field === field)?.message ?? `not among ${JSON.stringify(details)}`).toMatch(
    message,
  )
})

test('one answer lists the errors of fields, their combinations and their files', async () => {
  const body = kyc({
    phoneNumber: 'x',
    nationalIdType: 'SSN',
    address: { countryCode: 'US', postalCode: '1' },
    documents: [{ frontIdImage: 'no' }],
  })
  const { details } = (await patchCustomer(api, individual, body)).body
  expect(details?.map((each) => each.field).sort()).toEqual([
    'kycData.address.postalCode',
    'kycData.documents[0].frontIdImage',
    'kycData.nationalIdIssuingCountry',
    'kycData.nationalIdNumber',
    'kycData.phoneNumber',
  ])
})

test('accepted: lower-case ssn, unknown codes, titles of persons, countries without postal codes', async () => {
  const accepted = {
    nationalIdType: 'ssn',
    nationalIdNumber: '123-45-6788',
    nationalIdIssuingCountry: 'US',
    employmentStatus: 'BETWEEN_JOBS',
    mostRecentOccupation: 'Lion tamer (retired)',
    address: {
      countryCode: 'AE',
      streetLine1: '12 Palm Street',
      city: 'Dubai',
      stateRegionProvince: 'Dubai',
      locale: 'ar-AE',
    },
  }
  const customer = await createCustomer(api)
  expect((await patchCustomer(api, customer, kyc(accepted))).status).toBe(200)
  const shop = await createCustomer(api, { customerType: 'BUSINESS' })
  const persons = [{ title: 'Director', ownershipPercentage: 0.6 }, { ownershipPercentage: 0.4 }]
  expect(
    (await patchCustomer(api, shop, kyb({ associatedPersons: persons, businessInfo: { otherLinks: ['@shop'] } })))
      .status,
  ).toBe(200)
})

test('a PATCH merges objects and replaces lists, and the merged address is validated', async () => {
  const customer = await createCustomer(api)
  await patchCustomer(
    api,
    customer,
    kyc({
      legalFirstName: 'Ada',
      address: { countryCode: 'US', city: 'Springfield' },
      documents: [{ type: 'GOVERNMENT_ID' }, { type: 'PROOF_OF_ADDRESS' }],
    }),
  )
  await api.post(`/sandbox/customers/${customer.customerId}/verification`, { outcome: 'NEEDS_INFO' })
  const wrong = await patchCustomer(api, customer, address({ postalCode: 'SW1A 1AA' }))
  expect(wrong.body).toMatchObject({ details: [{ field: 'kycData.address.postalCode' }] })
  expect(
    (
      await patchCustomer(
        api,
        customer,
        kyc({ address: { postalCode: '62701' }, documents: [{ subtype: 'PASSPORT' }] }),
      )
    ).status,
  ).toBe(200)
  expect((await readCustomer(api, customer, '?includeVerification=true')).verification).toEqual({
    kycData: {
      legalFirstName: 'Ada',
      address: { countryCode: 'US', city: 'Springfield', postalCode: '62701' },
      documents: [{ subtype: 'PASSPORT' }],
    },
  })
})

test.each([
  [{ email: 'x@example.com' }, 'customerType'],
  [{ customerType: 'PERSON', email: 'x@example.com' }, 'customerType'],
  [{ customerType: 'INDIVIDUAL' }, 'email'],
  [{ customerType: 'INDIVIDUAL', email: 'nowhere' }, 'email'],
  [{ customerType: 'INDIVIDUAL', email: 'x@example.com', firstName: '' }, 'firstName'],
  [{ customerType: 'INDIVIDUAL', email: 'x@example.com', kycLink: 'x' }, 'kycLink'],
  [{ customerType: 'INDIVIDUAL', email: 'x@example.com', kybData: { businessRegistrationNumber: '1' } }, 'kybData'],
  [{ customerType: 'INDIVIDUAL', email: 'x@example.com', kycData: { phoneNumber: '1' } }, 'kycData.phoneNumber'],
])('POST /customers with %o is refused by its field', async (body, field) => {
  const answer = await api.post('/customers', body)
  expect(answer.body).toMatchObject({ error: 'BAD_REQUEST' })
  expect(answer.body.details?.map((each) => each.field)).toContain(field)
})

test('creating a customer for another organization is 404', async () => {
  const body = {
    customerType: 'INDIVIDUAL',
    email: 'x@example.com',
    organizationId: '0199f3a2-7c1e-7d55-8c1b-5a0f6b1f4a11',
  }
  expect((await api.post('/customers', body)).status).toBe(404)
})
