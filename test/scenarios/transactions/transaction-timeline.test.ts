import { expect, test } from 'vitest'
import { startHeard } from '../../support/money/money-listener.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive, type QuoteWish } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  creditWallet,
  sendDeposit,
  type Transaction,
  timelineOf,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'

type Entry = Awaited<ReturnType<typeof timelineOf>>[number]

/** The timeline has one order, regardless of jumps of the sandbox clock. */
const { api, hears } = await startHeard()
const ada = await makeActive(api, 'US')
const { customerId, organizationId } = ada
const { bank, wallet, external } = await makeAccounts(api, ada)
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 1_000_000_000n })

const clock = (move: object) => api.post('/sandbox/clock', move)
const businessNow = async () => String((await api.get('/sandbox/clock')).body.now)

const describe = ({ kind, details: { status, action, outcome, attempt, reference, eventType } }: Entry) =>
  [kind, status, action, attempt, outcome, String(reference ?? '').split(':')[2], eventType].filter(Boolean).join(' ')
const isWebhook = ({ kind }: Entry) => kind === 'WEBHOOK'

/** The steps, oldest first, without webhook deliveries. Fails when times descend. */
async function storyOf(created: Transaction): Promise<string[]> {
  const entries = await timelineOf(api, created)
  const times = entries.map(({ at }) => at)
  expect(times).toEqual([...times].sort())
  return entries.filter((entry) => !isWebhook(entry)).map(describe)
}

async function fund(created: Transaction, amount: string) {
  const reference = transferReference(created)
  await sendDeposit(api, bank, { amount, currency: 'USD', rail: 'ACH', reference })
}
const onRamp = (amount: string): QuoteWish => ({
  customerId,
  from: [bank, 'USD', 'ACH', amount],
  to: [external, 'USDC', 'BASE'],
  more: { guaranteeQuote: true },
})
const paidIn = ['DEPOSIT APPLIED', 'DEPOSIT_APPLIED', 'STATUS PROCESSING', 'SCREENED', 'POSTING conversion', 'EXECUTED']

test('skipped days separate the entries before and after the jump', async () => {
  await advance(api, 'P400D')
  const created = await createTransaction(api, onRamp('20.99'))
  await advance(api, 'P3D')
  await fund(created, '20.99')
  await expect.poll(() => storyOf(created)).toContain('RAIL 1 ACCEPTED')
  await advance(api, 'PT30M')
  const before = await businessNow()
  await api.post(`/sandbox/transactions/${created.transactionId}/advance`)
  const done = await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  expect(await storyOf(created)).toEqual([
    'QUOTE',
    'STATUS AWAITING_TRANSFER',
    ...paidIn,
    'RAIL 1 STARTED',
    'RAIL 1 ACCEPTED',
    'OPERATOR sandbox.transaction_advanced',
    'RAIL 1 CONFIRMED',
    'POSTING payout',
    'PAYOUT_CONFIRMED',
    'STATUS COMPLETED',
  ])
  const entries = await timelineOf(api, created)
  const act = entries.find(({ kind }) => kind === 'OPERATOR')
  expect([before, act?.at, done.statusHistory.at(-1)?.at].sort()).toEqual([
    before,
    act?.at,
    done.statusHistory.at(-1)?.at,
  ])
  expect(Date.parse(act?.at ?? '') - Date.parse(before)).toBeLessThan(60_000)
  expect(entries.filter(({ kind }) => kind === 'STATUS').map(({ at }) => at)).toEqual(
    done.statusHistory.map(({ at }) => at),
  )
})

test('while business time is frozen, entries are in the order of writing', async () => {
  const { now } = (await clock({ freeze: true })).body
  const created = await createTransaction(api, onRamp('30.00'))
  await fund(created, '30.00')
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  const rail = ['RAIL 1 STARTED', 'RAIL 1 ACCEPTED', 'RAIL 1 CONFIRMED', 'POSTING payout', 'PAYOUT_CONFIRMED']
  expect(await storyOf(created)).toEqual(['QUOTE', 'STATUS AWAITING_TRANSFER', ...paidIn, ...rail, 'STATUS COMPLETED'])
  expect(new Set((await timelineOf(api, created)).filter((entry) => !isWebhook(entry)).map(({ at }) => at))).toEqual(
    new Set([now]),
  )
  await clock({ resume: true })
})

test('the timeline shows a return a day later, with its posting and status', async () => {
  const created = await createTransaction(api, {
    customerId,
    from: [wallet, 'USDC', 'BASE', '40.77'],
    to: [bank, 'USD', 'ACH'],
  })
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await advance(api, 'P1DT1S')
  await waitForTransaction(api, created, { transactionStatus: 'FAILED' })
  const story = await storyOf(created)
  expect(story.slice(story.indexOf('STATUS COMPLETED'))).toEqual([
    'STATUS COMPLETED',
    'RAIL 1 RETURNED',
    'POSTING return',
    'PAYOUT_RETURNED',
    'STATUS FAILED',
  ])
  await hears.transaction(created, ['CREATED', 'PROCESSING', 'COMPLETED', 'FAILED'])
  await expect.poll(async () => (await timelineOf(api, created)).filter(isWebhook)).toHaveLength(4)
})

test('money that arrives and goes back is shown as a decimal with its currency', async () => {
  const account = bankAccountOf(customerId, bankAccounts.ACH({ accountNumber: '000123450066' }))
  const { paymentAccountId: refusing } = await createAccount(api, account)
  const refused = await createTransaction(api, {
    customerId,
    from: [wallet, 'USDC', 'BASE', '41.66'],
    to: [refusing, 'USD', 'ACH'],
  })
  await waitForTransaction(api, refused, { transactionStatus: 'FAILED' })
  expect(await moneyIn(refused)).toEqual([['REFUNDED', '41.660000', 'USDC']])

  const late = await createTransaction(api, onRamp('50.00'))
  await fund(late, '20.00')
  await waitForTransaction(api, late, { source: { sourceReceivedAmount: '20.00' } })
  await advance(api, 'P7D')
  await waitForTransaction(api, late, { transactionStatus: 'FAILED', refund: { refundStatus: 'COMPLETED' } })
  const arrived = ['DEPOSIT', 'DEPOSIT_APPLIED'].map((kind) => [kind, '20.00', 'USD'])
  expect((await moneyIn(late)).sort()).toEqual([...arrived, ['REFUND_OWED', '20.00', 'USD']])

  const reversed = await createTransaction(api, onRamp('50.00'))
  await fund(reversed, '20.00')
  await waitForTransaction(api, reversed, { source: { sourceReceivedAmount: '20.00' } })
  const { deposits } = (await api.get(`/deposits?transactionId=${reversed.transactionId}`)).body
  expect((await api.post(`/sandbox/deposits/${deposits[0]?.depositId}/reverse`, { amount: '5.00' })).status).toBe(200)
  expect((await moneyIn(reversed)).sort()).toEqual([...arrived, ['DEPOSIT_REVERSED', '5.00', 'USD']])
})

/** The kind, amount and currency of each entry with money. */
async function moneyIn(created: Transaction) {
  const entries = await timelineOf(api, created)
  return entries.flatMap(({ kind, details }) => {
    const { amount, currency } = details as { amount?: string; currency?: { label: string } }
    return amount === undefined ? [] : [[kind, amount, currency?.label]]
  })
}
