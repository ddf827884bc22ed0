import { expect, test } from 'vitest'
import {
  makeAssociatedPerson,
  makeBusinessSubmission,
  makeSubmission,
} from '../../../test/support/customers/identities.ts'
import { checkOwnership, readOwnership } from './ownership.ts'

// biome-ignore format: a table is read by column
test.each([
  // values                     percentages              consistent
  [[],                          [],                      true],
  [[0],                         [0],                     true],
  [[1],                         [100],                   true],
  [[0.5],                       [50],                    true],
  [[0.5, 0.5],                  [50, 50],                true],
  [[0.25, 0.25, 0.25, 0.25],    [25, 25, 25, 25],        true],
  [[0.55, 0.28, 0.17],          [55.00000000000001, 28.000000000000004, 17], true],
  [[0.5, 0.6],                  [50, 60],                false],
  [[1, 1],                      [100, 100],              false],
  [[60, 40],                    [60, 40],                true],
  [[100],                       [100],                   true],
  [[60, 0],                     [60, 0],                 true],
  [[99, 1],                     [99, 1],                 true],
  [[33.34, 33.33, 33.33],       [33.34, 33.33, 33.33],   true],
  [[58.88, 33.33, 7.79],        [58.88, 33.33, 7.79],    true],
  [[60, 41],                    [60, 41],                false],
  [[60, 40.01],                 [60, 40.01],             false],
  [[99.5, 0.5],                 [99.5, 0.5],             false],
  [[0.6, 40],                   [0.6, 40],               false],
  [[101],                       [101],                   false],
  [[-1, 50],                    [-1, 50],                false],
  [[Number.NaN],                [Number.NaN],            false],
])('%j is read as %j, consistent: %s', (values, percentages, isConsistent) => {
  expect(readOwnership(values)).toEqual({ percentages, isConsistent })
})

test('inconsistent shares are for the customer to correct', () => {
  const owners = (...shares: number[]) =>
    makeBusinessSubmission({
      associatedPersons: shares.map((ownershipPercentage) => makeAssociatedPerson({ ownershipPercentage })),
    })
  expect(checkOwnership(owners(60, 40))).toEqual([])
  expect(checkOwnership(owners(60, 60))).toEqual([
    { code: 'INCONSISTENT_INFORMATION', field: 'kybData.associatedPersons', leadsTo: 'information' },
  ])
  expect(checkOwnership(makeBusinessSubmission({ associatedPersons: [{}] }))).toEqual([])
  expect(checkOwnership(makeSubmission())).toEqual([])
})
