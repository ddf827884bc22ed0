import { expect, test } from 'vitest'
import { verify } from '../../../src/db/verify.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

test('a check that cannot run hides no other check', async () => {
  const database = openForTest((await makeDatabase()).app)
  const report = await verify(database, [
    { name: 'cannot run', sql: `select (1 / (random() * 0)::int)::text as violation` },
    { name: 'fails in code', find: () => Promise.reject(new Error('no connection')) },
    { name: 'is violated', sql: `select 'row 7 is wrong' as violation` },
    { name: 'holds', sql: `select 'never' as violation where false` },
  ])
  expect(report).toMatchObject({ ok: false })
  expect(report.checks.map(({ name, ok, state, violations }) => ({ name, ok, state, violations }))).toEqual([
    { name: 'cannot run', ok: false, state: 'NOT_CHECKED', violations: [] },
    { name: 'fails in code', ok: false, state: 'NOT_CHECKED', violations: [] },
    { name: 'is violated', ok: false, state: 'VIOLATED', violations: ['row 7 is wrong'] },
    { name: 'holds', ok: true, state: 'OK', violations: [] },
  ])
  expect(report.checks.map(({ error }) => error)).toEqual([
    'PostgreSQL error 22012',
    'no connection',
    undefined,
    undefined,
  ])
})
