import { expect, test } from 'vitest'
import {
  createMany,
  settleEverything,
  startMoney,
  takeOver,
  unfinished,
  untilIdle,
} from '../../support/money/money-stories.ts'
import { bankAccountOf, bankAccounts, createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { advance, sendDeposit, type Transaction, transferReference } from '../../support/money/transactions.ts'
import type { Answer } from '../../support/runner/api.ts'
import { openForTest } from '../../support/runner/database.ts'
import { first } from '../../support/runner/first.ts'
import { form, playRounds, roundsTimeoutMs } from '../../support/runner/form.ts'

/** Operators decide about one deposit through every door at the same moment: its money moves once. */
const money = await startMoney()
const { api, rows } = money
const workers = takeOver(money, {})
const many = form === 'short' ? 24 : 64
const turns = { short: 2, full: 20 }

const refusing = (
  await createAccount(api, bankAccountOf(money.onRamp.customerId, bankAccounts.ACH({ accountNumber: '000123450066' })))
).paymentAccountId

/** A transaction that expired, and its late deposit whose return the bank refused. */
async function refusedLateReturn(): Promise<{ expired: Transaction; depositId: string }> {
  const expired = first(await createMany(money, { ...money.onRamp, from: [refusing, 'USD', 'ACH', '10.00'] }, 1))
  await advance(api, 'P8D')
  await api.app.rates.refresh()
  await untilIdle(workers.advanceAll)
  const reference = transferReference(expired)
  const sent = await sendDeposit(api, refusing, { amount: '10.00', currency: 'USD', rail: 'ACH', reference })
  await untilIdle(workers.receive)
  await untilIdle(workers.payOut)
  const [deposit] = await rows<{ id: string; status: string }>(
    `select deposit_id as id, status from svc.deposits where external_id = '${sent}'`,
  )
  expect(deposit?.status).toBe('UNMATCHED')
  return { expired, depositId: deposit?.id ?? '' }
}

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status)

test(
  'of decisions about a deposit and about the refund of its transaction, one takes effect',
  async () => {
    await playRounds(turns, async () => {
      const { expired, depositId } = await refusedLateReturn()
      const other = first(await createMany(money, money.onRamp, 1))
      const { bank: paymentAccountId } = money
      const doors = [
        { path: `/deposits/${depositId}`, body: { action: 'APPLY', transactionId: other.transactionId } },
        { path: `/transactions/${expired.transactionId}`, body: { action: 'REFUND', paymentAccountId } },
        { path: `/deposits/${depositId}`, body: { action: 'CREDIT' } },
        { path: `/transactions/${expired.transactionId}`, body: { action: 'CREDIT' } },
        { path: `/deposits/${depositId}`, body: { action: 'RETURN', paymentAccountId } },
      ]
      const answers = await Promise.all(
        Array.from({ length: many }, (_, at) => {
          const { path, body } = doors[at % doors.length] ?? first(doors)
          return api.post(`${path}/resolve`, { ...body, reason: 'a test' })
        }),
      )
      expect(statuses(answers).filter((status) => status === 200)).toHaveLength(1)
      expect(statuses(answers).filter((status) => status === 409)).toHaveLength(many - 1)
      await api.post(`/transactions/${other.transactionId}/cancel`)
      await settleEverything(money)
      expect(await rows(unfinished)).toEqual([])
      const [spent] = await rows<{ left: string }>(
        `select amount - applied_amount - returned_amount - case status when 'CREDITED' then amount else 0 end as left
           from svc.deposits where deposit_id = '${depositId}'`,
      )
      expect(spent).toEqual({ left: '0' })
    })
  },
  roundsTimeoutMs,
)

