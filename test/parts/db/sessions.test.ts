import { expect, test } from 'vitest'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

test('the server ends a session that stays idle inside a database transaction, and releases its locks', async () => {
  const database = openForTest((await makeDatabase()).app)
  const [setting] = await database.query({ text: 'show idle_in_transaction_session_timeout' })
  expect(setting).toEqual({ idle_in_transaction_session_timeout: '30s' })
})
