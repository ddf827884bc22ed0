import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCustomer } from '../../support/customers/customers.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { ruleBody } from '../../support/rules/rules.ts'
import { startApi } from '../../support/runner/api.ts'
import { playRounds, roundsTimeoutMs, seed } from '../../support/runner/form.ts'

const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
await fillAddressPool(api.database)
const { customerId } = await createCustomer(api)
const from = (await createAccount(api, serviceWalletOf(customerId))).paymentAccountId
const to = (await createAccount(api, serviceWalletOf(customerId))).paymentAccountId
// Without Prism: it would take longer than the service itself.
const calls = api.through(api.baseUrl, () => {})

const word = (text: string) => fc.constantFrom(...text.split(' '))
const fields = [
  word('* */5 0 59 1-5 1,2,3 0-59/7'),
  word('* 9 */6 0-23/2 23'),
  word('* 1 30 31 29-31 */2'),
  word('* 2 feb 1-12/3 DEC 2-2'),
  word('* 0 7 mon-fri Sun */7 sat-sun'),
]
const schedule = fc.tuple(...fields).map((parts) => parts.join(' '))
const noise = fc.constantFrom(
  ...'0123456789*/,-?LW#@ \t\n%HR\u0000\u202e\ud800é٣'.split(''),
  '@yearly',
  '1e9',
  '0x1',
  '99',
)
const spoilt = fc
  .tuple(schedule, fc.array(fc.tuple(fc.nat(30), fc.nat(2), noise), { minLength: 1, maxLength: 3 }))
  .map(([text, edits]) => edits.reduce((old, [at, gone, put]) => old.slice(0, at) + put + old.slice(at + gone), text))
const long = fc
  .tuple(fc.oneof(...fields), fc.integer({ min: 50, max: 200 }))
  .map(([text, count]) => Array(count).fill(text).join())
const huge = fc.constantFrom('*'.repeat(100_000), '1,'.repeat(50_000), ' '.repeat(100_000), '*/1'.repeat(10_000))
const wild = fc.oneof(
  {
    arbitrary: fc.oneof(schedule, spoilt, long, fc.string({ unit: 'binary' }), fc.string({ unit: noise })),
    weight: 99,
  },
  { arbitrary: huge, weight: 1 },
)

// src/automation-rules/triggers/cron.test.ts tries more schedules, faster.
test('a random schedule either becomes a rule that fires or gets a 400 that names the schedule', {
  timeout: roundsTimeoutMs,
}, async () => {
  let [judged, made] = [0, 0]
  const judge = async (cron: string): Promise<void> => {
    const wish = { customerId, from: [from, 'USDC', 'BASE'], to: [to, 'USDC', 'BASE'], amount: ['FLAT', '1'] } as const
    const { status, body } = await calls.post('/automation-rules', ruleBody({ ...wish, cron }))
    const what = `${JSON.stringify(cron.slice(0, 100))}, seed ${seed}`
    const problem = expect.objectContaining({ field: 'trigger.cronSchedule' })
    if (status !== 200)
      return expect([status, body], what).toEqual([400, expect.objectContaining({ details: [problem] })])
    const rule = body
    expect(Date.parse(rule.nextRunAt ?? ''), what).toBeGreaterThan(Date.now() - 60_000)
    made += 1
    expect((await calls.delete(`/automation-rules/${rule.id}`)).status, what).toBe(200)
  }
  await playRounds({ short: 3, full: 100 }, async (round) => {
    const texts = fc.sample(wild, { numRuns: 100, seed: seed + round })
    const clients = Array.from({ length: 8 }, async (_, client) => {
      for (let at = client; at < texts.length; at += 8) await judge(texts[at] as string)
    })
    await Promise.all(clients)
    judged += texts.length
  })
  expect(made).toBeGreaterThan(judged / 20)
  expect(made).toBeLessThan(judged - judged / 20)
})
