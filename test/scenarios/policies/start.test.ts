import { afterAll, expect, test } from 'vitest'
import { createAccount, externalWalletOf } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive, type QuoteWish } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  creditWallet,
  readTransaction,
  sendDeposit,
  startWithWorkers,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { refusedBy, setRules } from '../../support/policies/policy-world.ts'
import { createRule, waitForRuns } from '../../support/rules/rules.ts'
import { createKey } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Policies and transactions that exist already, or that workers create. */
const api = await startWithWorkers()
afterAll(() => api.stop())
const ada = await makeActive(api, 'US')
const { customerId, organizationId } = ada
const { bank, wallet, external } = await makeAccounts(api, ada)
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 10_000_000_000n })
const toBank = (amount: string): QuoteWish => ({
  customerId,
  from: [wallet, 'USDC', 'BASE', amount],
  to: [bank, 'USD', 'ACH'],
})
const paidIn = (amount: string): QuoteWish => ({
  customerId,
  from: [bank, 'USD', 'ACH', amount],
  to: [external, 'USDC', 'BASE'],
})
const byAch = { currency: 'USD', rail: 'ACH' }
const stop = { ruleId: 'stop', kind: 'KILL_SWITCH' }

test('a kill switch holds a payment whose money arrives, and its end lets it go', async () => {
  await setRules(api, [])
  const transaction = await createTransaction(api, paidIn('20.00'))
  await setRules(api, [stop])
  await sendDeposit(api, bank, { amount: '20.00', ...byAch, reference: transferReference(transaction) })
  await waitForTransaction(api, transaction, { transactionStatus: 'PROCESSING' })
  await advance(api, 'PT5M')
  expect(await readTransaction(api, transaction)).toMatchObject({ transactionStatus: 'PROCESSING' })
  await setRules(api, [])
  await advance(api, 'PT2M')
  await waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })
})

test('a payment that a later policy does not allow fails when it starts, and its sender is refunded', async () => {
  await setRules(api, [])
  const transaction = await createTransaction(api, paidIn('30.00'))
  await setRules(api, [{ ruleId: 'to', kind: 'DESTINATIONS', allowed: [bank], coolingHours: 0 }])
  await sendDeposit(api, bank, { amount: '30.00', ...byAch, reference: transferReference(transaction) })
  await waitForTransaction(api, transaction, {
    transactionStatus: 'FAILED',
    failureReason: 'policy_refused',
    refund: { refundStatus: 'COMPLETED', refundAmount: '30.00' },
  })
})

test('a kill switch of the platform refuses, and no key of the organization can lift it', async () => {
  await setRules(api, [])
  await api.app.policies.replaceAsPlatform(organizationId, { rules: [{ ruleId: 'stopped', kind: 'KILL_SWITCH' }] })
  await setRules(api, [])
  expect((await api.get('/policies')).body).toMatchObject({ rules: [], platformRules: [{ ruleId: 'stopped' }] })
  expect(await refusedBy(api, toBank('10'))).toBe('stopped')
  await api.app.policies.replaceAsPlatform(organizationId, { rules: [] })
  expect(await refusedBy(api, toBank('10'))).toBeUndefined()
})

test('a rule that fires under a policy has a FAILED run, and counts as the key that wrote it', async () => {
  const scopes = ['automation_rules:write', 'automation_rules:read']
  const made = await createKey(api, { name: 'rules', scopes })
  await setRules(api, [
    {
      ruleId: 'of-key',
      kind: 'LIMIT',
      per: 'API_KEY',
      transactionMax: '10.00',
      appliesTo: { apiKeyIds: [made.apiKeyId] },
    },
  ])
  const from = [wallet, 'USDC', 'BASE'] as const
  const wish = { customerId, from, to: [bank, 'USD', 'ACH'], threshold: '1' } as const
  const body = async (amount: string, apiKey: string) => {
    const { call } = api
    const sent = {
      ...api,
      post: ((path, json, options) => call('POST', path, { apiKey, ...options, body: json })) as typeof api.post,
    }
    return createRule(sent, { ...wish, amount: ['FLAT', amount] })
  }
  const refused = await body('20', made.apiKey)
  await waitForRuns(api, refused, [{ runStatus: 'FAILED', reason: 'POLICY_REFUSED' }])
  await api.delete(`/automation-rules/${refused.id}`)
  const allowed = await body('20', api.apiKey)
  await eventually(async () => {
    const { runs } = (await api.get(`/automation-rules/${allowed.id}/runs`)).body
    expect(runs.at(-1)).toMatchObject({ runStatus: 'EXECUTED' })
  })
  await api.delete(`/automation-rules/${allowed.id}`)
})

test('a destination that is deleted and added again keeps its counters, and cools anew', async () => {
  await setRules(api, [{ ruleId: 'each', kind: 'LIMIT', per: 'DESTINATION', dayMax: '30.00' }])
  const address = makeEvmAddress()
  const add = async (chain: 'BASE' | 'POLYGON') => {
    const made = await createAccount(api, externalWalletOf(customerId, { chain, currency: 'USDC', address }))
    return made.paymentAccountId
  }
  const pay = (account: string, amount: string, network = 'BASE'): QuoteWish => ({
    customerId,
    from: [wallet, 'USDC', 'BASE', amount],
    to: [account, 'USDC', network],
  })
  const first = await add('BASE')
  const paid = await createTransaction(api, pay(first, '20'))
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  expect((await api.delete(`/payment-accounts/${first}`)).status).toBe(200)
  const again = await add('BASE')
  expect(again).not.toBe(first)
  expect(await refusedBy(api, pay(again, '10.01'))).toBe('each')
  expect(await refusedBy(api, pay(await add('POLYGON'), '10.01', 'POLYGON'))).toBe('each')
  const allow = (account: string) =>
    setRules(api, [{ ruleId: 'to', kind: 'DESTINATIONS', allowed: [account], coolingHours: 24 }])
  await allow(first)
  await advance(api, 'P1D')
  await allow(again)
  expect(await refusedBy(api, pay(again, '10'))).toBe('to')
  await setRules(api, [])
})

test('a transaction that expires gives its value back', async () => {
  await setRules(api, [
    { ruleId: 'month', kind: 'LIMIT', per: 'ORGANIZATION', monthMax: '1000000.00', dayMax: '20.00' },
  ])
  const transaction = await createTransaction(api, paidIn('20.00'))
  expect(await refusedBy(api, paidIn('10.00'))).toBe('month')
  await advance(api, 'P8D')
  await waitForTransaction(api, transaction, { transactionStatus: 'EXPIRED' })
  const [counter] = await api.app.database.query<{ used: string }>({
    text: `select counter.day_used::text as used from svc.policy_counters as counter
             join svc.policy_rules as rule using (organization_id, counter_id)
            where organization_id = $1 and rule.ended_at is null`,
    values: [organizationId],
  })
  expect(counter).toEqual({ used: '0' })
})
