import { expect, test } from 'vitest'
import { createCustomer } from '../../support/customers/customers.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { fillAddressPool } from '../../support/money/wallets.ts'
import { actOn, createRule, type RuleWish, readRule, ruleBody } from '../../support/rules/rules.ts'
import { startApi } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'
import { form, playRounds, roundsTimeoutMs } from '../../support/runner/form.ts'

const api = await startApi({ SVC_RATE_LIMIT_SANDBOX: '0' })
const times = { short: 20, full: 300 }
// A wallet for each round and a few more.
await fillAddressPool(api.database, (form === 'short' ? times.short : times.full) + 10)
const { customerId } = await createCustomer(api)
const newWallet = async () => (await createAccount(api, serviceWalletOf(customerId))).paymentAccountId
const from = await newWallet()
const wishFor = (to: string): RuleWish => ({
  customerId,
  from: [from, 'USDC', 'BASE'],
  to: [to, 'USDC', 'BASE'],
  amount: ['FLAT', '1'],
  cron: '0 0 29 2 *',
})

/** The winner of the race: exactly one of the two succeeds. */
async function race(act: () => Promise<{ status: number }>, account: string): Promise<'rule' | 'deletion'> {
  const [rule, deletion] = await Promise.all([act(), api.delete(`/payment-accounts/${account}`)])
  expect([
    [200, 409],
    [409, 200],
  ]).toContainEqual([rule.status, deletion.status])
  return rule.status === 200 ? 'rule' : 'deletion'
}

test('an account is not deleted while a rule that uses it is created or resumed', {
  timeout: roundsTimeoutMs,
}, async () => {
  await playRounds(times, async () => {
    const account = await newWallet()
    const winner = await race(() => api.post('/automation-rules', ruleBody(wishFor(account))), account)
    if (winner === 'deletion') return
    const { body } = await api.get(`/automation-rules?sourcePaymentAccountId=${from}`)
    const rule = first(body.automationRules)
    await actOn(api, rule, 'pause')
    await race(() => api.post(`/automation-rules/${rule.id}/resume`), account)
    await actOn(api, rule, 'delete')
  })
})

test('each concurrent change to a rule gets its own version, and a deletion is the last one', {
  timeout: roundsTimeoutMs,
}, async () => {
  const wish = wishFor(await newWallet())
  await playRounds({ short: 4, full: 100 }, async () => {
    const rule = await createRule(api, wish)
    const put = (value: string) => {
      const body = { id: rule.id, ...ruleBody({ ...wish, amount: ['FLAT', value] }) }
      return api.call('PUT', `/automation-rules/${rule.id}`, { body })
    }
    const acts = [put('2'), put('3'), actOn(api, rule, 'pause'), actOn(api, rule, 'resume'), put('4')]
    await Promise.all(acts)
    const settled = await readRule(api, rule)
    expect(settled.nextRunAt === undefined).toBe(settled.status === 'PAUSED')
    const answers = await Promise.all([
      put('5'),
      api.delete(`/automation-rules/${rule.id}`),
      ...['6', '7', '8'].map(put),
      api.post(`/automation-rules/${rule.id}/pause`),
    ])
    expect(answers[1].status).toBe(200)
    expect((await readRule(api, rule)).deletedAt).toBeDefined()
    const [stored] = await api.app.database.query<{ version: number; acts: string[] }>({
      text: `select version, (select array_agg(action order by audit_id) from svc.audit where subject_id = $1) as acts
               from svc.automation_rules where rule_id = $1::uuid and next_run_at is null and deleted_at is not null`,
      values: [rule.id],
    })
    expect(stored?.acts.at(-1)).toBe('automation_rule.deleted')
    expect(stored?.version).toBe(stored?.acts.length)
  })
})
