import { expect, test } from 'vitest'
import { makeSubmission } from '../../../test/support/customers/identities.ts'
import { checkIdentitySeen } from './identity-seen.ts'
import { checkWatchListMatches } from './watch-list-matches.ts'

// biome-ignore format: a table is read by column
test.each([
  // active   attempted  finding
  [false,     false,     undefined],
  [false,     true,      'ID_PREVIOUSLY_ATTEMPTED'],
  [true,      false,     'ID_PREVIOUSLY_SEEN'],
  [true,      true,      'ID_PREVIOUSLY_SEEN'],
])('a person who is a customer already: %s, has tried: %s: %s', (sameOrganizationActive, attempted, code) => {
  const submission = makeSubmission({}, { seenBefore: { sameOrganizationActive, attempted } })
  expect(checkIdentitySeen(submission)).toEqual(code ? [{ code, leadsTo: 'review' }] : [])
})

test('watch-list matches go to a reviewer and decide nothing', () => {
  const field = 'kycData.legalLastName'
  const submission = makeSubmission({}, { watchListMatches: [{ strength: 'match', field }, { strength: 'possible' }] })
  expect(checkWatchListMatches(submission)).toEqual([
    { code: 'AML_MATCH', field, leadsTo: 'review', watchList: { strength: 'match' } },
    { code: 'AML_WARNING', leadsTo: 'review', watchList: { strength: 'possible' } },
  ])
  expect(checkWatchListMatches(makeSubmission())).toEqual([])
})