test('the database refuses a second use of a deposit', async () => {
  const { depositId } = await refusedLateReturn()
  const { transactionId } = first(await createMany(money, money.onRamp, 1))
  const owner = openForTest({ connection: api.database.owner, connections: 1 })
  const change = (set: string) =>
    owner.query({ text: `update svc.deposits set ${set} where deposit_id = $1`, values: [depositId] })
  const spentOnce = expect.objectContaining({ constraint: 'deposits_spent_once' })
  // An undecided deposit has no return.
  await expect(change('returned_amount = 1')).rejects.toEqual(spentOnce)
  const answer = await api.post(`/deposits/${depositId}/resolve`, { action: 'APPLY', transactionId, reason: 'a test' })
  expect(answer.status).toBe(200)
  await expect(change('returned_amount = 1')).rejects.toEqual(spentOnce)
  await expect(change(`status = 'CREDITED'`)).rejects.toEqual(spentOnce)
  await settleEverything(money)
})

test('a return that its deposit does not count is not confirmed', async () => {
  const { depositId } = await refusedLateReturn()
  const { bank: paymentAccountId } = money
  const returned = await api.post(`/deposits/${depositId}/resolve`, {
    action: 'RETURN',
    paymentAccountId,
    reason: 'a test',
  })
  expect(returned.status).toBe(200)
  const owner = openForTest({ connection: api.database.owner, connections: 1 })
  const count = (amount: number) =>
    owner.query({ text: `update svc.deposits set returned_amount = ${amount} where deposit_id = '${depositId}'` })
  await count(0)
  await untilIdle(workers.payOut)
  const states = () => rows<{ status: string }>(`select status from svc.deposits where deposit_id = '${depositId}'`)
  expect(await states()).toEqual([{ status: 'RETURNING' }])
  await count(1_000)
  await settleEverything(money)
  expect(await states()).toEqual([{ status: 'RETURNED' }])
})

const makeWallet = async () => (await createAccount(api, serviceWalletOf(money.onRamp.customerId))).paymentAccountId
const sendTokens = (wallet: string) => sendDeposit(api, wallet, { amount: '3', currency: 'USDC', chain: 'BASE' })
const statusOf = async (externalId: string) =>
  first(await rows<{ status: string }>(`select status from svc.deposits where external_id = '${externalId}'`)).status

test('a deposit waits for the deletion of its wallet, and is then unmatched', async () => {
  const wallet = await makeWallet()
  const owner = openForTest({ connection: api.database.owner, connections: 2 })
  const waiting = async () =>
    (
      await owner.query({
        text: `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      })
    ).length
  const untilWaiting = (count: number) => expect.poll(waiting, { interval: 20 }).toBe(count)
  const sent = await sendTokens(wallet)
  const [deleted, received] = await owner.inTx(async (tx) => {
    await tx.query({
      text: 'select from svc.payment_accounts where payment_account_id = $1 for update',
      values: [wallet],
    })
    const deletion = api.delete(`/payment-accounts/${wallet}`)
    await untilWaiting(1)
    const receiving = untilIdle(workers.receive)
    await untilWaiting(2)
    return [deletion, receiving] as const
  })
  expect((await deleted).status).toBe(200)
  await received
  expect(await statusOf(sent)).toBe('UNMATCHED')
})

test(
  'a deletion and a deposit of one wallet: it is deleted and empty, or open and credited',
  async () => {
    // Eight wallets in each round, of the fifty addresses in the pool.
    await playRounds({ short: 2, full: 5 }, async () => {
      const wallets = await Promise.all(Array.from({ length: 8 }, makeWallet))
      const sent = await Promise.all(wallets.map(sendTokens))
      const [answers] = await Promise.all([
        Promise.all(wallets.toReversed().map((wallet) => api.delete(`/payment-accounts/${wallet}`))),
        untilIdle(workers.receive),
        untilIdle(workers.receive),
      ])
      for (const [at, { status }] of answers.toReversed().entries()) {
        expect([status, await statusOf(sent[at] ?? '')]).toEqual(
          status === 200 ? [200, 'UNMATCHED'] : [409, 'CREDITED'],
        )
      }
    })
  },
  roundsTimeoutMs,
)
