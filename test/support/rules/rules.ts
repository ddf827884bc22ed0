import { expect } from 'vitest'
import { bankAccountOf, bankAccounts, createAccount, serviceWalletOf } from '../money/payment-accounts.ts'
import { makeActive } from '../money/quotes.ts'
import { advance, availableIn, creditWallet, type TransactionId } from '../money/transactions.ts'
import type { BodyOf } from '../runner/answers.ts'
import type { TestApi } from '../runner/api.ts'
import { eventually } from '../runner/eventually.ts'

export type Rule = BodyOf<'POST /automation-rules'>

export type Run = BodyOf<'GET /automation-rules/{ruleId}/runs'>['runs'][number]

type CommonWish = {
  customerId: string
  from: readonly [account: string, currency: string, method: string]
  to: readonly [account: string, currency: string, method: string]
  amount: readonly ['FLAT' | 'PCT', value: string]
  fee?: readonly [type: string, amount: string]
}
export type TimedWish = CommonWish & { cron: string }
export type RuleWish = TimedWish | (CommonWish & { threshold: string })

/** The body that an integrator would send. */
export function ruleBody(wish: RuleWish) {
  const { customerId, from, to, amount, fee } = wish
  return {
    name: 'A rule',
    customerId,
    transactionTemplate: {
      source: { sourcePaymentAccountId: from[0], sourceCurrency: from[1], sourcePaymentMethod: from[2] },
      destination: {
        destinationPaymentAccountId: to[0],
        destinationCurrency: to[1],
        destinationPaymentMethod: to[2],
      },
      amount: { type: amount[0], value: amount[1] },
      ...(fee ? { developerFee: { developerFeeType: fee[0], developerFeeAmount: fee[1] } } : {}),
    },
    trigger:
      'cron' in wish
        ? { type: 'TIME_BASED', cronSchedule: wish.cron }
        : { type: 'THRESHOLD_BASED', thresholdAmount: wish.threshold },
  }
}

export async function createRule(api: TestApi, wish: RuleWish): Promise<Rule> {
  const answer = await api.post('/automation-rules', ruleBody(wish))
  expect([answer.status, answer.body]).toEqual([200, expect.objectContaining({ status: 'ACTIVE' })])
  return answer.body
}

/** Replaces a rule with these changes; all other fields stay. */
export async function changeRule(api: TestApi, { id }: Rule, wish: RuleWish): Promise<Rule> {
  const answer = await api.call('PUT', `/automation-rules/${id}`, { body: { id, ...ruleBody(wish) } })
  expect([answer.status, answer.body]).toEqual([200, expect.anything()])
  return answer.body
}

export async function actOn(api: TestApi, { id }: Rule, act: 'pause' | 'resume' | 'delete'): Promise<Rule> {
  const path = `/automation-rules/${id}` as const
  const answer = act === 'delete' ? await api.delete(path) : await api.post(`${path}/${act}`)
  expect([answer.status, answer.body]).toEqual([200, expect.anything()])
  return answer.body
}

export async function readRule(api: TestApi, { id }: Rule): Promise<Rule> {
  return (await api.get(`/automation-rules/${id}`)).body
}

/** Oldest first. */
export async function runsOf(api: TestApi, { id }: Rule): Promise<Run[]> {
  const { status, body } = await api.get(`/automation-rules/${id}/runs?pageSize=100`)
  expect(status).toBe(200)
  return body.runs.reverse()
}

/** The transaction of a run that must have created one. */
export function madeBy(run: Run | undefined): TransactionId {
  if (run?.transactionId === undefined) throw new Error('the run made no transaction')
  return { transactionId: run.transactionId }
}

/** Waits until the rule has exactly these runs. */
export function waitForRuns(api: TestApi, rule: Rule, expected: readonly object[]): Promise<Run[]> {
  return eventually(async () => {
    const runs = await runsOf(api, rule)
    expect(runs).toMatchObject(expected)
    return runs
  })
}

/** Creates a customer with this balance in its wallet. The workers must be running. */
export async function makeRuleStory(api: TestApi, amount = '0') {
  const { customerId, organizationId } = await makeActive(api, 'US')
  const bank = (await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH()))).paymentAccountId
  const wallet = (await createAccount(api, serviceWalletOf(customerId, 'EVM'))).paymentAccountId
  const credit = (units: string) =>
    creditWallet(api, { organizationId, paymentAccountId: wallet, amount: BigInt(units.replace('.', '')) })
  if (amount !== '0') await credit(amount)
  const route = { customerId, from: [wallet, 'USDC', 'BASE'], to: [bank, 'USD', 'ACH'] } as const
  type Amount = RuleWish['amount']
  return {
    customerId,
    organizationId,
    wallet,
    route,
    credit,
    available: () => availableIn(api, wallet),
    everyMinute: (...value: Amount): RuleWish => ({ ...route, amount: value, cron: '* * * * *' }),
    reaching: (threshold: string, ...value: Amount): RuleWish => ({ ...route, amount: value, threshold }),
  }
}

export async function businessNow(api: TestApi): Promise<Date> {
  const { body } = await api.post('/sandbox/clock', { freeze: true })
  return new Date(body.now)
}

/** Advances the frozen clock to one second after the next full minute, and returns that minute. */
export async function toNextMinute(api: TestApi): Promise<string> {
  const at = await businessNow(api)
  const next = new Date(Math.floor(at.getTime() / 60_000) * 60_000 + 60_000)
  await advance(api, `PT${(next.getTime() - at.getTime() + 1_000) / 1_000}S`)
  return next.toISOString()
}
