import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createQuote } from '../../support/money/quotes.ts'
import { makePolicyWorld, setRules } from '../../support/policies/policy-world.ts'
import { actingWith, startApi } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Three processes that share a database create payouts at the same time; together they stay within the limit. */
const world = await makePolicyWorld({ amount: 10_000_000_000_000n })
const { api, toBank } = world
const settings = { SVC_RATE_LIMIT_SANDBOX: '0' }
const others = [
  actingWith(await startApi(settings, { database: api.database }), api.apiKey),
  actingWith(await startApi(settings, { database: api.database }), api.apiKey),
]
const doors = [api, ...others]
const owner = openDatabase({ connection: api.database.owner, connections: 1 })
afterAll(() => owner.close())

async function payAtOnce(count: number, amount: string) {
  const quotes = []
  for (let left = count; left > 0; left -= 20)
    quotes.push(
      ...(await Promise.all(Array.from({ length: Math.min(20, left) }, () => createQuote(api, toBank(amount))))),
    )
  return Promise.all(
    quotes.map(({ quoteId }, at) =>
      (doors[at % doors.length] ?? api).post(
        '/transactions',
        { quoteId },
        { headers: { 'x-idempotency-key': newId() } },
      ),
    ),
  )
}
const readUsed = async () =>
  (
    await api.app.database.query<{ used: string }>({
      text: `select counter.day_used::text as used from svc.policy_counters as counter
               join svc.policy_rules as rule using (organization_id, counter_id)
              where organization_id = $1 and rule.ended_at is null`,
      values: [world.organizationId],
    })
  ).map(({ used }) => used)

test('of 200 payouts at once against a limit of 100, exactly 100 are created', async () => {
  await setRules(api, [{ ruleId: 'hundred', kind: 'LIMIT', per: 'ORGANIZATION', dayMax: '1099.99' }])
  const answers = await payAtOnce(200, '10.99')
  const created = answers.filter(({ status }) => status === 201)
  // 100 × 10.99 = 1099.00: the limit has 99 cents left, and one more payout does not fit.
  expect(created).toHaveLength(100)
  for (const { status, body } of answers.filter((answer) => !created.includes(answer)))
    expect([status, body.error]).toEqual([422, 'POLICY_REFUSED'])
  expect(await readUsed()).toEqual(['109900'])
})

test('batches that have all seen the last room of a limit share it exactly', async () => {
  await setRules(api, [])
  await setRules(api, [{ ruleId: 'ninety', kind: 'LIMIT', per: 'ORGANIZATION', dayMax: '1099.99' }])
  expect((await payAtOnce(90, '10.99')).filter(({ status }) => status === 201)).toHaveLength(90)
  let paying: ReturnType<typeof payAtOnce> | undefined
  await api.app.database.inTx(async (tx) => {
    await tx.query({ text: 'select from svc.policy_counters where day_used = 98910 for update' })
    paying = payAtOnce(110, '10.99')
    // Batches have been weighed against the ten payouts that are left, and wait to be counted.
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                       and query like '%create_transactions%'`
    await eventually(async () =>
      expect((await owner.query({ text: waiting })).length).toBeGreaterThanOrEqual(doors.length),
    )
  })
  expect((await paying)?.filter(({ status }) => status === 201)).toHaveLength(10)
  expect(await readUsed()).toEqual(['109900'])
})

test('payouts and cancellations at once leave the counter at what is open', async () => {
  await setRules(api, [])
  await setRules(api, [{ ruleId: 'thirty', kind: 'LIMIT', per: 'ORGANIZATION', dayMax: '300.00' }])
  const first = (await payAtOnce(30, '10')).map(({ body }) => body.transactionId)
  const [cancelled, paid] = await Promise.all([
    Promise.all(first.slice(0, 20).map((id, at) => (doors[at % 3] ?? api).post(`/transactions/${id}/cancel`))),
    payAtOnce(20, '10'),
  ])
  expect(cancelled.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
  const open = 10 + paid.filter(({ status }) => status === 201).length
  expect(await readUsed()).toEqual([String(open * 1_000)])
})
