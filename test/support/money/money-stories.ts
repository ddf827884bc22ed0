import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { Database, Queryable, Tx } from '../../../src/db/database.ts'
import { deriveKey } from '../../../src/encryption/deployment-secrets.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createPages } from '../../../src/lib/pages.ts'
import { createSandboxRails } from '../../../src/sandbox/rails.ts'
import { createAdvanceService } from '../../../src/transactions/advance.ts'
import { createDepositService } from '../../../src/transactions/deposits/service.ts'
import { type Rail, registerRails } from '../../../src/transactions/payouts/rail.ts'
import { createPayoutService } from '../../../src/transactions/payouts/service.ts'
import type { Screener } from '../../../src/transactions/screening/screening.ts'
import { makeTestRail, payDue, type TestRail } from '../rails/test-rail.ts'
import { startApi, type TestApi } from '../runner/api.ts'
import type { TestDatabase } from '../runner/database.ts'
import { wakeWhileWaiting } from '../runner/eventually.ts'
import { seed } from '../runner/form.ts'
import { type Accounts, createQuote, makeAccounts, makeActive, type QuoteWish, waitForRates } from './quotes.ts'
import {
  advance,
  creditWallet,
  expectVerified,
  sendDeposit,
  type Transaction,
  transferReference,
} from './transactions.ts'
import { makeDatabaseWithAddresses } from './wallets.ts'

export const workerSettings = { SVC_LEASE_MS: '500', SVC_SANDBOX_PAYOUT_DELAY: '0' }

export type Money = Accounts & {
  api: TestApi
  organizationId: string
  onRamp: QuoteWish
  offRamp: QuoteWish
  /** Reads rows of the whole database directly. */
  rows<Row extends object>(text: string): Promise<Row[]>
}

/** A customer with a bank account and a well-funded wallet, and a service without running workers. */
export async function startMoney(
  settings: Record<string, string> = {},
  more: { database?: TestDatabase } = {},
): Promise<Money> {
  const api = await startApi(
    { SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0', ...workerSettings, ...settings },
    { database: more.database ?? (await makeDatabaseWithAddresses()) },
  )
  const worker = await api.app.startWorker()
  const letSleep = wakeWhileWaiting(worker)
  await waitForRates(api)
  const ada = await makeActive(api, 'US')
  letSleep()
  await worker.stop()
  const { customerId, organizationId } = ada
  const accounts = await makeAccounts(api, ada)
  const { bank, wallet } = accounts
  await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 10n ** 12n })
  return {
    ...accounts,
    api,
    organizationId,
    onRamp: { customerId, from: [bank, 'USD', 'ACH', '10.00'], to: [wallet, 'USDC', 'BASE'] },
    offRamp: { customerId, from: [wallet, 'USDC', 'BASE', '10'], to: [bank, 'USD', 'ACH'] },
    rows: (text) => api.app.database.query({ text }),
  }
}

/** Creates many transactions of one kind concurrently. */
export function createMany({ api }: Money, wish: QuoteWish, count: number): Promise<Transaction[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const { quoteId } = await createQuote(api, wish)
      const answer = await api.post('/transactions', { quoteId }, { headers: { 'x-idempotency-key': newId() } })
      expect(answer.status).toBe(201)
      return answer.body
    }),
  )
}

/** Sends the deposit that a transaction waits for from the customer's bank. */
export function pay({ api, bank }: Money, transaction: Transaction, amount = '10.00'): Promise<string> {
  return sendDeposit(api, bank, { amount, currency: 'USD', rail: 'ACH', reference: transferReference(transaction) })
}

export type Hands = {
  database?: Database
  rail?: TestRail
  rails?: readonly Rail[]
  screening?: Partial<Screener<Tx>>
  sandboxLiquidity?: number
  /** The most rows in one claim. */
  limit?: number
  /** How long a worker waits for a rail. */
  railTimeoutMs?: number
  onFailure?(error: unknown): void
  onSetFailure?(error: unknown): void
}

/** No lease ends and no rail is given up while a busy machine works: a test that is about that calls `endLeases`. */
const handMs = 60_000

/** Ends all leases of a table, as time does: other workers may take over now. */
export async function endLeases({ rows }: Pick<Money, 'rows'>, table: string): Promise<void> {
  await rows(`update svc.${table} set lease_until = clock_timestamp() where lease_until > clock_timestamp()`)
}

