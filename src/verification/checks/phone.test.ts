import { expect, test } from 'vitest'
import { checkPhone } from './phone.ts'

// Numbers that regulators reserve for films and examples, where they exist.
// biome-ignore format: a table is read by column
test.each([
  // number            doubtful
  ['+14155550123',     false],
  ['+12025550123',     false],
  ['+442079460958',    false],
  ['+33612345678',     false],
  ['+4915112345678',   false],
  ['+5511987654321',   false],
  ['+919876543210',    false],
  ['+8613800138000',   false],
  ['+81312345678',     false],
  ['+61491570006',     false],
  ['+1415555012',      true],
  ['+141555501234',    true],
  ['+10005550123',     true],
  ['+15555550100',     true],
  ['+999999999999',    true],
  ['+1234567',         true],
  ['+44000000000',     true],
  ['not a number',     true],
])('%s is impossible: %s', (phoneNumber, isDoubtful) => {
  const finding = { code: 'INVALID_PARAMETERS', field: 'kycData.phoneNumber', leadsTo: 'information', canBeConfirmed: true }
  expect(checkPhone({ phoneNumber }, 'kycData')).toEqual(isDoubtful ? [finding] : [])
})

test('a missing phone number is not doubtful', () => {
  expect(checkPhone({}, 'kycData')).toEqual([])
  expect(checkPhone({ phoneNumber: ' ' }, 'kycData')).toEqual([])
})
