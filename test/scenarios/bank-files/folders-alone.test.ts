import { expect, test } from 'vitest'
import { type PaymentOrder, readPain001 } from '../../../src/adapters/bank/iso20022/pain001-reader.ts'
import { writeReturnMessage } from '../../../src/adapters/bank/iso20022/returns/pacs004-writer.ts'
import {
  type NewEntry,
  writeNotification,
  writeStatement,
} from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import { writeStatusReport } from '../../../src/adapters/bank/iso20022/status-writer.ts'
import { readEntries } from '../../../src/adapters/bank/nacha/reader.ts'
import { writeReturns } from '../../../src/adapters/bank/nacha/returns.ts'
import { balancesOf } from '../../support/bank/bank-desk.ts'
import { makePayer, offRamp, onRamp, startBankWorld } from '../../support/bank-files/bank-world.ts'
import {
  expectVerified,
  readTransaction,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** As in production, only folders connect Svc with its bank. This test plays the bank. */
const { api, folder } = await startBankWorld({ SVC_SANDBOX_BANK: 'folders' })
const sepa = await makePayer(api, 'SEPA')
const ach = await makePayer(api, 'ACH')

const createdAt = new Date('2026-11-16T12:00:00Z')
const day = '2026-11-16'
const eur = { iban: 'DE75512108001245126199', currency: 'EUR' }
const usd = { number: '900000000001', currency: 'USD' }
let messages = 0

const newId = (name: string) => {
  messages += 1
  return `${name}-${messages}`
}
const bytes = (chunks: Iterable<Buffer>) => Buffer.concat([...chunks])

/** Puts a file of the bank into incoming/, and waits until Svc has read it. */
async function deliver(content: Buffer, name = newId('bank')): Promise<string> {
  await folder.put('incoming', `${name}.txt`, content)
  await folder.settled()
  return name
}

type Told = Pick<NewEntry, 'direction' | 'amount'> & Partial<NewEntry>

function entryOf(told: Told): NewEntry {
  const reference = newId('ENTRY')
  return {
    entryReference: reference,
    bankReference: reference,
    isReversal: false,
    status: 'BOOKED',
    bookingDate: day,
    valueDate: day,
    charges: [],
    details: [],
    ...told,
  }
}

const detail = (endToEndId: string | undefined, more: object = {}): NewEntry['details'][number] => ({
  references: endToEndId === undefined ? {} : { endToEndId },
  charges: [],
  counterparty: {},
  remittance: [],
  creditorReferences: [],
  ...more,
})

function statement(account: typeof eur | typeof usd, entries: NewEntry[]): Buffer {
  const statementId = newId('STATEMENT')
  const statements = [{ statementId, account, balances: balancesOf(account, entries), entries }]
  return bytes(writeStatement({ messageId: statementId, createdAt, statements }))
}

function notification(account: typeof eur | typeof usd, entries: NewEntry[]): Buffer {
  const statementId = newId('NOTIFICATION')
  return bytes(
    writeNotification({ messageId: statementId, createdAt, statements: [{ statementId, account, entries }] }),
  )
}

/** Takes the next pain.001 out of outgoing/. */
async function takePayment(): Promise<{ fileId: string; order: PaymentOrder }> {
  const { text } = await folder.take()
  let fileId = ''
  let order: PaymentOrder | undefined
  for await (const part of readPain001([Buffer.from(text, 'latin1')])) {
    if (part.type === 'FILE') fileId = part.messageId
    if (part.type === 'PAYMENT') order = part
  }
  if (!order) throw new Error('the file has no payment')
  return { fileId, order }
}

const statusOf = (fileId: string, statusCode: string, code?: string) =>
  bytes(
    writeStatusReport({
      messageId: newId('STATUS'),
      createdAt,
      original: { fileId, messageName: 'pain.001.001.09' },
      group: { statusCode, reasons: code === undefined ? [] : [{ code }] },
      batches: [],
    }),
  )

test('money that the bank notifies completes a transaction, and the statement repeats it without effect', async () => {
  const awaiting = await onRamp(api, sepa)
  const credit = entryOf({
    direction: 'CREDIT',
    amount: { currency: 'EUR', units: 50_000n },
    details: [detail('NOTPROVIDED', { remittance: [`Thanks! ${transferReference(awaiting)}`] })],
  })
  await deliver(notification(eur, [credit]))
  await waitForDeposit(api, credit.bankReference ?? '', { depositStatus: 'APPLIED', amount: '500.00' })
  await waitForTransaction(api, awaiting, { transactionStatus: 'COMPLETED' })
  await deliver(statement(eur, [{ ...credit, entryReference: '1' }]))
  const { body } = await api.get('/deposits?pageSize=100')
  expect(body.deposits).toHaveLength(1)
})

test('a SEPA payment: accepted is not paid, booked is paid, and a return is booked once', async () => {
  const paid = await offRamp(api, sepa)
  const { fileId, order } = await takePayment()
  await deliver(statusOf(fileId, 'ACCP'))
  expect(await readTransaction(api, paid)).toMatchObject({ transactionStatus: 'PROCESSING' })
  const { endToEndId, amount } = order
  const debit = entryOf({ direction: 'DEBIT', amount, details: [detail(endToEndId)] })
  const stated = statement(eur, [debit])
  await deliver(stated)
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  await deliver(stated, 'the same again')
  const returned = { returnId: newId('RETURN'), reference: endToEndId, amount, effectiveDate: day, code: 'AC04' }
  await deliver(bytes(writeReturnMessage({ messageId: newId('PACS'), createdAt, returns: [returned] })))
  const failed = { transactionStatus: 'FAILED', failureReason: 'destination_returned_funds' }
  await waitForTransaction(api, paid, failed)
  const credited = detail(endToEndId, { return: { reason: { code: 'AC04' } } })
  await deliver(statement(eur, [entryOf({ direction: 'CREDIT', amount, details: [credited] })]))
  expect(await readTransaction(api, paid)).toMatchObject(failed)
  await expectVerified(api)
})

test('a file that the bank rejects is paid in a new file, and a word about a duplicate pays nothing again', async () => {
  const paid = await offRamp(api, sepa)
  const first = await takePayment()
  await deliver(statusOf(first.fileId, 'RJCT', 'FF01'))
  const second = await takePayment()
  expect(second.fileId).not.toBe(first.fileId)
  expect(second.order.endToEndId).toBe(first.order.endToEndId)
  // A late rejection of the first file says nothing about the second.
  await deliver(statusOf(first.fileId, 'RJCT', 'FF01'))
  await deliver(statusOf(second.fileId, 'RJCT', 'DU01'))
  expect(await readTransaction(api, paid)).toMatchObject({ transactionStatus: 'PROCESSING' })
  expect(await folder.list('outgoing')).toEqual([])
  const { amount, endToEndId } = second.order
  await deliver(statement(eur, [entryOf({ direction: 'DEBIT', amount, details: [detail(endToEndId)] })]))
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  expect(await folder.list('outgoing')).toEqual([])
})

test('debits with another amount, reference or account confirm nothing', async () => {
  const paid = await offRamp(api, sepa)
  const { order } = await takePayment()
  const { amount, endToEndId } = order
  const more = { ...amount, units: amount.units + 1n }
  const dollars = { currency: 'USD', units: amount.units } as const
  await deliver(statement(eur, [entryOf({ direction: 'DEBIT', amount, details: [detail('0000000000000X')] })]))
  await deliver(
    statement(eur, [
      entryOf({ direction: 'DEBIT', amount, details: [detail(undefined, { remittance: [endToEndId] })] }),
    ]),
  )
  await deliver(statement(usd, [entryOf({ direction: 'DEBIT', amount: dollars, details: [detail(endToEndId)] })]))
  await deliver(statement(eur, [entryOf({ direction: 'DEBIT', amount: more, details: [detail(endToEndId)] })]))
  expect(await readTransaction(api, paid)).toMatchObject({ transactionStatus: 'PROCESSING' })
  await deliver(statement(eur, [entryOf({ direction: 'DEBIT', amount, details: [detail(endToEndId)] })]))
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
})

test('an ACH file that the bank books as one entry, and a return with its code', async () => {
  const paid = await offRamp(api, ach)
  const { name, text } = await folder.take()
  const fileId = /SVC[A-Z0-9]+/.exec(name)?.[0] ?? ''
  const entries = []
  for await (const item of readEntries([Buffer.from(text, 'latin1')])) if (item.type === 'ENTRY') entries.push(item)
  const [original] = entries
  if (!original || entries.length > 1) throw new Error('the file has not exactly one entry')
  const total = { currency: 'USD', units: original.amount } as const
  const batch = { fileId, count: 1, total }
  await deliver(statement(usd, [entryOf({ direction: 'DEBIT', amount: total, batch })]))
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  const names = {
    immediateDestination: '1234567890',
    immediateOrigin: '021000021',
    destinationName: 'SVC SANDBOX',
    originName: 'SANDBOX BANK',
  }
  const answers = [{ type: 'RETURN', original, code: 'R02' } as const]
  const file = { names, createdAt, fileIdModifier: 'A', effectiveDate: day, odfi: '02100002', firstTrace: 1, answers }
  await deliver(bytes(writeReturns(file)))
  await waitForTransaction(api, paid, { transactionStatus: 'FAILED', failureReason: 'destination_returned_funds' })
})

test('a file that the bank never gets is paid by no other file', async () => {
  const paid = await offRamp(api, sepa)
  await folder.take()
  await api.post('/sandbox/clock', { advance: 'P3D' })
  await api.post(`/sandbox/transactions/${paid.transactionId}/advance`)
  // Svc polls again after that, and learns nothing.
  const text = `select asks from svc.payouts where transaction_id = $1 and purpose = 'PAYOUT'`
  await eventually(async () => {
    const [payout] = await api.app.database.query<{ asks: number }>({ text, values: [paid.transactionId] })
    expect(payout?.asks).toBeGreaterThan(0)
  })
  expect(await readTransaction(api, paid)).toMatchObject({ transactionStatus: 'PROCESSING' })
  expect(await folder.list('outgoing')).toEqual([])
  expect(await api.post('/sandbox/bank/statements', { bankAccountId: 'eur-main' })).toMatchObject({ status: 409 })
})

test('a file about a foreign account is kept apart, and every other file is read', async () => {
  const foreign = { iban: 'DE89370400440532013000', currency: 'EUR' }
  const amount = { currency: 'EUR', units: 1_000n } as const
  await deliver(notification(foreign, [entryOf({ direction: 'CREDIT', amount })]))
  const reasons = await eventually(async () => {
    const found = (await folder.read('quarantine')).filter(({ name }) => name.endsWith('.reason'))
    expect(found).toHaveLength(1)
    return found
  })
  expect(reasons[0]?.text).toContain('FOREIGN_ACCOUNT')
  await expectVerified(api)
})