/** Lets a test run the workers' jobs itself, one round of due work at a time, with replaced parts. */
export function takeOver(
  { api: { app, signer, secret } }: Pick<Money, 'api'>,
  { database = app.database, rail, sandboxLiquidity = 1e9, limit = 5, ...more }: Hands,
) {
  const ignore = () => {}
  const { onFailure = ignore, onSetFailure = ignore } = more
  const { ledger, paymentAccounts } = app
  const screening: Screener<Tx> = {
    isBlocked: async () => false,
    findBlocked: async () => new Set(),
    listVersion: async () => undefined,
    findGap: async () => undefined,
    screenSender: async () => [],
    isCounterpartyBlocked: async () => false,
    ...more.screening,
  }
  const createAutoTransaction = async () => {
    throw new Error('no auto fiat account here')
  }
  const { currencyOf, rateNow } = app.quotes
  const shared = { database, ledger, paymentAccounts, screening, currencyOf, onFailure, onSetFailure, onPoint: ignore }
  const progress = createAdvanceService({ ...shared, rateNow })
  const deposits = createDepositService({
    ...shared,
    custody: app.custody,
    onQuarantined: ignore,
    onContradicted: ignore,
    hashKey: Buffer.alloc(32),
    senderKey: Buffer.alloc(32),
    createAutoTransaction,
    isSuspended: async () => false,
    authority: { organizationIdsOf: async ({ organizationIds }) => organizationIds },
    pages: createPages(Buffer.alloc(32)),
  })
  const payouts = createPayoutService({
    ...shared,
    customers: app.customers,
    rails: registerRails(rail ? [makeTestRail(rail)] : (more.rails ?? makeCounterparty(app, app.database))),
    batchKey: deriveKey(secret, 'payout batches'),
    seals: app.custody.seals,
    custody: app.custody,
    onWrongSeal: async () => {},
    timeoutMs: more.railTimeoutMs ?? handMs,
    sandboxLiquidity,
    onWaiting: ignore,
    onUnmatchedReport: ignore,
  })
  return {
    receive: () => deposits.receiveDue(limit, handMs),
    release: () => deposits.releaseDue(5, handMs),
    advanceAll: () => progress.advanceDue(limit, handMs),
    reports: payouts.reports,
    payOut: async () => {
      await signer.sealAll()
      return payDue(payouts, 20, handMs)
    },
  }
}

/** The sandbox's banks and chains, over this connection. */
export function makeCounterparty({ transactions }: TestApi['app'], memory: Queryable): Rail[] {
  return createSandboxRails({ memory, delaySeconds: 0, sourceAmountsOf: transactions.findSourceAmountsOfPayouts })
}

/** Repeats the work until nothing is due, even beside other workers. */
export async function untilIdle(work: () => Promise<number>): Promise<void> {
  while ((await work()) > 0);
}

/** Selects all unfinished work. A confirmed payout that a bank may still return is finished. */
export const unfinished = `
  select 'transaction' as kind, status, step as detail from svc.transactions
   where due_at is not null or status in ('CREATED', 'PROCESSING')
   union all select 'payout', status, purpose from svc.payouts
   where status in ('WAITING', 'SENDING', 'SENT') or (status <> 'CONFIRMED' and due_at is not null)
   union all select 'deposit', status, method from svc.deposits where due_at is not null or status = 'RETURNING'
   union all select 'sighting', 'DUE', method from svc.sightings where due_at is not null`

/** Lets healthy workers finish all work, and expects that every invariant holds. */
export async function settleEverything(money: Money): Promise<void> {
  const { api, rows } = money
  const worker = await api.app.startWorker()
  let before: unknown[] = []
  let sinceMs = performance.now()
  // The worker retries a temporary failure a minute later. The clock moves only when nothing else does.
  const lookAndHurry = async () => {
    const left = await rows(unfinished)
    const isStill = isDeepStrictEqual(left, before)
    if (left.length > 0 && isStill && performance.now() - sinceMs > 1_000) await advance(api, 'PT20S')
    else if (isStill) return left
    before = left
    sinceMs = performance.now()
    if (left.length > 0) worker.wake()
    return left
  }
  try {
    await expect.poll(lookAndHurry, { timeout: 300_000, interval: 50 }).toEqual([])
  } finally {
    await worker.stop()
  }
  await expectVerified(api)
  await expectPaidOnce(money)
}

/** Expects one transfer at the counterparty per obligation, and one event per version of a transaction. */
async function expectPaidOnce({ rows }: Money): Promise<void> {
  const wrong = await rows(`
    select payout.payout_id::text as what, payout.status from svc.payouts as payout
      left join svc.sandbox_transfers as transfer on transfer.reference = payout.payout_id and transfer.has_arrived
     where (transfer.reference is null or transfer.amount <> payout.amount) and payout.attempts > 0
     union all select reference::text, 'belongs to nothing' from svc.sandbox_transfers
     where has_arrived and not exists (select from svc.payouts where payout_id = reference)
     union all select transaction.transaction_id::text, format('version %s, %s events', version, count(event.event_id))
      from svc.transactions as transaction
      left join svc.events as event on event.organization_id = transaction.organization_id
       and event.resource_id = transaction.transaction_id::text
     group by transaction.organization_id, transaction.transaction_id
    having count(event.event_id) <> version or count(distinct event.resource_version) <> version`)
  expect(wrong, `seed ${seed}`).toEqual([])
}
