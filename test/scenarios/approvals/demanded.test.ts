import { afterAll, expect, test } from 'vitest'
import { createAs, decideAs, demandApprovals, makePeople, readApproval } from '../../support/money/approvals.ts'
import { bankAccountOf, bankAccounts, createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import { createQuote, keepRates, makeActive, type QuoteWish, setUsdRate } from '../../support/money/quotes.ts'
import {
  advance,
  availableIn,
  creditWallet,
  expectVerified,
  readTransaction,
  startWithWorkers,
  type Transaction,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { setRules } from '../../support/policies/policy-world.ts'
import { madeBy, ruleBody, runsOf } from '../../support/rules/rules.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Workers run all the time: they leave alone what waits for an approval. */
const api = await startWithWorkers()
afterAll(api.stop)
await keepRates(api)
const ada = await makeActive(api, 'DE')
const { customerId, organizationId } = ada
const bank = (await createAccount(api, bankAccountOf(customerId, bankAccounts.SEPA()))).paymentAccountId
const wallet = (await createAccount(api, serviceWalletOf(customerId))).paymentAccountId
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 10n ** 12n })
const { maker, ann, ben } = await makePeople(api)

const spend = (amount: string): QuoteWish => ({
  customerId,
  from: [wallet, 'USDC', 'BASE', amount],
  to: [bank, 'EUR', 'SEPA'],
})
const setEuro = (usd: string) => setUsdRate(api, 'EUR', usd)
const approvalOf = ({ approval }: Transaction) => ({ approvalId: approval?.approvalId ?? '' })
const completed = { transactionStatus: 'COMPLETED' }

test('small payments go, large ones wait, while workers run', async () => {
  await demandApprovals(api)
  const [large, small] = [await createAs(api, maker, spend('100')), await createAs(api, maker, spend('5'))]
  await waitForTransaction(api, small, completed)
  expect(await readTransaction(api, large)).toMatchObject({ transactionStatus: 'CREATED', approval: large.approval })
  expect((await decideAs(api, ann, approvalOf(large))).status).toBe(200)
  await waitForTransaction(api, large, completed)
})

async function approveLater(after: string, euro: string): Promise<Transaction> {
  await setEuro('1.08')
  await demandApprovals(api)
  const held = await createAs(api, maker, spend('100'))
  await setEuro(euro)
  await advance(api, after)
  expect((await decideAs(api, ann, approvalOf(held))).status).toBe(200)
  return held
}

test('an approved transaction keeps its price for five minutes', async () => {
  const held = await approveLater('PT4M59S', '1.10')
  const done = await waitForTransaction(api, held, completed)
  expect(done.destination).toMatchObject({
    exchangeRate: held.destination.exchangeRate,
    destinationAmount: held.destination.destinationAmount,
  })
})

test('after five minutes an approved transaction gets the price of the moment', async () => {
  const held = await approveLater('PT5M', '1.085')
  const done = await waitForTransaction(api, held, completed)
  expect(done.destination.exchangeRate).not.toBe(held.destination.exchangeRate)
  const now = await createQuote(api, spend('100'))
  expect(done.destination.destinationAmount).toBe(now.destinationAmount)
})

test('when the price moves by more than one percent until the approval, the reserve is released', async () => {
  const before = await availableIn(api, wallet)
  const held = await approveLater('PT5M', '1.10')
  await waitForTransaction(api, held, { transactionStatus: 'FAILED', failureReason: 'price_moved' })
  expect(await availableIn(api, wallet)).toBe(before)
})

test('a payment that a rule makes waits, too, and the key that made the rule cannot approve it', async () => {
  await setEuro('1.08')
  await demandApprovals(api)
  const wish = {
    customerId,
    from: [wallet, 'USDC', 'BASE'],
    to: [bank, 'EUR', 'SEPA'],
    amount: ['FLAT', '50'],
  } as const
  const rule = (await api.post('/automation-rules', ruleBody({ ...wish, cron: '* * * * *' }), maker)).body
  await advance(api, 'PT1M')
  const made = await eventually(async () => madeBy((await runsOf(api, rule))[0]))
  const held = await readTransaction(api, made)
  expect(held).toMatchObject({ transactionStatus: 'CREATED', approval: { approvalId: expect.any(String) } })
  expect((await api.post(`/automation-rules/${rule.id}/pause`)).status).toBe(200)
  expect((await decideAs(api, maker, approvalOf(held))).status).toBe(403)
  expect((await decideAs(api, ann, approvalOf(held))).status).toBe(200)
  await waitForTransaction(api, made, completed)
})

test('an approval that is demanded only when the payout starts holds it then', async () => {
  await api.stop()
  await setRules(api, [])
  const created = await createAs(api, maker, spend('100'))
  expect(created).not.toHaveProperty('approval')
  await demandApprovals(api)
  const worker = await api.app.startWorker()
  const held = await waitForTransaction(api, created, {
    transactionStatus: 'CREATED',
    approval: { approvalId: expect.any(String) },
  })
  expect(await readApproval(api, approvalOf(held))).toMatchObject({
    rules: [{ ruleId: 'large', owner: 'ORGANIZATION', approvals: 1 }],
    makerApiKeyId: maker.apiKeyId,
  })
  expect((await decideAs(api, maker, approvalOf(held))).status).toBe(403)
  await worker.stop()
  // The policy is tightened after the approval, and before a worker looks: one approval is no longer enough.
  expect((await decideAs(api, ann, approvalOf(held))).body).toMatchObject({ approvalStatus: 'APPROVED' })
  await demandApprovals(api, { approvals: 2 })
  const next = await api.app.startWorker()
  const again = await eventually(async () => {
    const found = await readTransaction(api, created)
    expect(found.approval?.approvalId).not.toBe(held.approval?.approvalId)
    expect(found.approval).toBeDefined()
    return found
  })
  await decideAs(api, ann, approvalOf(again))
  await decideAs(api, ben, approvalOf(again))
  await waitForTransaction(api, created, completed)
  await next.stop()
})

test('an approval for a rule of the organization does not count for the rule of the platform with the same id', async () => {
  await demandApprovals(api)
  const created = await createAs(api, maker, spend('100'))
  expect((await decideAs(api, ann, approvalOf(created))).body).toMatchObject({ approvalStatus: 'APPROVED' })
  const rule = { ruleId: 'large', kind: 'APPROVAL', above: '5.00', approvals: 1, expiresInHours: 24 } as const
  await api.app.policies.replaceAsPlatform(organizationId, { rules: [rule], reason: 'A test' })
  const worker = await api.app.startWorker()
  const held = await eventually(async () => {
    const found = await readTransaction(api, created)
    expect(found.approval).toBeDefined()
    return found
  })
  expect(held.approval?.approvalId).not.toBe(created.approval?.approvalId)
  expect(await readApproval(api, approvalOf(held))).toMatchObject({ rules: [{ ruleId: 'large', owner: 'PLATFORM' }] })
  expect((await decideAs(api, ann, approvalOf(held))).body).toMatchObject({ approvalStatus: 'APPROVED' })
  await waitForTransaction(api, created, completed)
  await worker.stop()
})

test('every invariant holds', () => expectVerified(api))
