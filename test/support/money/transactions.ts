import { expect } from 'vitest'
import { depositToWallet } from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { timelineKinds } from '../../../src/transactions/timeline/kinds.ts'
import type { TestChains } from '../chains/local-chains.ts'
import type { BodyOf } from '../runner/answers.ts'
import { startApi, type TestApi } from '../runner/api.ts'
import type { TestDatabase } from '../runner/database.ts'
import { eventually, wakeWhileWaiting } from '../runner/eventually.ts'
import { first } from '../runner/first.ts'
import { createQuote, type QuoteWish, waitForRates } from './quotes.ts'
import { makeDatabaseWithAddresses } from './wallets.ts'

export type Transaction = BodyOf<'POST /transactions'>

/** A transaction by its id. */
export type TransactionId = Pick<Transaction, 'transactionId'>

/** Starts the service with workers; by default the sandbox's counterparties pay at once. */
export async function startWithWorkers(
  settings: Record<string, string> = {},
  database?: TestDatabase,
  chains?: Pick<TestChains, 'control' | 'settings'>,
): Promise<TestApi & { stop(): Promise<void> }> {
  const api = await startApi(
    {
      SVC_SANDBOX_VERIFICATION_DELAY: '0',
      SVC_RATE_LIMIT_SANDBOX: '0',
      SVC_SANDBOX_PAYOUT_DELAY: '0',
      ...settings,
    },
    { database: database ?? (await makeDatabaseWithAddresses()), ...(chains ? { chains } : {}) },
  )
  const worker = await api.app.startWorker()
  const letSleep = wakeWhileWaiting(worker)
  await waitForRates(api)
  const stop = () => {
    letSleep()
    return worker.stop()
  }
  return { ...api, stop }
}

export async function createTransaction(api: TestApi, wish: QuoteWish): Promise<Transaction> {
  const { quoteId } = await createQuote(api, wish)
  const answer = await api.post('/transactions', { quoteId }, { headers: { 'x-idempotency-key': newId() } })
  expect([answer.status, answer.body]).toEqual([201, expect.anything()])
  return answer.body
}

export async function readTransaction(api: TestApi, { transactionId }: TransactionId) {
  return (await api.get(`/transactions/${transactionId}`)).body
}

/** Waits until the workers have brought the transaction into this state. */
export function waitForTransaction(api: TestApi, transaction: TransactionId, expected: object): Promise<Transaction> {
  return eventually(async () => {
    const found = await readTransaction(api, transaction)
    expect(found).toMatchObject(expected)
    return found
  })
}

/** Reads the timeline, and expects each entry to be written as the interface documents it. */
export async function timelineOf(api: TestApi, { transactionId }: TransactionId) {
  const { entries } = (await api.get(`/transactions/${transactionId}/timeline`)).body
  for (const entry of entries) {
    expect(Object.keys(timelineKinds)).toContain(entry.kind)
    expectDocumented(entry)
  }
  return entries
}

/** Expects, at any depth, money as a decimal with its currency and never in smallest units, and times in one format. */
function expectDocumented(part: object): void {
  const { amount, currency } = part as { amount?: unknown; currency?: unknown }
  expect(part).toMatchObject(
    amount === undefined && currency === undefined
      ? {}
      : { amount: expect.stringMatching(/^\d+\.\d{2,}$/), currency: { label: expect.any(String) } },
  )
  for (const [name, value] of Object.entries(part)) {
    expect(name).not.toMatch(/^(units|asset)$/)
    if (/^at$|At$/.test(name) || (typeof value === 'string' && /^\d{4}-\d\d-\d\d[T ]/.test(value)))
      expect([name, value]).toEqual([name, expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)])
    if (typeof value === 'object' && value !== null) expectDocumented(value)
  }
}

/** Whether the bank or the chain has the payout. Its delay counts from then, so advance the clock only afterwards. */
export async function isWithRail(api: TestApi, transaction: TransactionId): Promise<boolean> {
  return (await timelineOf(api, transaction)).some(({ details }) => details.outcome === 'ACCEPTED')
}

