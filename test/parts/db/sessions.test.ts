import { expect, test } from 'vitest'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

test('a session that stays idle inside a transaction is ended by the server, and its locks with it', async () => {
  const database = openForTest((await makeDatabase()).app)
  const [setting] = await database.query({ text: 'show idle_in_transaction_session_timeout' })
  expect(setting).toEqual({ idle_in_transaction_session_timeout: '30s' })
})
