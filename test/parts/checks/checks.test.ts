import { expect, onTestFinished, test } from 'vitest'
import { takeMark } from '../../../src/db/checks/settled.ts'
import { runSlice, type SlicedCheck } from '../../../src/db/checks/slices.ts'
import { verify } from '../../../src/db/verify.ts'
import { foldSlices } from '../../../src/ledger/fold-check-store.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'

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

test('a slice that takes too long is divided, and its check fails only at the smallest size', async () => {
  const database = openForTest((await makeDatabase()).app)
  const sizes: number[] = []
  const checkUpTo = (most: number): SlicedCheck => ({
    slice: async (tx, _after, size) => {
      sizes.push(size)
      if (size <= most) return { found: [], next: undefined }
      await tx.query({ text: `select set_config('statement_timeout', '20', true)` })
      await tx.query({ text: 'select pg_sleep(10)' })
      throw new Error('the statement was not cancelled')
    },
  })
  expect(await runSlice(database, checkUpTo(400), undefined, 5_000)).toMatchObject({ size: 312, next: undefined })
  expect(sizes).toEqual([5_000, 1_250, 312])
  const [result] = (await verify(database, [{ name: 'too slow', ...checkUpTo(0) }])).checks
  expect(result).toMatchObject({ state: 'NOT_CHECKED', error: 'the statement took longer than its time limit' })
  expect(sizes.at(-1)).toBe(50)
})

test('a slice may take longer than the statements of a request', async () => {
  const { app } = await makeDatabase()
  // The client gives a statement of a request up after 2,050 ms.
  const database = openForTest({ ...app, statementTimeoutMs: 50 })
  const slow: SlicedCheck = {
    slice: async (queryable) => {
      await queryable.query({ text: 'select pg_sleep(2.2)' })
      return { found: [], next: undefined }
    },
  }
  expect(await runSlice(database, slow, undefined, 50)).toMatchObject({ next: undefined })
})

test('the check of folded balances waits for an open database transaction for a minute', async () => {
  const { app } = await makeDatabase()
  const database = openForTest(app)
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const { promise: isOpen, resolve: opened } = Promise.withResolvers<void>()
  const open = openForTest(app).inTx(async (tx) => {
    await takeMark(tx)
    opened()
    await isOver
  })
  onTestFinished(() => end())
  await isOpen
  const mark = await takeMark(database)
  // A try takes 50 ms. Our own database transactions may last for half a minute.
  const tryFor = (seconds: number) => database.inTx((tx) => foldSlices.slice(tx, { ...mark, tries: seconds * 20 }, 50))
  expect(await tryFor(59)).toEqual({ found: [], next: { ...mark, tries: 59 * 20 + 1 } })
  await expect(tryFor(60)).rejects.toThrow('a database transaction has been open for too long')
  end()
  await open
  // Other databases of the server have transactions, too.
  const horizon = { horizon: expect.any(String) }
  await eventually(async () => expect(await tryFor(59)).toMatchObject({ found: [], next: horizon }))
})
