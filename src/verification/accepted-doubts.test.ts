import { expect, test } from 'vitest'
import { hashDoubt } from './accepted-doubts.ts'
import { needsReview } from './submission.ts'

const key = Buffer.alloc(32, 1)
const profile = { email: 'ada@example.com', name: '' }
const owner = { legalFirstName: 'Ada', legalLastName: 'Example', dateOfBirth: '1990-05-17', nationality: 'IR' }
const doubt = needsReview('ADDITIONAL_WARNING', 'kybData.associatedPersons[0].nationality')

const hashFor = (person: object) =>
  hashDoubt(key, { customerId: 'a', profile, identity: { kybData: { associatedPersons: [person] } } }, doubt).toString(
    'hex',
  )

test('a settled doubt about a person is not settled for another person at the same place', () => {
  expect(hashFor({ ...owner, title: 'Director' })).toBe(hashFor(owner))
  expect(hashFor({ ...owner, legalFirstName: 'Zebulon' })).not.toBe(hashFor(owner))
  expect(hashFor({ ...owner, nationality: 'KP' })).not.toBe(hashFor(owner))
})
