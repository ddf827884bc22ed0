import { expect, test } from 'vitest'
import { migrate, readMigrations } from '../../../src/db/migrate.ts'
import { verify } from '../../../src/db/verify.ts'
import { newId } from '../../../src/lib/ids.ts'
import { reviewChecks } from '../../../src/reviews/store.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

test('a submission that waited for a reviewer has a review after the migration, and a served customer is screened', async () => {
  const { owner } = await makeDatabase({ empty: true })
  const files = readMigrations()
  await migrate(
    owner,
    files.filter(({ name }) => name < '0010'),
  )
  const database = openForTest({ connection: owner })
  const organizationId = newId()
  const insert = async (status: string, states: readonly string[]) => {
    const customerId = newId()
    await database.query({
      text: `insert into svc.customers (organization_id, customer_id, customer_type, status, submission, data_key_id,
               sealed_profile, created_at, updated_at)
             values ($1, $2, 'INDIVIDUAL', $3, $4, $2, 'x', now(), now())`,
      values: [organizationId, customerId, status, states.length],
    })
    for (const [at, state] of states.entries()) {
      await database.query({
        text: `insert into svc.submissions (organization_id, customer_id, submission, state, submitted_at, findings)
               values ($1, $2, $3, $4, '2026-11-02T10:00:00.123Z', '[{"code": "AML_MATCH", "leadsTo": "review"}]')`,
        values: [organizationId, customerId, at + 1, state],
      })
    }
    return customerId
  }
  const waiting = await insert('UNDER_REVIEW', ['DECIDED', 'MANUAL'])
  await insert('UNDER_REVIEW', ['REVIEWING'])
  const active = await insert('ACTIVE', ['DECIDED'])
  const stopped = await insert('DEACTIVATED', ['DECIDED'])
  await insert('REJECTED', ['DECIDED'])
  await migrate(owner, files)

  const reviews = await database.query<{ review_id: string }>({
    text: `select customer_id, review_id, version, reason, submission, status, findings, opened_at from svc.reviews`,
  })
  expect(reviews).toMatchObject([
    {
      customer_id: waiting,
      version: 1,
      reason: 'MANUAL_SUBMISSION',
      submission: 2,
      status: 'OPEN',
      findings: [{ code: 'AML_MATCH' }],
      opened_at: new Date('2026-11-02T10:00:00.123Z'),
    },
  ])
  // Listed by id, so the id tells the time as ours do.
  const [{ review_id: reviewId = '' } = {}] = reviews
  expect(Number.parseInt(reviewId.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.parse('2026-11-02T10:00:00.123Z'))
  expect(reviewId[14]).toBe('7')
  const screenings = await database.query<{ customer_id: string }>({ text: 'select customer_id from svc.screenings' })
  expect(screenings.map((row) => row.customer_id).toSorted()).toEqual([active, stopped].toSorted())
  expect(await verify(database, reviewChecks)).toMatchObject({ ok: true })
})

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
    [`submission 1 of customer ${waiting} waits for a person and has no open review`],
    [`customer ${served} is ACTIVE and is not screened`],
  ])
})
