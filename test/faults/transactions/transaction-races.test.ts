import { expect, test } from 'vitest'
import { depositToWallet } from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createQuote, makeAccounts, makeActive, type QuoteWish, waitForRates } from '../../support/money/quotes.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import { startApi } from '../../support/runner/api.ts'
import { playRounds, roundsTimeoutMs } from '../../support/runner/form.ts'

/** Many concurrent requests over HTTP have exactly one effect, and never cause an internal error. */
const api = await startApi(
  { SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0' },
  { database: await makeDatabaseWithAddresses() },
)
const worker = await api.app.startWorker()
await waitForRates(api)
const ada = await makeActive(api, 'US')
await worker.stop()
const { customerId, organizationId } = ada
const { bank, wallet } = await makeAccounts(api, ada)
const asset = 'USDC/BASE'
const many = 64
const turns = { short: 2, full: 40 }

const onRamp: QuoteWish = { customerId, from: [bank, 'USD', 'ACH', '10.00'], to: [wallet, 'USDC', 'BASE'] }
const offRamp = (amount: string): QuoteWish => ({
  customerId,
  from: [wallet, 'USDC', 'BASE', amount],
  to: [bank, 'USD', 'ACH'],
})
const send = (quoteId: string, key: string) =>
  api.post('/transactions', { quoteId }, { headers: { 'x-idempotency-key': key } })
const all = <Result>(run: (at: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: many }, (_, at) => run(at)))
const statuses = (answers: readonly { status: number; body: { error?: string } }[]) =>
  Object.entries(Object.groupBy(answers, ({ status, body }) => `${status} ${body.error ?? ''}`.trim())).map(
    ([name, found]) => `${name} × ${found?.length}`,
  )

async function count(quoteIds: readonly string[]): Promise<number> {
  const [row] = await api.app.database.query<{ count: string }>({
    text: 'select count(*) from svc.transactions where organization_id = $1 and quote_id = any($2)',
    values: [organizationId, quoteIds],
  })
  return Number(row?.count)
}
async function credit(amount: bigint): Promise<void> {
  const reference = `test:${newId()}`
  await api.app.database.inTx((tx) =>
    api.app.ledger.post(tx, [
      { organizationId, reference, ...depositToWallet({ paymentAccountId: wallet, asset, amount }) },
    ]),
  )
}
async function balance() {
  const [found] = await api.app.ledger.balances(api.app.database, organizationId, wallet)
  return found ?? { posted: 0n, available: 0n }
}

test(
  'many requests with one key create one transaction, and each answer is that one or "still running"',
  async () => {
    await playRounds(turns, async () => {
      const { quoteId } = await createQuote(api, onRamp)
      const key = newId()
      const answers = await all(() => send(quoteId, key))
      const good = answers.filter(({ status }) => status === 201)
      expect(answers.every(({ status }) => [201, 409].includes(status))).toBe(true)
      expect(new Set(good.map(({ body }) => JSON.stringify(body))).size).toBe(1)
      expect(await count([quoteId])).toBe(1)
      expect((await send(quoteId, key)).body).toEqual(good[0]?.body)
    })
  },
  roundsTimeoutMs,
)

test(
  'many keys for one quote create one transaction, and the others get a conflict',
  async () => {
    await playRounds(turns, async () => {
      const { quoteId } = await createQuote(api, onRamp)
      const answers = await all(() => send(quoteId, newId()))
      expect(statuses(answers).sort()).toEqual(['201 × 1', `409 QUOTE_ALREADY_USED × ${many - 1}`])
      expect(await count([quoteId])).toBe(1)
    })
  },
  roundsTimeoutMs,
)

test(
  'concurrent spends of one balance succeed until it is used up, and never overdraw it',
  async () => {
    await playRounds(turns, async () => {
      const before = await balance()
      await credit(10_000_000n * 7n + 5_000_000n - before.available)
      const quotes = await all(() => createQuote(api, offRamp('10')))
      const answers = await all((at) => send(quotes[at]?.quoteId ?? '', newId()))
      expect(statuses(answers).sort()).toEqual(['201 × 7', `422 INSUFFICIENT_BALANCE × ${many - 7}`])
      expect((await balance()).available).toBe(5_000_000n)
      expect(await count(quotes.map(({ quoteId }) => quoteId))).toBe(7)
    })
  },
  roundsTimeoutMs,
)

test(
  'many cancellations of one transaction release its funds once',
  async () => {
    await credit(100_000_000n)
    await playRounds(turns, async () => {
      const before = await balance()
      const { quoteId } = await createQuote(api, offRamp('10'))
      const { transactionId } = (await send(quoteId, newId())).body
      const answers = await all(() => api.post(`/transactions/${transactionId}/cancel`))
      expect(statuses(answers).sort()).toEqual(['200 × 1', `409 TRANSACTION_NOT_CANCELLABLE × ${many - 1}`])
      expect(await balance()).toEqual(before)
    })
  },
  roundsTimeoutMs,
)

test('after all races every invariant holds', async () => {
  expect((await api.app.verify()).checks.filter(({ ok }) => !ok)).toEqual([])
})
