import { expect, test } from 'vitest'
import { migrate, readMigrations } from '../../../src/db/migrate.ts'
import { newId } from '../../../src/lib/ids.ts'
import { storeQuote, storeTransaction } from '../../support/money/stored-transactions.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

test('funds that were returned before there were repayments wait for an operator, in the returned amount', async () => {
  const { owner } = await makeDatabase({ empty: true })
  const files = readMigrations()
  await migrate(
    owner,
    files.filter(({ name }) => name < '0024'),
  )
  const database = openForTest({ connection: owner })
  const organizationId = newId()
  const paid = async (status: string, outcomes: readonly [string, object][]) => {
    const quoteId = await storeQuote(database, organizationId, newId(), newId(), newId())
    const [transactionId, payoutId] = [await storeTransaction(database, organizationId, quoteId), newId()]
    await database.query({
      text: `insert into svc.payouts (organization_id, payout_id, transaction_id, customer_id, purpose, method, asset,
               amount, payment_account_id, status, created_at) values ($1, $2, $3, $2, 'PAYOUT', 'ACH', 'USD', 1000, $2, $4, now())`,
      values: [organizationId, payoutId, transactionId, status],
    })
    for (const [outcome, details] of outcomes) {
      await database.query({
        text: `insert into svc.payout_attempts (organization_id, payout_id, attempt, outcome, details)
               values ($1, $2, 1, $3, $4)`,
        values: [organizationId, payoutId, outcome, JSON.stringify(details)],
      })
    }
    return transactionId
  }
  const returned = await paid('RETURNED', [
    ['CONFIRMED', {}],
    ['RETURNED', { reason: 'closed', amount: '900' }],
  ])
  await paid('CONFIRMED', [['CONFIRMED', {}]])
  await migrate(owner, files)
  const waiting = await database.query({
    text: 'select transaction_id as "transactionId", repayment from svc.transactions where repayment is not null',
  })
  const repayment = { status: 'WAITING_FOR_OPERATOR', amount: '900', asset: 'USD', referenceId: '' }
  expect(waiting).toEqual([{ transactionId: returned, repayment }])
})
