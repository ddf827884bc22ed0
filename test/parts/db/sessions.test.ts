import { expect, test } from 'vitest'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

test('the server ends a session that stays idle inside a database transaction, and releases its locks', async () => {
  const database = openForTest((await makeDatabase()).app)
  const [setting] = await database.query({ text: 'show idle_in_transaction_session_timeout' })
  expect(setting).toEqual({ idle_in_transaction_session_timeout: '30s' })
})

test('arrays of text are read as they were written', async () => {
  const database = openForTest((await makeDatabase()).app)
  const arrays = [
    [],
    ['one'],
    ['5Gh', '7Kj', ''],
    ['a,b', 'c d', '"', '\\', '{}', '{', 'é', '\n'],
    [null, 'NULL', 'null', 'NULLABLE'],
    ['[0:1]={a}'],
  ]
  for (const array of arrays) {
    expect(await database.query({ text: 'select $1::text[] as read', values: [array] })).toEqual([{ read: array }])
  }
  const [row] = await database.query({
    text: `select '{{a,b},{c,d}}'::text[] as nested, '[0:1]={a,b}'::text[] as moved`,
  })
  expect(row).toEqual({
    nested: [
      ['a', 'b'],
      ['c', 'd'],
    ],
    moved: ['a', 'b'],
  })
})
