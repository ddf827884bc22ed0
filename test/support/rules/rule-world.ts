import { afterAll, expect } from 'vitest'
import { type Database, openDatabase } from '../../../src/db/database.ts'
import { type Mortal, startMortal } from '../faults/mortal.ts'
import type { MortalWorker } from '../faults/mortal-worker.ts'
import { recordHistory } from '../money/balance-history.ts'
import { workerSettings as commonSettings } from '../money/money-stories.ts'
import { createAccount, serviceWalletOf } from '../money/payment-accounts.ts'
import { makeAccounts, makeActive, waitForRates } from '../money/quotes.ts'
import { advance } from '../money/transactions.ts'
import { fillAddressPool } from '../money/wallets.ts'
import { type Answer, startApi, type TestApi } from '../runner/api.ts'

/** A short lease: many workers die, and the next one does not wait long. */
const workerSettings = { ...commonSettings, SVC_LEASE_MS: '250' }

/** The start of every simulation, so that a seed gives the same run every day; the February of a leap year follows. */
const start = new Date('2028-02-05T21:47:00Z')

/** A wallet that rules spend from, and where they may spend to. */
export type RuleWallet = { customerId: string; wallet: string; destinations: readonly Destination[] }
type Destination = readonly [account: string, currency: string, method: string]

export type RuleWorld = {
  api: TestApi
  owner: Database
  wallets: RuleWallet[]
  workers: Workers
  now(): Date
  hop(seconds: number): Promise<void>
  hopTo(at: Date): Promise<void>
  /** Lists the work that is due now. While it is empty, nothing changes until the clock moves or a caller acts. */
  findDue(): Promise<{ due: string; id: string }[]>
}

/** A payout is due when the signer has sealed it, so one without a seal is work of the signer. */
const allDue = `
  select 'rule' as due, rule_id::text as id from svc.automation_rules where next_run_at <= svc.now()
   union all select 'run', run_id::text from svc.rule_runs where due_at <= svc.now()
   union all select 'balance', rule_id::text from svc.threshold_watches where due_at <= svc.now()
   union all select 'sighting', external_id from svc.sightings where due_at <= svc.now()
   union all select 'deposit', deposit_id::text from svc.deposits where due_at <= svc.now()
   union all select 'transaction', transaction_id::text from svc.transactions where due_at <= svc.now()
   union all select 'seal', payout_id::text from svc.payouts where status = 'WAITING' and seal is null
   union all select 'payout', payout_id::text from svc.payouts where due_at <= svc.now()`

/** Customers with wallets, a clock that the test moves, and no worker yet. */
export async function startRuleWorld(customers: number): Promise<RuleWorld> {
  const settings = { SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0', ...workerSettings }
  const api = await startApi(settings)
  const owner = openDatabase({ connection: api.database.owner })
  afterAll(() => owner.close())
  await recordHistory(owner)
  await fillAddressPool(api.database)
  const worker = await api.app.startWorker()
  await waitForRates(api)
  const wallets: RuleWallet[] = []
  for (let count = 0; count < customers; count += 1) wallets.push(...(await makeWallets(api)))
  await worker.stop()
  let now = clockIn(await api.post('/sandbox/clock', { freeze: true }))
  const hop = async (seconds: number) => {
    now = clockIn(await advance(api, `PT${seconds}S`))
  }
  const hopTo = (at: Date) => hop((at.getTime() - now.getTime()) / 1_000)
  await hopTo(start)
  const findDue = () => owner.query<{ due: string; id: string }>({ text: allDue })
  return { api, owner, wallets, workers: makeWorkers(api), now: () => now, hop, hopTo, findDue }
}

const clockIn = ({ body }: Awaited<ReturnType<typeof advance>>) => new Date(body.now)

/** Two wallets; the first can pay into the second, whose credit may fire another rule. */
async function makeWallets(api: TestApi): Promise<RuleWallet[]> {
  const customer = await makeActive(api, 'US')
  const { customerId } = customer
  const { bank, wallet: first, external } = await makeAccounts(api, customer)
  const { paymentAccountId: second } = await createAccount(api, serviceWalletOf(customerId, 'EVM'))
  const outside: Destination[] = [
    [bank, 'USD', 'ACH'],
    [external, 'USDC', 'BASE'],
  ]
  return [
    { customerId, wallet: first, destinations: [...outside, [second, 'USDC', 'BASE']] },
    { customerId, wallet: second, destinations: outside },
  ]
}

type Workers = ReturnType<typeof makeWorkers>

/** Two workers in separate processes. */
function makeWorkers(api: TestApi) {
  let alive: Mortal[] = []
  const kill = ({ child }: Mortal) => void child.kill('SIGKILL')
  return {
    isAnyAlive: () => alive.length > 0,

    /** Starts missing workers; a new one may die at a crash point. */
    fill: (anyDeath: () => MortalWorker['dieAt'] = () => undefined) => {
      alive = alive.filter(({ child }) => child.exitCode === null && child.signalCode === null)
      while (alive.length < 2) {
        const dieAt = anyDeath()
        alive.push(startMortal(api, { settings: workerSettings, ...(dieAt ? { dieAt } : {}) }))
      }
    },

    /** Wakes the workers before their next poll. */
    wake: () => {
      for (const { child } of alive) if (child.connected) child.send('wake', () => {})
    },

    killOne: (random: () => number) => alive.splice(Math.floor(random() * alive.length), 1).forEach(kill),
    killAll: () => alive.splice(0).forEach(kill),
  }
}

export async function expectAnswer<Body>(answer: Promise<Answer<Body>>, status = 200): Promise<Body> {
  const { status: found, body } = await answer
  expect([found, body]).toEqual([status, expect.anything()])
  return body
}
