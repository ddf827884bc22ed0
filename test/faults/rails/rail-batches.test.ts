import { expect, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import type { Rail } from '../../../src/transactions/payouts/rail.ts'
import { createMany, endLeases, untilIdle } from '../../support/money/money-stories.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import { advance } from '../../support/money/transactions.ts'
import { accepting, paying, startPort } from '../../support/rails/port-stories.ts'
import { makeTestRail } from '../../support/rails/test-rail.ts'
import { first } from '../../support/runner/first.ts'

/** Payouts that leave together: what befalls one of them befalls no other. */
const { money, hold, owe, payoutOf, statusOf } = await startPort()
const { api, rows, offRamp } = money

test('a payout that another worker has taken over costs the bytes of the others no second statement', async () => {
  const made = await owe(12)
  const taken = first(made)
  const each = makeTestRail({ send: accepting, ask: async () => ({ state: 'PENDING' }) })
  const alone: Rail = {
    ...each,
    capabilities: { ...each.capabilities, batchSize: 100 },
    prepare: async (orders, call) => {
      await rows(`update svc.payouts set fence = fence + 1 where transaction_id = '${taken.transactionId}'`)
      const prepared = await Promise.all(orders.map((order) => each.prepare([order], call)))
      return { batches: prepared.flatMap(({ batches }) => batches), declined: [] }
    },
  }
  let commits = 0
  const { database } = api.app
  const counting: Database = {
    ...database,
    query: (statement) => {
      if (statement.name === 'commit prepared batches') commits += 1
      return database.query(statement)
    },
  }
  await hold([alone], { database: counting }).payOut()
  const found = await Promise.all(made.map(payoutOf))
  expect(found.map(({ status }) => status)).toEqual(['SENDING', ...made.slice(1).map(() => 'SENT')])
  expect(commits).toBe(1)
  await endLeases(money, 'payouts')
  await untilIdle(hold([makeTestRail({ send: accepting, ask: paying })]).payOut)
  for (const transaction of made) expect(await statusOf(transaction)).toBe('COMPLETED')
})

test('payouts whose preparation failed leave together, without one whose account was altered', async () => {
  const other = bankAccountOf(offRamp.customerId, bankAccounts.ACH({ accountNumber: '000123450001' }))
  const { paymentAccountId: bank } = await createAccount(api, other)
  const kept = first(await createMany(money, { ...offRamp, to: [bank, 'USD', 'ACH'] }, 1))
  const made = await owe(3)
  const each = makeTestRail({ send: accepting, ask: paying })
  const prepared: number[] = []
  const failing: Rail = {
    ...each,
    capabilities: { ...each.capabilities, batchSize: 100, collectSeconds: 1 },
    prepare: async (orders, call) => {
      prepared.push(orders.length)
      if (prepared.length === 1) throw new Error('a test')
      return each.prepare(orders, call)
    },
  }
  const { payOut } = hold([failing])
  await payOut()
  const owner = openDatabase({ connection: api.database.owner })
  onTestFinished(owner.close)
  const of = `payment_account_id = '${bank}'`
  const [stored] = await rows<{ details: string }>(
    `select encode(sealed_details, 'hex') as details from svc.payment_accounts where ${of}`,
  )
  await owner.query({ text: `update svc.payment_accounts set sealed_details = '\\x00' where ${of}` })
  await advance(api, 'PT1M')
  await payOut()
  expect(prepared).toEqual([4, 3])
  for (const transaction of made) expect((await payoutOf(transaction)).status).toBe('SENT')
  expect((await payoutOf(kept)).status).toBe('SENDING')
  await owner.query({ text: `update svc.payment_accounts set sealed_details = '\\x${stored?.details}' where ${of}` })
  await advance(api, 'PT2M')
  await untilIdle(payOut)
  for (const transaction of made) expect(await statusOf(transaction)).toBe('COMPLETED')
  expect(await statusOf(kept)).toBe('COMPLETED')
})
