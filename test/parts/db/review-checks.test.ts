import { expect, test } from 'vitest'
import { verify } from '../../../src/db/verify.ts'
import { newId } from '../../../src/lib/ids.ts'
import { reviewChecks } from '../../../src/reviews/store.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

test('the checks find a submission without its review, and a served customer who is not screened', async () => {
  const { owner } = await makeDatabase()
  const database = openForTest({ connection: owner })
  const [organizationId, waiting, served] = [newId(), newId(), newId()]
  await database.query({
    text: `insert into svc.submissions (organization_id, customer_id, submission, state, submitted_at)
           values ($1, $2, 1, 'MANUAL', now())`,
    values: [organizationId, waiting],
  })
  await database.query({
    text: `insert into svc.customers (organization_id, customer_id, customer_type, status, submission, data_key_id,
             sealed_profile, created_at, updated_at)
           values ($1, $2, 'INDIVIDUAL', 'UNDER_REVIEW', 1, $2, 'x', now(), now()),
                  ($1, $3, 'INDIVIDUAL', 'ACTIVE', 1, $3, 'x', now(), now())`,
    values: [organizationId, waiting, served],
  })
  const { checks } = await verify(database, reviewChecks)
  expect(checks.map(({ violations }) => violations)).toEqual([
    [`submission 1 of customer ${waiting} waits for a reviewer and has no open review`],
    [`customer ${served} is ACTIVE and is not screened`],
  ])
})
