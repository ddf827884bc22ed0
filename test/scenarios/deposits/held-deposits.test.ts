import { expect, test } from 'vitest'
import { startRound } from '../../../src/db/fair-claims.ts'
import { newId, platformOrganizationId } from '../../../src/lib/ids.ts'
import { claimDeposits, postponeDeposit } from '../../../src/transactions/deposits/store.ts'
import { decideReview } from '../../support/customers/reviews.ts'
import { reportEntry } from '../../support/deposits/sightings.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { makeAccounts, makeActive, type QuoteWish } from '../../support/money/quotes.ts'
import {
  advance,
  availableIn,
  createTransaction,
  type Deposit,
  readTransaction,
  sendDeposit,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { actingWith, type TestApi, testMasterKey } from '../../support/runner/api.ts'
import { makeDataFolder, svc, urlOf } from '../../support/runner/process.ts'

/** Deposits for customers who may not receive them now, and unattributed deposits. */
const { api, hears } = await startHeard()
const { apiKey } = (await api.post('/api-keys', { name: 'Desk', scopes: ['transactions:write'] })).body
const desk = actingWith(api, String(apiKey))
const conflict = { status: 409, body: { error: 'CONFLICT' } }

const resolve = ({ depositId }: Deposit, body: object, caller: TestApi = api) =>
  caller.post(`/deposits/${depositId}/resolve`, { reason: 'Ada Example has called', ...body })

async function receiver() {
  const customer = await makeActive(api, 'US')
  const accounts = await makeAccounts(api, customer)
  const { customerId } = customer
  const deactivate = () => api.post(`/customers/${customerId}/deactivate`, { reason: 'a test' })
  const tokens = () => sendDeposit(api, accounts.wallet, { amount: '3', currency: 'USDC', chain: 'BASE' })
  return { customer, customerId, ...accounts, deactivate, tokens }
}
const held = (sent: string) => waitForDeposit(api, sent, { depositStatus: 'HELD' })

test('a held deposit of a DEACTIVATED customer is returned on a reviewer’s decision', async () => {
  const { customerId, bank, wallet, deactivate } = await receiver()
  const wish: QuoteWish = { customerId, from: [bank, 'USD', 'ACH', '10.00'], to: [wallet, 'USDC', 'BASE'] }
  const waiting = await createTransaction(api, wish)
  await deactivate()
  const reference = transferReference(waiting)
  const sent = await sendDeposit(api, bank, { amount: '10.00', currency: 'USD', rail: 'ACH', reference })
  const deposit = await held(sent)
  expect(await resolve(deposit, { action: 'RETURN' }, desk)).toMatchObject({
    status: 403,
    body: { error: 'FORBIDDEN' },
  })
  expect(await resolve(deposit, { action: 'APPLY', transactionId: waiting.transactionId })).toMatchObject(conflict)
  expect((await resolve(deposit, { action: 'CREDIT', paymentAccountId: bank })).status).toBe(400)
  expect((await resolve(deposit, { action: 'RETURN' })).status).toBe(200)
  await hears.deposit(sent, ['HELD', 'RETURNING', 'RETURNED'])
})

test('a held deposit of a customer REJECTED for a match is returned to a registered account or kept', async () => {
  const { customer, customerId, wallet, external, tokens } = await receiver()
  const { external: foreign } = await receiver()
  await api.post(`/sandbox/customers/${customerId}/verification`, { outcome: 'REVIEW' })
  const [back, kept] = [await tokens(), await tokens()]
  const deposits = [await held(back), await held(kept)] as const
  expect(await resolve(deposits[0], { action: 'RETURN' })).toMatchObject({
    status: 409,
    body: { message: 'A review of this customer is open: decide it first' },
  })
  await decideReview(api, customer, { decision: 'REJECT' })
  // The sending address on a chain is not a registered account.
  expect(await resolve(deposits[0], { action: 'RETURN' })).toMatchObject(conflict)
  expect((await resolve(deposits[0], { action: 'RETURN', paymentAccountId: foreign })).status).toBe(404)
  expect((await resolve(deposits[0], { action: 'RETURN', paymentAccountId: external })).status).toBe(200)
  await hears.deposit(back, ['HELD', 'RETURNING', 'RETURNED'])
  expect((await resolve(deposits[1], { action: 'CREDIT' })).status).toBe(200)
  await hears.deposit(kept, ['HELD', 'CREDITED'])
  expect(await availableIn(api, wallet)).toBe('3.000000')
})

test('a transaction whose deposit is held does not expire before the deposit is decided', async () => {
  const [ada, bob, unpaidReceiver] = [await receiver(), await receiver(), await receiver()]
  const wish = ({ customerId, bank, wallet }: typeof ada): QuoteWish => ({
    customerId,
    from: [bank, 'USD', 'ACH', '10.00'],
    to: [wallet, 'USDC', 'BASE'],
  })
  const sendHeld = async (of: typeof ada) => {
    const created = await createTransaction(api, wish(of))
    await of.deactivate()
    const reference = transferReference(created)
    const sent = await sendDeposit(api, of.bank, { amount: '10.00', currency: 'USD', rail: 'ACH', reference })
    return { created, sent, deposit: await held(sent) }
  }
  const [goesOn, ends] = [await sendHeld(ada), await sendHeld(bob)]
  const unpaid = await createTransaction(api, wish(unpaidReceiver))
  await advance(api, 'P8D')
  // It was the last one to expire.
  await waitForTransaction(api, unpaid, { transactionStatus: 'EXPIRED' })
  for (const { created } of [goesOn, ends]) {
    expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  }
  await api.post(`/customers/${ada.customerId}/reactivate`, { reason: 'a test' })
  await waitForTransaction(api, goesOn.created, { transactionStatus: 'COMPLETED', labels: [] })
  await hears.deposit(goesOn.sent, ['HELD', 'APPLIED'])
  expect((await resolve(ends.deposit, { action: 'RETURN' })).status).toBe(200)
  await advance(api, 'PT1M')
  await waitForTransaction(api, ends.created, { transactionStatus: 'EXPIRED' })
  await hears.deposit(ends.sent, ['HELD', 'RETURNING', 'RETURNED'])
})

test('of 64 concurrent decisions about a held deposit, one takes effect', async () => {
  const { external, deactivate, tokens } = await receiver()
  await deactivate()
  const sent = await tokens()
  const deposit = await held(sent)
  const ways = [{ action: 'CREDIT' }, { action: 'RETURN', paymentAccountId: external }]
  const answers = await Promise.all(Array.from({ length: 64 }, (_, at) => resolve(deposit, ways[at % 2] ?? {})))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 63 }, () => 409)])
})

