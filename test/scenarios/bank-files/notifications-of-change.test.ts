import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
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
  expect(audited).toMatchObject({ actor: expect.stringMatching(/^api_key:/), details: { code: 'C01' } })
  // The reason may be about a person: it is sealed with the customer, and goes with an erasure.
  expect(audited?.details).not.toHaveProperty('reason')
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

test('a change of former coordinates is not merged into those that came after them', async () => {
  const payer = await addBank(api, ann, { accountNumber: '000555555501' })
  const [late, early] = [await notify(payer, 'C01'), await notify(payer, 'C02')]
  expect((await decide(early.bankChangeId, 'CONFIRM')).status).toBe(200)
  await eventually(async () => {
    const text = 'select seal is not null as "isSealed" from svc.payment_accounts where payment_account_id = $1'
    expect(await api.app.database.query({ text, values: [payer.bank] })).toEqual([{ isSealed: true }])
  })
  const before = (await api.get(`/payment-accounts/${payer.bank}`)).body
  expect(await decide(late.bankChangeId, 'CONFIRM')).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('former coordinates') },
  })
  expect((await api.get(`/payment-accounts/${payer.bank}`)).body).toEqual(before)
  expect((await decide(late.bankChangeId, 'REFUSE')).status).toBe(200)
})

/** The file with which a bank asked for a correction. */
function fileWith(correction: string): Promise<string> {
  return eventually(async () => {
    const [file] = (await folder.having('archive', correction)).filter(({ text }) => /^798C01/m.test(text))
    if (!file) throw new Error('no file with this correction is in the archive yet')
    return file.text
  })
}

test('a second telling with another correction is shown beside the first, and one of them can be confirmed', async () => {
  const payer = await addBank(api, ann, { accountNumber: '000444444401' })
  const { transactionId } = await notify(payer, 'C01')
  const told = await fileWith('0004444444010001')
  await folder.put('incoming', 'other.ach', told.replace('0004444444010001', '0004444444070001'))
  await folder.put('incoming', 'same.ach', told.replace(/^(.{86}).{8}/, '$1COPY0001'))
  await folder.arrived('COPY0001')
  await folder.settled()
  expect(await folder.list('quarantine')).toEqual([])
  const changes = (await openChanges()).filter((change) => change.transactionId === transactionId)
  expect(changes).toHaveLength(2)
  const [first, second] = changes.map(({ bankChangeId }) => bankChangeId)
  expect((await decide(first ?? '', 'CONFIRM')).status).toBe(200)
  expect((await decide(second ?? '', 'CONFIRM')).status).toBe(409)
  expect((await decide(second ?? '', 'REFUSE')).status).toBe(200)
})

async function referenceOf(paid: { transactionId?: string }): Promise<string> {
  const [found] = await api.app.database.query<{ reference: string }>({
    text: `select short_reference as reference from svc.payout_references join svc.payouts using (payout_id)
            where transaction_id = $1 and purpose = 'PAYOUT'`,
    values: [paid.transactionId],
  })
  return found?.reference ?? ''
}

test('a change about a payment that we have not sent by ACH waits for the operator of the deployment', async () => {
  const payer = await addBank(api, ann, { accountNumber: '000333333301' })
  const known = await notify(payer, 'C01')
  const [told, reference] = [await fileWith('0003333333010001'), await referenceOf(known)]
  const wired = await pay({ ...(await makePayer(api, 'WIRE')), organizationId: ann.organizationId })
  const unsent = await offRamp(api, payer)
  await waitForWaiting(api, unsent)

  const { bankChanges } = api.app
  const references = [await referenceOf(wired), await referenceOf(unsent), 'SVC000000000000']
  for (const other of references) {
    await folder.put('incoming', `${other}.ach`, told.replaceAll(reference, other))
  }
  await folder.settled()
  const found = (await bankChanges.listAll()).filter((change) => references.includes(change.reference))
  expect(found).toHaveLength(3)
  for (const { bankChangeId, status, payoutId } of found) {
    expect({ status, payoutId }).toEqual({ status: 'OPEN', payoutId: null })
    const reason = 'a test'
    const confirmed = bankChanges.decideByCommand(bankChangeId, { decision: 'CONFIRM', reason })
    await expect(confirmed).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await bankChanges.decideByCommand(bankChangeId, { decision: 'REFUSE', reason })).toBe(true)
  }
  expect((await openChanges()).map(({ bankChangeId }) => bankChangeId)).toEqual([known.bankChangeId])
  expect((await decide(known.bankChangeId, 'REFUSE')).status).toBe(200)
  await putIn('100.00')
  await waitForTransaction(api, unsent, { transactionStatus: 'COMPLETED' })
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

const asApp = (text: string, values: unknown[] = []) => api.app.database.query({ text, values })
const replace = (bankChangeId: string, bank: string, version: number) =>
  asApp(`select from svc.replace_bank_details($1, $2, $3, $4, 'a', 'b', 'c')`, [
    bankChangeId,
    ann.organizationId,
    bank,
    version,
  ])

test('the database replaces no coordinates without an OPEN notification about a payment to them', async () => {
  const [paid, other] = [
    await addBank(api, ann, { accountNumber: '000222222201' }),
    await addBank(api, ann, { accountNumber: '000222222202' }),
  ]
  const change = await notify(paid, 'C01')
  expect(await replace(newId(), paid.bank, 1)).toEqual([])
  expect(await replace(change.bankChangeId, other.bank, 1)).toEqual([])
  expect(await replace(change.bankChangeId, paid.bank, 2)).toEqual([])
  expect((await decide(change.bankChangeId, 'REFUSE')).status).toBe(200)
  expect(await replace(change.bankChangeId, paid.bank, 1)).toEqual([])
  for (const text of [
    'update svc.bank_changes set details_version = 2',
    'insert into svc.bank_changes (details_version) values (2)',
  ]) {
    await expect(asApp(text)).rejects.toThrow('permission denied')
  }
  await expectVerified(api)
})

test('the signer does not seal a payout to coordinates that were replaced before it was created', async () => {
  // The first test has replaced the first version of this account.
  await advance(api, 'PT1H')
  const payoutId = newId()
  await asApp(
    `insert into svc.payouts (organization_id, payout_id, transaction_id, customer_id, purpose, method, asset, amount,
            payment_account_id, details_version, pays_from, held_at, status, created_at)
     values ($1, $2, $3, $4, 'REFUND', 'ACH', 'USD', 100, $5, 1, 'usd-main', 'usd-main', 'WAITING', svc.now())`,
    [ann.organizationId, payoutId, newId(), ann.customerId, ann.bank],
  )
  await eventually(async () => {
    const [found] = await asApp('select seal, seal_problem as problem from svc.payouts where payout_id = $1', [
      payoutId,
    ])
    const problem = 'the coordinates of its account were replaced before it was created'
    expect(found).toEqual({ seal: null, problem: expect.stringContaining(problem) })
  })
})
