import { afterAll, expect, test } from 'vitest'
import { entry, euroAccount, openDesk, waitForFile, waitUntilRead } from '../../support/bank/bank-desk.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import { createTransaction, creditWallet, startWithWorkers } from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** A bank that both rejects and accepts may pay: nothing of it leaves a second time, and the alarm is raised. */
const desk = await openDesk()
const api = await startWithWorkers({ ...desk.settings, SVC_BANK_FILE_VALID: '600' })
afterAll(api.stop)
const ada = await makeActive(api, 'DE')
const { bank, wallet } = await makeAccounts(api, ada, 'SEPA')
const { customerId, organizationId } = ada
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 1_000_000_000_000n })
const rejected = { statusCode: 'RJCT', reasons: [{ code: 'FF01' }] }
const accepted = { statusCode: 'ACSP' }

async function pay() {
  const from = [wallet, 'USDC', 'BASE', '10.00'] as const
  const { transactionId } = await createTransaction(api, { customerId, from, to: [bank, 'EUR', 'SEPA'] })
  return { transactionId, ...(await waitForFile(api, transactionId)) }
}

type Paid = Awaited<ReturnType<typeof pay>>

async function expectAlarm(messageId: string) {
  await eventually(async () => {
    const told = api.logs.filter((line) => line.includes(messageId) && line.includes('accepted what it had rejected'))
    expect(told.length).toBeGreaterThan(0)
  })
}

/** The clock moves past every pause, and the payment has the files that it had. Then the bank books it. */
async function expectNoFurtherFile({ transactionId, reference, amount }: Paid, files: number) {
  await waitUntilRead(api, desk)
  await api.post('/sandbox/clock', { advance: 'PT26H' })
  const details = { references: { endToEndId: reference } }
  await desk.notify(euroAccount, [entry('DEBIT', amount, details, { bankReference: desk.newReference() })])
  const booked = `select payout_id from svc.payouts
                   where transaction_id = $1 and (status = 'CONFIRMED' or contradicted_at is not null)`
  await eventually(async () => expect(await query(booked, transactionId)).toHaveLength(1))
  const sent = `select from svc.payouts join svc.bank_file_items using (payout_id) where transaction_id = $1`
  expect(await query(sent, transactionId)).toHaveLength(files)
}

const query = (text: string, ...values: unknown[]) => api.app.database.query<Record<string, unknown>>({ text, values })

test('a payment that the bank accepts in a rejected file does not leave again', async () => {
  const sent = await pay()
  await desk.answer(sent.fileId, { group: rejected, payments: [{ reference: sent.reference, ...accepted }] })
  await expectAlarm(sent.fileId)
  await expectNoFurtherFile(sent, 1)
})

test('a file that the bank accepts after it rejected it does not leave again', async () => {
  const first = await pay()
  await desk.answer(first.fileId, { group: rejected })
  const second = await waitForFile(api, first.transactionId, 2)
  await desk.answer(second.fileId, { group: rejected })
  const waiting = `select from svc.payouts where transaction_id = $1 and status = 'WAITING'`
  await eventually(async () => expect(await query(waiting, first.transactionId)).toHaveLength(1))
  await desk.answer(second.fileId, { group: accepted })
  await expectAlarm(second.fileId)
  await expectNoFurtherFile({ ...first, ...second }, 2)
})

const at = (minute: number) => ({ createdAt: new Date(Date.UTC(2026, 10, 16, 10, minute)) })
const wordOf = async (fileId: string) => {
  await waitUntilRead(api, desk)
  const [file] = await query('select bank_status from svc.bank_files where message_id = $1', fileId)
  return file?.bank_status
}

test('receipts and older answers dispute no rejection; a later acceptance does, until an operator settles', async () => {
  const first = await pay()
  await desk.answer(first.fileId, { group: rejected, ...at(5) })
  await waitForFile(api, first.transactionId, 2)
  for (const [statusCode, minute] of [
    ['ACTC', 0],
    ['RCVD', 6],
    ['PDNG', 5],
    ['ACCP', 4],
  ] as const) {
    await desk.answer(first.fileId, { group: { statusCode }, ...at(minute) })
    await desk.answer(first.fileId, { payments: [{ reference: first.reference, statusCode }], ...at(minute) })
  }
  expect(await wordOf(first.fileId)).toBe('REJECTED')
  const before = await api.app.bankFileRecords.count()
  await desk.answer(first.fileId, { group: accepted, ...at(10) })
  expect(await wordOf(first.fileId)).toBe('DISPUTED')
  expect((await api.app.bankFileRecords.count()).disputed).toBe(before.disputed + 1)
  const [payout] = await query('select payout_id from svc.payouts where transaction_id = $1', first.transactionId)
  const refusal = {
    payoutId: String(payout?.payout_id),
    outcome: 'refused',
    reference: 'letter',
    reason: 'Unpaid',
  } as const
  await eventually(async () =>
    expect(await api.app.manualSettlements.settle(refusal)).toMatchObject({ result: 'SETTLED' }),
  )
  expect((await api.app.bankFileRecords.count()).disputed).toBe(before.disputed)
})

test.each([
  ['the file', (_reference: string) => ({ group: accepted })],
  ['the payment', (reference: string) => ({ payments: [{ reference, ...accepted }] })],
])('an older rejection that is read after an acceptance of %s kills nothing', async (_, acceptance) => {
  const sent = await pay()
  await desk.answer(sent.fileId, { ...acceptance(sent.reference), ...at(10) })
  await waitUntilRead(api, desk)
  await desk.answer(sent.fileId, { group: rejected, ...at(5) })
  await expectNoFurtherFile(sent, 1)
})
