import { expect, test } from 'vitest'
import type { NewEntry } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import type { AccountName } from '../../../src/transactions/bank-files/formats.ts'
import { entry, euroAccount, type SentPayment, waitForFile } from '../../support/bank/bank-desk.ts'
import { startSepaPayments } from '../../support/bank/sepa-payments.ts'
import { expectVerified, readTransaction, waitForTransaction } from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Payments of ours that leave as SEPA files, and every word of the bank about them. */
const { desk, api, pay, reads } = await startSepaPayments()

const paid = ({ reference, amount }: SentPayment, more: Partial<NewEntry> = {}) =>
  entry('DEBIT', amount, { references: { endToEndId: reference } }, more)

const givenBack = ({ reference }: SentPayment, amount: bigint, more: Partial<NewEntry> = {}) =>
  entry('CREDIT', amount, { references: { endToEndId: reference }, return: { reason: { code: 'AC04' } } }, more)

const statusOf = async (transactionId: string) => (await readTransaction(api, { transactionId })).transactionStatus

/** Lets the workers apply every report, and ask about the payout once more. */
async function settled(transactionId: string): Promise<string> {
  const text = `select from svc.rail_reports where due_at is not null`
  await eventually(async () => expect(await api.app.database.query({ text })).toEqual([]))
  return statusOf(transactionId)
}

async function payoutOf(transactionId: string) {
  const text = `select status, attempts, contradicted_at is not null as "isContradicted", returned_amount as returned
                  from svc.payouts where transaction_id = $1 and purpose = 'PAYOUT'`
  const [payout] = await api.app.database.query<Record<string, unknown>>({ text, values: [transactionId] })
  return payout
}

test('a booked debit with our reference completes the payment; an acceptance does not', async () => {
  const { transactionId, sent } = await pay()
  expect(await desk.list('outgoing')).toContain(sent.name)
  await reads(desk.answer(sent.fileId, { group: { statusCode: 'ACSC' } }))
  expect(await settled(transactionId)).toBe('PROCESSING')
  await desk.notify(euroAccount, [paid(sent)])
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
})

test('a rejected file is dead, and its payment leaves in another file; the old rejection refuses nothing', async () => {
  const { transactionId, sent } = await pay()
  await reads(desk.answer(sent.fileId, { group: { statusCode: 'RJCT', reasons: [{ code: 'FF01' }] } }))
  const second = await waitForFile(api, transactionId, 2)
  expect(second.fileId).not.toBe(sent.fileId)
  expect(second.reference).toBe(sent.reference)
  const late = { reference: sent.reference, statusCode: 'RJCT', reasons: [{ code: 'AC04' }] }
  await reads(desk.answer(sent.fileId, { payments: [late] }))
  expect(await settled(transactionId)).toBe('PROCESSING')
  await desk.notify(euroAccount, [paid(second)])
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
})

test('the payments of a file that the bank rejects as a duplicate do not leave twice', async () => {
  const { transactionId, sent } = await pay()
  await reads(desk.answer(sent.fileId, { group: { statusCode: 'RJCT', reasons: [{ code: 'AM05' }] } }))
  expect(await settled(transactionId)).toBe('PROCESSING')
  expect(await payoutOf(transactionId)).toMatchObject({ attempts: 1 })
  expect(api.logs.join('')).toContain('a bank says that it has this file already')
  await desk.state(euroAccount, [paid(sent)])
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
})

test('a rejected item is refused, and the money goes back', async () => {
  const { transactionId, sent } = await pay()
  const rejected = { reference: sent.reference, statusCode: 'RJCT', reasons: [{ code: 'AC04' }] }
  await reads(desk.answer(sent.fileId, { payments: [rejected] }))
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'FAILED' })
})

test.each([
  ['another account of the same currency', { account: { iban: 'DE89370400440532013000', currency: 'EUR' } }],
  ['money that a creditor collected from us', { more: { bankTransactionCode: 'PMNT/RDDT/ESDD' } }],
])('%s confirms nothing', async (_, { account = euroAccount, more = {} }: { account?: AccountName; more?: object }) => {
  const { transactionId, sent } = await pay()
  await reads(desk.notify(account, [paid(sent, more)]))
  expect(await settled(transactionId)).toBe('PROCESSING')
  expect(await payoutOf(transactionId)).toMatchObject({ status: 'SENT', isContradicted: false })
})

test('another amount confirms nothing and raises the alarm', async () => {
  const { transactionId, sent } = await pay()
  await reads(desk.notify(euroAccount, [paid({ ...sent, amount: sent.amount + 1n })]))
  expect(await settled(transactionId)).toBe('PROCESSING')
  expect(await payoutOf(transactionId)).toMatchObject({ status: 'SENT', isContradicted: true })
})

test('a return that a message and both statements tell is booked once, in any order', async () => {
  const { transactionId, sent } = await pay()
  const bankReference = desk.newReference()
  const back = givenBack(sent, sent.amount, { bankReference })
  await reads(desk.notify(euroAccount, [paid(sent)]))
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
  const told = { returnId: desk.newReference(), reference: sent.reference, code: 'AC04', effectiveDate: '2026-11-17' }
  await reads(desk.returns([{ ...told, amount: { currency: 'EUR', units: sent.amount } }]))
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'FAILED' })
  await reads(desk.notify(euroAccount, [back]))
  await reads(desk.state(euroAccount, [back]))
  await settled(transactionId)
  expect(await payoutOf(transactionId)).toMatchObject({
    status: 'RETURNED',
    isContradicted: false,
    returned: String(sent.amount),
  })
})

test('two equal parts of a return count twice, and a net credit of a told return counts once', async () => {
  const { transactionId, sent } = await pay()
  await reads(desk.notify(euroAccount, [paid(sent)]))
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
  const part = (bankReference: string) => givenBack(sent, 100n, { bankReference })
  await reads(desk.notify(euroAccount, [part('PART-ONE'), part('PART-TWO')]))
  await eventually(async () => expect(await payoutOf(transactionId)).toMatchObject({ returned: '200' }))
  const told = { returnId: desk.newReference(), reference: sent.reference, code: 'AC04', effectiveDate: '2026-11-17' }
  await reads(desk.returns([{ ...told, amount: { currency: 'EUR', units: 300n } }]))
  await reads(desk.state(euroAccount, [givenBack(sent, 295n, { bankReference: 'PART-NET' })]))
  await settled(transactionId)
  const { returned, isContradicted } = (await payoutOf(transactionId)) ?? {}
  expect([returned, isContradicted]).toEqual(['500', false])
})

test('a receiver who copies our reference into a payment of its own returns nothing', async () => {
  const { transactionId, sent } = await pay()
  await reads(desk.notify(euroAccount, [paid(sent)]))
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
  const texts = { remittance: [`RETURN OF ${sent.reference}`], references: { endToEndId: sent.reference } }
  await reads(desk.notify(euroAccount, [entry('CREDIT', sent.amount, texts, { bankReference: desk.newReference() })]))
  expect(await settled(transactionId)).toBe('COMPLETED')
})

test('a booked batch confirms its payments when it is their sum', async () => {
  const { transactionId, sent } = await pay()
  const batch = { fileId: sent.fileId, count: 1 }
  await reads(desk.state(euroAccount, [entry('DEBIT', sent.amount + 1n, {}, { batch })]))
  expect(await settled(transactionId)).toBe('PROCESSING')
  await reads(desk.state(euroAccount, [entry('DEBIT', sent.amount, {}, { batch, bankReference: desk.newReference() })]))
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
})

test('the books hold', () => expectVerified(api))
