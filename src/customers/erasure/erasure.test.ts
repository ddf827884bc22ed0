import { expect, test } from 'vitest'
import type { CustomerStatus } from '../customer.ts'
import { whyNotErase } from './erasure.ts'

const updatedAt = new Date('2026-01-01T00:00:00.000Z')

// biome-ignore format: a table is read by column
test.each([
  // status                         submitted  days  on                           because
  ['CREATED',                       0,         1825, '2026-01-01T00:00:00.000Z',  undefined],
  ['CREATED',                       1,         10,   '2026-01-10T23:59:59.999Z',  'kept until 2026-01-11T00:00:00.000Z'],
  ['NEEDS_ADDITIONAL_INFORMATION',  1,         10,   '2026-01-11T00:00:00.000Z',  undefined],
  ['REJECTED',                      3,         10,   '2026-01-11T00:00:00.000Z',  undefined],
  ['DEACTIVATED',                   1,         0,    '2026-01-01T00:00:00.000Z',  undefined],
  ['DEACTIVATED',                   1,         1825, '2030-12-30T23:59:59.999Z',  'kept until 2030-12-31T00:00:00.000Z'],
  ['ACTIVE',                        1,         0,    '2036-01-01T00:00:00.000Z',  'deactivate it first'],
  ['UNDER_REVIEW',                  1,         0,    '2036-01-01T00:00:00.000Z',  'UNDER_REVIEW cannot be erased'],
] as const)('%s with %i submissions, kept %i days, on %s: %s', (status, submission, days, on, because) => {
  const why = whyNotErase({ status: status as CustomerStatus, submission, updatedAt }, days, new Date(on))
  if (because === undefined) expect(why).toBeUndefined()
  else expect(why).toContain(because)
})
