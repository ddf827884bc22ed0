import { expect, test } from 'vitest'
import { rotateSealingKey } from '../../../src/signer/rotation.ts'
import { createSealingKeyService } from '../../../src/signer/sealing-keys.ts'
import { addBank, makePayer, offRamp, type Payer, startBankWorld } from '../../support/bank-files/bank-world.ts'
import {
  advance,
  expectVerified,
  type Transaction,
  waitForTransaction,
  waitForWaiting,
} from '../../support/money/transactions.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { testSignerKey } from '../../support/secrets/signer.ts'

/** A bank pays and asks for other coordinates. An operator confirms them before money uses them. */
const { api, folder } = await startBankWorld({ SVC_SANDBOX_LIQUIDITY: '0' })
const former = '000123456789'
const corrected = '0001234567890001'
const ann = await makePayer(api, 'ACH', { accountNumber: former })

async function putIn(amount: string): Promise<void> {
  const money = { organizationId: ann.organizationId, holding: 'usd-main', asset: 'USD', amount, reason: 'a test' }
  await api.app.treasury.fund(money)
  await advance(api, 'PT1M')
}

/** Pays 100 USDC, and lets the bank book it. */
async function pay(payer: Payer): Promise<Transaction> {
  const paid = await offRamp(api, payer)
  await waitForWaiting(api, paid)
  await putIn('100.00')
  return waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
}

const openChanges = async () => (await api.get('/bank-changes?status=OPEN')).body.bankChanges

/** Pays to an account, and lets its bank ask for a change. */
async function notify(payer: Payer, code: string) {
  const { transactionId } = await pay(payer)
  expect((await api.post('/sandbox/bank/returns', { transactionId, code })).status).toBe(200)
  return eventually(async () => {
    const found = (await openChanges()).find((change) => change.transactionId === transactionId)
    if (!found) throw new Error('the bank has not asked yet')
    return found
  })
}

const decide = (bankChangeId: string, decision: 'CONFIRM' | 'REFUSE', options = {}) =>
  api.post(`/bank-changes/${bankChangeId}/decision`, { decision, reason: 'The customer agrees' }, options)

/** The account numbers to which our files paid so far, in order. */
async function paidTo(): Promise<string[]> {
  const files = await folder.read('sandbox-bank/received')
  return files.flatMap(({ text }) =>
    [...text.matchAll(/^6\d{2}\d{9}(.{17})/gm)].map(([, number = '']) => number.trim()),
  )
}

test('a confirmed change makes a new version of the account: new payouts use it, and existing ones do not', async () => {
  const before = (await api.get(`/payment-accounts/${ann.bank}`)).body
  const change = await notify(ann, 'C01')
  expect(change).toMatchObject({
    bankChangeStatus: 'OPEN',
    code: 'C01',
    paymentAccountId: ann.bank,
    correction: { accountNumber: '****0001' },
  })
  expect(JSON.stringify(change)).not.toContain(corrected)
  expect((await api.get(`/payment-accounts/${ann.bank}`)).body).toEqual(before)

  const waiting = await offRamp(api, ann)
  await waitForWaiting(api, waiting)
  const key = { headers: { 'x-idempotency-key': 'confirm C01' } }
  const decided = await decide(change.bankChangeId, 'CONFIRM', key)
  expect(decided).toMatchObject({ status: 200, body: { bankChangeStatus: 'CONFIRMED', decidedAt: expect.any(String) } })
  expect((await decide(change.bankChangeId, 'CONFIRM', key)).body).toEqual(decided.body)
  expect((await decide(change.bankChangeId, 'REFUSE')).status).toBe(409)

  const after = (await api.get(`/payment-accounts/${ann.bank}`)).body
  expect(after).toEqual({
    ...before,
    externalBankAccount: { ...before.externalBankAccount, bankAccountMask: '****0001' },
  })
  const updated = await eventually(async () => {
    const { events } = (await api.get(`/events?resourceId=${ann.bank}`)).body
    const found = events.find(({ type }: { type: string }) => type === 'payment_account.updated')
    if (!found) throw new Error('no event yet')
    return found
  })
  expect(updated).toMatchObject({ resourceVersion: 2, data: after })

  // The waiting payout also outlives the key that sealed its coordinates.
  const signers = openForTest(api.database.signer)
  const keys = createSealingKeyService({ database: signers, signerKey: testSignerKey })
  expect(await rotateSealingKey(signers, keys)).toMatchObject({ wrong: [], retired: [expect.any(String)] })
  await putIn('100.00')
  await waitForTransaction(api, waiting, { transactionStatus: 'COMPLETED' })
  expect(await paidTo()).toEqual([former, former])
  await pay(ann)
  expect(await paidTo()).toEqual([former, former, corrected])
  const [audited] = await api.app.database.query<{ actor: string; details: object }>({
    text: `select actor, details from svc.audit where action = 'bank_change.confirmed' and subject_id = $1`,
    values: [ann.bank],
  })
  expect(audited).toMatchObject({ actor: expect.stringMatching(/^api_key:/) })
  await expectVerified(api)
})

