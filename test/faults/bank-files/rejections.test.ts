import { expect, test } from 'vitest'
import { entry, euroAccount, type SentPayment, waitForFile } from '../../support/bank/bank-desk.ts'
import { startSepaPayments } from '../../support/bank/sepa-payments.ts'
import { expectVerified, readTransaction, waitForTransaction } from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Every way in which a bank rejects a file or its payments, and what Svc may retry. */
const { desk, api, pay, reads } = await startSepaPayments()

const debit = ({ reference, amount }: SentPayment) => entry('DEBIT', amount, { references: { endToEndId: reference } })

/** Lets the workers apply every report, and ask about the payout once more. */
async function settled(transactionId: string) {
  const reports = { text: `select from svc.rail_reports where due_at is not null` }
  await eventually(async () => expect(await api.app.database.query(reports)).toEqual([]))
  const due = {
    text: `select from svc.payouts where transaction_id = $1 and (due_at <= svc.now() or lease_until is not null)`,
    values: [transactionId],
  }
  await eventually(async () => expect(await api.app.database.query(due)).toEqual([]))
  const text = `select status, attempts from svc.payouts where transaction_id = $1 and purpose = 'PAYOUT'`
  const [payout] = await api.app.database.query<Record<string, unknown>>({ text, values: [transactionId] })
  const { transactionStatus } = await readTransaction(api, { transactionId })
  return { ...payout, transactionStatus }
}

const unpaid = { transactionStatus: 'PROCESSING', status: 'SENT', attempts: 1 }
const rejected = { statusCode: 'RJCT' }
const because = (code: string, text?: string) => ({
  ...rejected,
  reasons: [text === undefined ? { code } : { code, text }],
})

test.each([
  ['of the batch', () => ({ group: rejected, batch: because('DUPL') })],
  ['of the payment', (reference: string) => ({ group: rejected, payments: [{ reference, ...because('AM05') }] })],
  ['of the payment alone', (reference: string) => ({ payments: [{ reference, ...because('DU03') }] })],
  ['in a code of the bank', () => ({ group: because('DUPLICATE-FILE') })],
  ['in its text', () => ({ group: because('NARR', 'This is a duplicated message') })],
  [
    'of the batch without a status',
    () => ({ group: rejected, batch: { statusCode: '', reasons: [{ code: 'AM05' }] } }),
  ],
])('a duplicate that the bank names in the reason %s is paid once', async (_, answerFor) => {
  const { transactionId, sent } = await pay()
  await reads(desk.answer(sent.fileId, answerFor(sent.reference)))
  expect(await settled(transactionId)).toEqual(unpaid)
  expect(api.logs.join('')).toContain(sent.fileId)
  await desk.state(euroAccount, [debit(sent)])
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
})

test('a duplicate that comes after the rejection counts, regardless of what the bank said before', async () => {
  const { transactionId, sent } = await pay()
  await reads(desk.answer(sent.fileId, { group: because('FF01') }))
  await waitForFile(api, transactionId, 2)
  await reads(desk.answer(sent.fileId, { group: because('AM05') }))
  const text = `select bank_status from svc.bank_files where message_id = $1`
  expect(await api.app.database.query({ text, values: [sent.fileId] })).toEqual([{ bank_status: 'DUPLICATE' }])
})

test.each([
  ['settled payments', (reference: string) => ({ payments: [{ reference, statusCode: 'ACSC' }] })],
  ['a settled file', () => ({ group: { statusCode: 'ACSC' } })],
])('a rejection after the bank told of %s pays nothing again, and raises the alarm', async (_, answerFor) => {
  const { transactionId, sent } = await pay()
  await reads(desk.answer(sent.fileId, answerFor(sent.reference)))
  await reads(desk.answer(sent.fileId, { group: because('FF01') }))
  await reads(desk.answer(sent.fileId, { payments: [{ reference: sent.reference, ...because('AC04') }] }))
  expect(await settled(transactionId)).toEqual(unpaid)
  expect(api.logs.filter((line) => line.includes('after it had settled') && line.includes(sent.fileId))).toHaveLength(2)
})

test('a payment with a reason of its own in a rejected file is refused, and not retried', async () => {
  const { transactionId, sent } = await pay()
  const own = { reference: sent.reference, ...because('AC04') }
  await reads(desk.answer(sent.fileId, { group: rejected, payments: [own] }))
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'FAILED' })
})

test('payments whose files are rejected again and again pause', async () => {
  const { transactionId, sent } = await pay()
  await reads(desk.answer(sent.fileId, { group: because('FF01') }))
  const second = await waitForFile(api, transactionId, 2)
  const same = { reference: second.reference, ...because('FF01') }
  await reads(desk.answer(second.fileId, { group: because('FF01'), payments: [same] }))
  await eventually(async () => expect(await settled(transactionId)).toMatchObject({ status: 'WAITING' }))
})

test('the books hold', () => expectVerified(api))