test('a worker with an outdated claim does not postpone a decided deposit', async () => {
  const { deactivate, tokens } = await receiver()
  await deactivate()
  const deposit = await held(await tokens())
  await api.stop()
  await api.post('/sandbox/clock', { advance: 'PT1M' })
  const claimed = await claimDeposits(api.app.database, { limit: 100, leaseMs: 60_000 }, startRound())
  const mine = claimed.find(({ depositId }) => depositId === deposit.depositId)
  expect((await resolve(deposit, { action: 'CREDIT' })).status).toBe(200)
  for (const each of claimed) await postponeDeposit(api.app.database, each, 60)
  const [row] = await api.app.database.query<{ dueAt: Date | null }>({
    text: `select due_at as "dueAt" from svc.deposits where deposit_id = $1`,
    values: [deposit.depositId],
  })
  expect([mine?.status, row?.dueAt]).toEqual(['HELD', null])
  const { stop } = await api.app.startWorker()
  api.stop = stop
})

test('the operator attributes an unattributed deposit, and the customer’s organization decides', async () => {
  const { customer, customerId } = await receiver()
  const { organizationId } = customer
  const externalId = `statement-${newId()}`
  await reportEntry(api, { externalId, amount: '4200' })
  const settings = {
    DATABASE_URL: urlOf(api.database.owner),
    SVC_MASTER_KEY: testMasterKey.toString('base64'),
    SVC_DATA_DIR: await makeDataFolder(),
  }
  const run = async (...args: string[]) => {
    const command = svc(['deposits', ...args], settings)
    return { code: await command.exited, output: command.output() }
  }
  await expect.poll(() => api.app.unattributedDeposits.list()).toMatchObject([{ externalId, status: 'UNMATCHED' }])
  const listed = await run('unattributed')
  expect(listed).toMatchObject({ code: 0, output: expect.stringMatching(`SEPA  42.00 EUR  ${externalId}\n$`) })
  const [unattributed = ''] = listed.output.split('  ')
  expect((await api.get(`/deposits/${unattributed}`)).status).toBe(404)
  const wanted = { depositId: unattributed, organizationId, customerId, reason: 'Ada has called' }
  expect(await api.app.unattributedDeposits.assign({ ...wanted, customerId: newId() })).toBeUndefined()
  const whose = ['--organization', organizationId, '--customer', customerId]
  const assigned = await run('assign', unattributed, ...whose, '--reason', wanted.reason)
  expect(assigned.code).toBe(0)
  expect(await api.app.unattributedDeposits.assign(wanted)).toBeUndefined()
  expect(await api.app.unattributedDeposits.list()).toEqual([])
  const depositId = assigned.output.trim()
  expect((await api.get(`/deposits/${depositId}`)).body).toMatchObject({ depositStatus: 'UNMATCHED', customerId })
  expect((await api.post(`/deposits/${depositId}/resolve`, { action: 'CREDIT', reason: 'a test' })).status).toBe(200)
  await hears.deposit(externalId, ['UNMATCHED', 'CREDITED'])
  const acts = await api.app.database.query<{ organizationId: string }>({
    text: `select organization_id as "organizationId" from svc.audit where action = 'deposit.assigned' order by at`,
  })
  expect(acts.map((act) => act.organizationId)).toEqual([platformOrganizationId, organizationId])
})
