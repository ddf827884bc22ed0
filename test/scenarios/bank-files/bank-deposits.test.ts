import { expect, test } from 'vitest'
import { makePayer, onRamp, startBankWorld } from '../../support/bank-files/bank-world.ts'
import { createAccount } from '../../support/money/payment-accounts.ts'
import {
  advance,
  expectVerified,
  readTransaction,
  sendDeposit,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { autoFiatAccount } from '../../support/project/tenant-bodies.ts'
import { eventually } from '../../support/runner/eventually.ts'

const { api, folder } = await startBankWorld()
const ada = await makePayer(api, 'ACH')
const deposit = (body: object, headers = {}) => api.post('/sandbox/bank/deposits', body, { headers })
const unattributed = async () => (await api.app.unattributedDeposits.list()).length

test('money at a bank account of ours with the message of a transaction completes it', async () => {
  const awaiting = await onRamp(api, ada)
  const reference = `invoice 7 / ${transferReference(awaiting)?.toLowerCase()}`
  const body = { bankAccountId: 'usd-main', amount: '500.00', reference, senderName: 'Ada Example' }
  const key = { 'x-idempotency-key': 'deposit once' }
  const sent = await deposit(body, key)
  expect([sent.status, sent.body]).toMatchObject([
    200,
    { bankAccountId: 'usd-main', currency: 'USD', amount: '500.00' },
  ])
  expect((await deposit(body, key)).body).toEqual(sent.body)
  await waitForDeposit(api, sent.body.referenceId, { depositStatus: 'APPLIED', amount: '500.00' })
  await waitForTransaction(api, awaiting, { transactionStatus: 'COMPLETED' })
  const { body: audited } = await api.get('/deposits')
  expect(audited.deposits).toHaveLength(1)
})

test('money to an auto fiat account is found by the number of the account', async () => {
  const { paymentAccountId } = await createAccount(api, autoFiatAccount(ada.customerId, ada.wallet))
  const sent = await sendDeposit(api, paymentAccountId, { amount: '30.00', currency: 'USD', rail: 'ACH' })
  await waitForDeposit(api, sent, { depositStatus: 'APPLIED', amount: '30.00' })
})

test('money without a message is kept, and stays unattributed until an operator decides', async () => {
  const before = await unattributed()
  await deposit({ bankAccountId: 'usd-main', amount: '12.34', senderName: 'Unknown Sender' })
  await eventually(async () => expect(await unattributed()).toBe(before + 1))
})

test('a deposit is reversed by a file of the bank, in parts and as a whole, and both books agree', async () => {
  // A customer of its own: what the customer owes stops every payout.
  const awaiting = await onRamp(api, await makePayer(api, 'ACH'), '40.00')
  const body = { bankAccountId: 'usd-main', amount: '40.00', reference: transferReference(awaiting) }
  const { referenceId } = (await deposit({ ...body, senderName: 'Ada Example' })).body
  const { depositId } = await waitForDeposit(api, referenceId, { depositStatus: 'APPLIED' })
  const reverse = (more: object) => api.post(`/sandbox/deposits/${depositId}/reverse`, more)
  expect((await reverse({ amount: '15.00', reversalReference: 'TAKEN-1' })).status).toBe(200)
  await waitForDeposit(api, referenceId, { reversedAmount: '15.00' })
  expect(await folder.having('archive', '<RvslInd>true</RvslInd>')).toHaveLength(1)
  expect((await reverse({ amount: '26.00' })).status).toBe(409)
  expect((await reverse({ reason: 'R10' })).status).toBe(200)
  await waitForDeposit(api, referenceId, { depositStatus: 'REVERSED', reversedAmount: '40.00' })
  await api.post('/sandbox/bank/statements', { bankAccountId: 'usd-main' })
  await folder.settled()
  expect((await api.app.bankFileRecords.count()).unmatched).toBe(0)
  const recovered = await api.app.depositReversals.list()
  expect(recovered).toHaveLength(2)
})

test('the same entry told again is one deposit', async () => {
  const awaiting = await onRamp(api, ada, '20.00')
  const body = { amount: '20.00', currency: 'USD', rail: 'ACH', reference: transferReference(awaiting) }
  const entryReference = 'STATEMENT-7-1'
  const send = async () =>
    (await api.post(`/sandbox/payment-accounts/${ada.bank}/deposits`, { ...body, entryReference })).body
  expect(await send()).toMatchObject({ referenceId: entryReference, sightingStatus: 'RECORDED' })
  await waitForTransaction(api, awaiting, { transactionStatus: 'COMPLETED' })
  expect(await send()).toMatchObject({ sightingStatus: 'REPEATED' })
  await eventually(async () => expect(await folder.having('archive', entryReference)).toHaveLength(2))
  const { body: page } = await api.get('/deposits?pageSize=100')
  expect(page.deposits.filter(({ referenceId }) => referenceId === entryReference)).toHaveLength(1)
})

test('the bank refuses what it cannot send, and names the field', async () => {
  const good = { bankAccountId: 'usd-main', amount: '1.00' }
  for (const [body, field] of [
    [{ ...good, bankAccountId: 'nowhere' }, 'bankAccountId'],
    [{ ...good, amount: '1.005' }, 'amount'],
    [{ ...good, amount: '0' }, 'amount'],
    [{ ...good, rail: 'SEPA' }, 'rail'],
    [{ amount: '1.00' }, 'bankAccountId'],
  ] as const) {
    expect(await deposit(body)).toMatchObject({ status: 400, body: { error: 'BAD_REQUEST', details: [{ field }] } })
  }
})

test('a short payment waits, and a statement of the day repeats it without effect', async () => {
  const awaiting = await onRamp(api, ada, '40.00')
  const sent = await sendDeposit(api, ada.bank, {
    amount: '39.00',
    currency: 'USD',
    rail: 'ACH',
    reference: transferReference(awaiting),
  })
  const { depositId } = await waitForDeposit(api, sent, { amount: '39.00' })
  const written = await api.post('/sandbox/bank/statements', { bankAccountId: 'usd-main' })
  expect(written).toMatchObject({ status: 200, body: { bankAccountId: 'usd-main', currency: 'USD' } })
  await eventually(async () => expect(await folder.having('archive', 'camt.053.001')).toHaveLength(1))
  await folder.settled()
  expect(await readTransaction(api, awaiting)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  const { body: page } = await api.get(`/deposits?transactionId=${awaiting.transactionId}`)
  expect(page.deposits.map((each) => each.depositId)).toEqual([depositId])
})

test('a file that no bank writes is kept with its reason, and stops no other', async () => {
  await folder.put('incoming', 'broken.xml', '<Document><Broken></Document>')
  await folder.put('incoming', 'unknown.bin', 'not a bank file')
  const sent = await deposit({ bankAccountId: 'eur-main', amount: '5.00', senderName: 'Unknown Sender' })
  expect(sent.status).toBe(200)
  const before = await unattributed()
  await eventually(async () => expect(await folder.list('quarantine')).toHaveLength(4))
  await folder.settled()
  expect(await unattributed()).toBeGreaterThanOrEqual(before)
  await advance(api, 'P1D')
  await expectVerified(api)
})
