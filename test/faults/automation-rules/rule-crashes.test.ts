import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../support/faults/cutting-proxy.ts'
import { startMortal } from '../../support/faults/mortal.ts'
import { settleEverything, startMoney, workerSettings } from '../../support/money/money-stories.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { advance, creditWallet } from '../../support/money/transactions.ts'
import { actOn, createRule, type Rule, runsOf } from '../../support/rules/rules.ts'
import { openForTest } from '../../support/runner/database.ts'
import { playRounds, roundsTimeoutMs, seed } from '../../support/runner/form.ts'

/** A short lease for the workers that die, so that the next worker does not wait. */
const shortLease = { ...workerSettings, SVC_LEASE_MS: '100' }
const random = seededRandom(seed)
const money = await startMoney()
const { api, rows, organizationId } = money
const { customerId } = money.offRamp
await api.post('/sandbox/clock', { freeze: true })

type Rules = { timed: Rule[]; waiting: Rule }
const idsOf = ({ timed, waiting }: Rules) => [...timed, waiting].map(({ id }) => `'${id}'`).join()

/** Three wallets, each with a rule for every minute, one of them also with a rule that waits for its balance. */
async function makeRules(): Promise<Rules & { credit(): Promise<void> }> {
  const timed: Rule[] = []
  const walletOf = async () => (await createAccount(api, serviceWalletOf(customerId, 'EVM'))).paymentAccountId
  const to = [money.bank, 'USD', 'ACH'] as const
  for (let at = 0; at < 3; at += 1) {
    const wallet = await walletOf()
    await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 10n ** 9n })
    const from = [wallet, 'USDC', 'BASE'] as const
    timed.push(await createRule(api, { customerId, from, to, amount: ['FLAT', '1'], cron: '* * * * *' }))
  }
  const wallet = await walletOf()
  const waiting = await createRule(api, {
    customerId,
    from: [wallet, 'USDC', 'BASE'],
    to,
    amount: ['FLAT', '1'],
    threshold: '10',
  })
  const credit = () => creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 20_000_000n })
  return { timed, waiting, credit }
}

/** Expects, once healthy workers are done, this many runs, each EXECUTED with its own transaction. */
async function expectRuns({ timed, waiting }: Rules, times: number): Promise<void> {
  const worker = await api.app.startWorker()
  try {
    const due = () =>
      rows(`select rule_id from svc.automation_rules where next_run_at <= svc.now()
             union all select rule_id from svc.rule_runs where status = 'PENDING'
             union all select rule_id from svc.threshold_watches where due_at <= svc.now()`)
    await expect.poll(due, { interval: 20 }).toEqual([])
  } finally {
    await worker.stop()
  }
  for (const rule of [...timed, waiting]) {
    const runs = await runsOf(api, rule)
    expect(
      runs.map(({ runStatus }) => runStatus),
      `seed ${seed}`,
    ).toEqual(Array(times).fill('EXECUTED'))
    expect(new Set(runs.map(({ scheduledFor }) => scheduledFor)).size).toBe(times)
    expect(new Set(runs.map(({ transactionId }) => transactionId)).size).toBe(times)
  }
  const ids = idsOf({ timed, waiting })
  const told = await rows(`select event.event_id from svc.rule_runs as run join svc.events as event
        on event.organization_id = run.organization_id and event.resource_id = run.run_id::text
     where event.type = 'automation_rule.executed' and run.rule_id in (${ids})`)
  expect(told).toHaveLength(4 * times)
}

// biome-ignore format: a table is read by column
const points: [when: string, point: string, mostTimes: number][] = [
  ['while it held due rules',                       'due rules held',                 1],
  ['before it committed the runs of due rules',     'rule runs about to be opened',   1],
  ['after it claimed balances to compare',          'threshold watches claimed',      1],
  ['after it claimed runs',                         'rule runs claimed',              1],
  ['after it quoted the runs',                      'rule runs quoted',               1],
  ['after it created their transactions',           'rule transactions made',         1],
  ['before it committed the runs and transactions', 'rule runs about to be recorded', 1],
]

test.each(points)(
  'after a worker is killed %s, the next one creates each transaction and its event once',
  async (_when, point, mostTimes) => {
    const rules = await makeRules()
    await playRounds({ short: 2, full: 15 }, async (round) => {
      await advance(api, 'PT1M')
      await rules.credit()
      const dieAt = { point, times: 1 + Math.floor(random() * mostTimes) }
      const { died } = startMortal(api, { settings: shortLease, dieAt })
      expect(await died, `seed ${seed}`).toBe('SIGKILL')
      await expectRuns(rules, round + 1)
    })
    for (const rule of [...rules.timed, rules.waiting]) await actOn(api, rule, 'delete')
  },
  roundsTimeoutMs,
)

/**
 * Ends the database transactions that a stopped worker left open, as the server does after 30 s: the next worker would
 * wait for the same rows. No other worker runs.
 */
async function endBegunTransactions(): Promise<void> {
  const owner = openForTest({ connection: api.database.owner })
  const end = () =>
    owner.query({
      text: `select pid, case when state like 'idle in transaction%' then pg_terminate_backend(pid) end
               from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
                and state <> 'idle' and pid <> pg_backend_pid()`,
    })
  await expect.poll(end, { interval: 20 }).toEqual([])
}

/** The points at which the worker stops, holding a lease that ends meanwhile. */
test.each(['rule runs claimed', 'rule runs quoted'])(
  'a worker stopped at "%s" past its lease changes nothing when it continues',
  async (point) => {
    const rules = await makeRules()
    await advance(api, 'PT1M')
    await rules.credit()
    const zombie = startMortal(api, { settings: shortLease, dieAt: { point, times: 1, by: 'SIGSTOP' } })
    await zombie.passes(point)
    await endBegunTransactions()
    await expectRuns(rules, 1)
    const state = () =>
      rows(`select run_id::text as id, status, fence, due_at, lease_until from svc.rule_runs
             union all select transaction_id::text, quote_id::text, 0, null, null from svc.transactions
             union all select rule_id::text, run_id::text, 0, due_at, null from svc.threshold_watches
             union all select event_id::text, type, 0, null, null from svc.events
              where type like 'automation_rule.%' order by id`)
    const before = await state()
    zombie.child.kill('SIGCONT')
    onTestFinished(() => void zombie.child.kill('SIGKILL'))
    await zombie.passes('rule runs fired')
    expect(await state()).toEqual(before)
    zombie.child.kill('SIGKILL')
    for (const rule of [...rules.timed, rules.waiting]) await actOn(api, rule, 'delete')
  },
)

test(
  'two worker processes create one run per minute of each rule',
  async () => {
    const rules = await makeRules()
    const workers = [1, 2].map(() => startMortal(api, { settings: workerSettings }))
    for (const { passes } of workers) await passes('started')
    const ids = idsOf(rules)
    let minutes = 0
    await playRounds({ short: 3, full: 60 }, async () => {
      minutes += 1
      await advance(api, 'PT1M')
      await rules.credit()
      const executed = () => rows(`select run_id from svc.rule_runs where status = 'EXECUTED' and rule_id in (${ids})`)
      await expect.poll(async () => (await executed()).length, { interval: 20 }).toBe(4 * minutes)
    })
    for (const { child } of workers) child.kill('SIGKILL')
    await expectRuns(rules, minutes)
    for (const rule of [...rules.timed, rules.waiting]) await actOn(api, rule, 'delete')
  },
  roundsTimeoutMs,
)

test('after all crashes each transaction is paid once and every invariant holds', () => settleEverything(money))