/** Tokens that a sender paid to a service wallet before the test began. */
export async function creditWallet(
  api: TestApi,
  wallet: { organizationId: string; paymentAccountId: string; asset?: string; amount: bigint },
): Promise<void> {
  const { organizationId, paymentAccountId, asset = 'USDC/BASE', amount } = wallet
  const posting = depositToWallet({ paymentAccountId, asset, amount })
  await api.app.database.inTx((tx) =>
    api.app.ledger.post(tx, [{ organizationId, reference: `test:${newId()}`, ...posting }]),
  )
}

export async function availableIn(api: TestApi, wallet: string, currency = 'USDC', chain = 'BASE'): Promise<string> {
  const { body } = await api.get(`/payment-accounts/${wallet}/balance?currency=${currency}&chain=${chain}`)
  return body.availableBalance
}

export const advance = (api: TestApi, duration: string) => api.post('/sandbox/clock', { advance: duration })

/** The reference of the payment that a transaction waits for: a bank message, or the address for tokens. */
export function transferReference({ transferInstructions }: Transaction): string | undefined {
  if (transferInstructions?.type === 'crypto') return transferInstructions.transferWalletAddress
  return transferInstructions?.transferMessage
}

/** Every invariant of the whole service holds. */
export async function expectVerified(api: TestApi): Promise<void> {
  const { checks } = await api.app.verify()
  expect(checks.filter(({ ok }) => !ok)).toEqual([])
}

/** Sends a deposit from an external account, or to an account of the service. */
export async function sendDeposit(api: TestApi, paymentAccountId: string, body: object): Promise<string> {
  const answer = await api.post(`/sandbox/payment-accounts/${paymentAccountId}/deposits`, body)
  expect([answer.status, answer.body]).toEqual([200, expect.anything()])
  return answer.body.referenceId
}

export type Deposit = BodyOf<'GET /deposits/{depositId}'>

/** Waits until the deposit with this reference of the bank or chain is as expected. */
export function waitForDeposit(api: TestApi, referenceId: string, expected: object): Promise<Deposit> {
  return eventually(async () => {
    const { events } = (await api.get('/events?pageSize=100')).body
    const deposits = events.flatMap(({ data }) => ('depositStatus' in data ? [data] : []))
    const newest = first(deposits.filter((deposit) => deposit.referenceId === referenceId))
    expect(newest).toMatchObject(expected)
    return newest
  })
}

/** Waits until a worker has postponed the payout of a transaction. */
export async function waitForWaiting(api: TestApi, { transactionId }: Transaction, times = 1): Promise<void> {
  const text = `select asks from svc.payouts where transaction_id = $1 and purpose = 'PAYOUT' and status = 'WAITING'`
  await eventually(async () => {
    const [payout] = await api.app.database.query<{ asks: number }>({ text, values: [transactionId] })
    expect(payout?.asks).toBeGreaterThanOrEqual(times)
  })
}

/** Lets the workers re-check a payout that waits, and expects that it still waits. */
export async function expectWaiting(api: TestApi, transaction: Transaction): Promise<void> {
  await waitForWaiting(api, transaction)
  const text = `update svc.payouts set asks = 1 where transaction_id = $1 and status = 'WAITING'`
  await api.app.database.query({ text, values: [transaction.transactionId] })
  await advance(api, 'PT1M')
  await waitForWaiting(api, transaction, 2)
  expect(await readTransaction(api, transaction)).toMatchObject({ transactionStatus: 'PROCESSING' })
}

/** Reads and replaces the policy of the caller's organization and of another one, and previews another's quote. */
export async function askForPolicies({ call }: Pick<TestApi, 'call'>, foreignId: string): Promise<number[]> {
  const foreign = `/policies?organizationId=${foreignId}`
  const body = { rules: [] }
  const answers = [
    await call('GET', '/policies'),
    await call('GET', foreign),
    await call('PUT', '/policies', { body }),
    await call('PUT', foreign, { body }),
    await call('POST', '/policies/preview', { body: { quoteId: foreignId } }),
  ]
  return answers.map(({ status }) => status)
}
