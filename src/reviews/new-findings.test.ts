import { expect, test } from 'vitest'
import { findingOfMatch } from '../verification/checks/watch-list-matches.ts'
import { selectNewFindings } from './new-findings.ts'

const match = {
  listVersion: 1,
  entryNumber: '306',
  listedName: 'EXAMPLE, Ada',
  score: 91,
  strength: 'possible' as const,
  reasons: ['one letter differs'],
  field: 'kycData',
}

test.each([
  ['the same entry of a newer list is known', { listVersion: 2 }, false],
  ['a score that moved with the rest of the list is known', { score: 88 }, false],
  ['another entry is new', { entryNumber: '307' }, true],
  ['the same entry by another name is new', { listedName: 'EXEMPLAR, Ada' }, true],
  ['a better match is new', { strength: 'match' as const }, true],
  ['another person of the business is new', { field: 'kybData.associatedPersons[0]' }, true],
])('%s', (_what, change, isNew) => {
  const found = [findingOfMatch({ ...match, ...change })]
  expect(selectNewFindings(found, [findingOfMatch(match)])).toEqual(isNew ? found : [])
})
