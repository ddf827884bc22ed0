import { expect, test } from 'vitest'
import type { NewEntry } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import { entry, euroAccount, waitUntilRead } from '../../support/bank/bank-desk.ts'
import { startSepaPayments } from '../../support/bank/sepa-payments.ts'
import { waitForTransaction } from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Debits about payments that are paid already: the same booking in another message, or a second payment. */
const { desk, api, pay } = await startSepaPayments()

type Shape = 'single' | 'batch'
type Told = [message: 'notify' | 'state', shape: Shape, more?: Partial<NewEntry>]

const one = (bankReference: string, more: Partial<NewEntry> = {}) => ({ bankReference, ...more })

test.each<[string, Told, Told, boolean]>([
  ['a statement repeats the batch of a notification singly', ['notify', 'batch'], ['state', 'single'], false],
  ['a statement repeats a notification as a batch', ['notify', 'single'], ['state', 'batch'], false],
  ['the bank books a payment twice', ['notify', 'single'], ['notify', 'single'], true],
  ['the bank books a payment twice, told by both', ['notify', 'single'], ['state', 'single'], true],
  ['the bank books a batch twice', ['state', 'batch'], ['state', 'batch'], true],
  [
    'the bank books a batch on another day',
    ['notify', 'single'],
    ['state', 'batch', { bookingDate: '2026-11-18', valueDate: '2026-11-18' }],
    true,
  ],
])('%s', async (_, first, second, isAlarm) => {
  const {
    transactionId,
    sent: { reference, fileId, amount },
  } = await pay()
  const tell = ([message, shape, more]: Told) => {
    const named = shape === 'single' ? { references: { endToEndId: reference } } : {}
    const batch = shape === 'batch' ? { batch: { fileId, count: 1 } } : {}
    return desk[message](euroAccount, [entry('DEBIT', amount, named, { ...one(desk.newReference(), more), ...batch })])
  }
  await tell(first)
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
  await tell(second)
  await waitUntilRead(api, desk)
  const text = `select from svc.rail_reports where due_at is not null`
  await eventually(async () => expect(await api.app.database.query({ text })).toEqual([]))
  const contradicted = `select contradicted_at is not null as is from svc.payouts where transaction_id = $1 and purpose = 'PAYOUT'`
  const outcome = `select outcome from svc.bank_entries order by bank_entry_id desc limit 1`
  const [payout] = await api.app.database.query({ text: contradicted, values: [transactionId] })
  const [told] = await api.app.database.query({ text: outcome })
  expect([payout, told]).toEqual([{ is: isAlarm }, { outcome: isAlarm ? 'UNMATCHED' : 'REPEATED' }])
})