test('a bank that asks once more for what the account already has makes no further version', async () => {
  const payer = await addBank(api, ann, { accountNumber: '000123456780' })
  const [first, second] = [await notify(payer, 'C05'), await notify(payer, 'C05')]
  expect([first.correction, second.correction]).toEqual(Array(2).fill({ bankAccountType: 'SAVINGS' }))
  for (const { bankChangeId } of [first, second]) {
    expect(await decide(bankChangeId, 'CONFIRM')).toMatchObject({ body: { bankChangeStatus: 'CONFIRMED' } })
  }
  const { externalBankAccount } = (await api.get(`/payment-accounts/${payer.bank}`)).body
  expect(externalBankAccount).toMatchObject({ bankAccountType: 'SAVINGS', bankAccountMask: '****6780' })
  const versions = await api.app.database.query({
    text: 'select details_version from svc.payment_accounts where payment_account_id = $1',
    values: [payer.bank],
  })
  expect(versions).toEqual([{ details_version: 2 }])
})

test('a refused change leaves the account, and the operator of the deployment decides by command, too', async () => {
  const bob = await makePayer(api, 'ACH', { accountNumber: '000987654321' })
  const own = { ...bob, organizationId: ann.organizationId }
  const refused = await notify(own, 'C02')
  expect(refused.correction).toEqual({ routingNumber: expect.stringMatching(/^\*{4}\d{4}$/) })
  expect(await decide(refused.bankChangeId, 'REFUSE')).toMatchObject({ body: { bankChangeStatus: 'REFUSED' } })
  expect((await api.get(`/payment-accounts/${bob.bank}`)).body.externalBankAccount?.bankAccountMask).toBe('****4321')

  const confirmed = await notify(own, 'C03')
  const { bankChanges } = api.app
  const request = { decision: 'CONFIRM', reason: 'The customer agrees' } as const
  expect(await bankChanges.decideByCommand(confirmed.bankChangeId, request)).toBe(true)
  await expect(bankChanges.decideByCommand(confirmed.bankChangeId, request)).rejects.toMatchObject({ code: 'CONFLICT' })
  expect((await api.get(`/payment-accounts/${bob.bank}`)).body.externalBankAccount?.bankAccountMask).toBe('****0001')
  await expectVerified(api)
})

test('a correction to an account that the customer has already registered is refused', async () => {
  await addBank(api, ann, { accountNumber: '0001111111110001' })
  const change = await notify(await addBank(api, ann, { accountNumber: '000111111111' }), 'C01')
  expect(await decide(change.bankChangeId, 'CONFIRM')).toMatchObject({
    status: 409,
    body: { error: 'DUPLICATE_PAYMENT_ACCOUNT' },
  })
  expect((await decide(change.bankChangeId, 'REFUSE')).status).toBe(200)
  expect(await openChanges()).toEqual([])
  await expectVerified(api)
})
