import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { conflict } from '../../support/money/blocked-payers.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  expectVerified,
  sendDeposit,
  startWithWorkers,
  transferReference,
  waitForDeposit,
} from '../../support/money/transactions.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** One bank account of ours serves ACH, and another one WIRE. The operator has put in no money of its own. */
const database = await makeDatabaseWithAddresses()
const owner = openDatabase({ connection: database.owner })
await owner.query({
  text: `with account as (
           insert into svc.bank_accounts (bank_account_id, bank_name, currency, created_at)
           values ('usd-ach', 'First Bank', 'USD', now()), ('usd-wire', 'Second Bank', 'USD', now()))
         insert into svc.bank_account_rails (rail, bank_account_id) values ('ACH', 'usd-ach'), ('WIRE', 'usd-wire')`,
})
const api = await startWithWorkers({ SVC_SANDBOX_LIQUIDITY: '0' }, database)
afterAll(async () => {
  await api.stop()
  await owner.close()
})
const ada = await makeActive(api, 'US')
const { customerId, organizationId } = ada
const { bank, wallet } = await makeAccounts(api, ada)
const wire = (await createAccount(api, bankAccountOf(customerId, bankAccounts.WIRE()))).paymentAccountId
const resolve = (depositId: string, body: object) =>
  api.post(`/deposits/${depositId}/resolve`, { reason: 'Ada has called', ...body })

test('the sandbox opens accounts only for rails without one', async () => {
  const accounts = await api.app.treasury.listAccounts()
  expect(accounts.map(({ bankAccountId, rails }) => [bankAccountId, rails])).toEqual([
    ['cad-main', ['CA_INTERAC']],
    ['eur-main', ['SEPA']],
    ['inr-main', ['IN_NEFT_RTGS_IMPS']],
    ['usd-ach', ['ACH']],
    ['usd-wire', ['WIRE']],
  ])
})

test('money at another account than the one that serves the transaction is never applied to it', async () => {
  const awaiting = await createTransaction(api, {
    customerId,
    from: [bank, 'USD', 'ACH', '10.00'],
    to: [wallet, 'USDC', 'BASE'],
  })
  const reference = transferReference(awaiting)
  const sent = await sendDeposit(api, bank, { amount: '10.00', currency: 'USD', rail: 'WIRE', reference })
  const { depositId } = await waitForDeposit(api, sent, { depositStatus: 'UNMATCHED' })
  const { transactionId } = awaiting
  expect(await resolve(depositId, { action: 'APPLY', transactionId })).toMatchObject(conflict)
})

test('a return from another account than the one that holds the money takes liquidity there, and replaces it', async () => {
  const sent = await sendDeposit(api, bank, { amount: '25.00', currency: 'USD', rail: 'ACH' })
  const { depositId } = await waitForDeposit(api, sent, { depositStatus: 'UNMATCHED' })
  expect((await resolve(depositId, { action: 'RETURN', paymentAccountId: wire })).status).toBe(200)
  const waiting = { text: `select asks from svc.payouts where deposit_id = $1 and asks > 0`, values: [depositId] }
  await eventually(async () => expect(await owner.query(waiting)).toHaveLength(1))
  const own = { organizationId, asset: 'USD', reason: 'a test' }
  await api.app.treasury.fund({ ...own, holding: 'usd-wire', amount: '30.00' })
  await advance(api, 'PT1M')
  await waitForDeposit(api, sent, { depositStatus: 'RETURNED' })
  const text = `select holding, available from svc.liquidity where organization_id = $1 order by holding`
  expect(await owner.query({ text, values: [organizationId] })).toEqual([
    { holding: 'usd-ach', available: '2500' },
    { holding: 'usd-wire', available: '500' },
  ])
  await expectVerified(api)
  await expect(api.app.treasury.withdraw({ ...own, holding: 'usd-wire', amount: '5.01' })).rejects.toThrow(
    'Less than this amount is available',
  )
  await api.app.treasury.withdraw({ ...own, holding: 'usd-ach', amount: '25.00' })
  await expectVerified(api)
})

// Last, because it halts payouts of USD.
test('liquidity that differs from what we hold less what we owe is found, to the unit', async () => {
  const text = `update svc.liquidity set available = available + 1 where organization_id = $1 and holding = 'usd-wire'`
  await owner.query({ text, values: [organizationId] })
  const violated = (await api.app.verify()).checks.filter(({ ok }) => !ok)
  expect(violated).toMatchObject([
    { name: 'liquidity is what we hold less what we owe', violations: [expect.any(String)] },
  ])
  expect(violated[0]?.violations[0]).toContain(`liquidity of USD in organization ${organizationId} differs by 1 `)
})
