import { afterAll, expect, test } from 'vitest'
import {
  type NewEntry,
  writeNotification,
  writeStatement,
} from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import type { EntryDetail } from '../../../src/transactions/bank-files/formats.ts'
import { entry, euroAccount, openDesk, outcomesOf, waitForFile, waitUntilRead } from '../../support/bank/bank-desk.ts'
import { cases, createPlan, type Telling } from '../../support/bank/tellings.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  createTransaction,
  creditWallet,
  expectVerified,
  startWithWorkers,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Two tellings of a bank: the same booked money, another one, or a doubt for a person. */
const desk = await openDesk()
const api = await startWithWorkers({ ...desk.settings, SVC_BANK_FILE_VALID: '600' })
afterAll(api.stop)

async function read() {
  await waitUntilRead(api, desk)
  const text = 'select from svc.sightings where due_at is not null'
  await eventually(async () => expect(await api.app.database.query({ text })).toEqual([]))
}

async function countOf(table: 'deposits' | 'quarantined_sightings', units: bigint): Promise<number> {
  const text = `select from svc.${table} where amount = $1`
  return (await api.app.database.query({ text, values: [String(units)] })).length
}

test('two tellings are the same money, another one or a doubt, in any order', async () => {
  const planned = createPlan(desk)
  const told = cases.flatMap(([title, one, two, deposits, waiting]) => [
    { title, deposits, waiting, ...planned(one, two) },
    { title: `${title}, the other way round`, deposits, waiting, ...planned(two, one) },
  ])
  for (const round of ['first', 'second'] as const) {
    const of = (kind: Telling['by']) =>
      told.flatMap(({ [round]: { by, statement } }) => (by === kind ? [statement] : []))
    const message = () => ({ messageId: desk.newReference(), createdAt: new Date() })
    await desk.deliver(writeNotification({ ...message(), statements: of('notify') }))
    await desk.deliver(writeStatement({ ...message(), statements: of('state') }))
    await read()
  }
  const counted: unknown[] = []
  for (const { title, amount } of told)
    counted.push([title, await countOf('deposits', amount), await countOf('quarantined_sightings', amount)])
  expect(counted).toEqual(told.map(({ title, deposits, waiting }) => [title, deposits, waiting]))
})

test('references that a bank counts anew each day hold no other payment back', async () => {
  const on = (day: string) => ({ bookingDate: day, valueDate: day, bankReference: '0001' })
  const from = (name: string) => ({ counterparty: { name }, remittance: [`by ${name}`] })
  await desk.state(euroAccount, [entry('CREDIT', 12_101n, from('Ada'), on('2026-11-12'))])
  await desk.state(euroAccount, [entry('CREDIT', 12_102n, from('Bob'), on('2026-11-13'))])
  await read()
  expect(await countOf('deposits', 12_102n)).toBe(1)
  expect(await countOf('quarantined_sightings', 12_102n)).toBe(0)
})

test('a file that notifies the virtual account and the account behind it tells one credit', async () => {
  const references = { uetr: crypto.randomUUID() }
  const statements = ['N-MAIN', 'N-VIRTUAL'].map((statementId) => ({
    statementId,
    account: euroAccount,
    entries: [entry('CREDIT', 11_400n, { references })],
  }))
  await desk.deliver(writeNotification({ messageId: 'TWO-IN-ONE', createdAt: new Date(), statements }))
  await read()
  expect(await countOf('deposits', 11_400n)).toBe(1)
})

test('a reversal under a used statement id takes the deposit that it names, and no other', async () => {
  const on = (day: string) => ({ bookingDate: day, valueDate: day })
  const [first, second] = ['0b6305c9-1f7f-49de-aed0-16487c27b42a', '0b6305c9-1f7f-49de-aed0-16487c27b42b'] as const
  const credit = (amount: bigint, id: string, day: string) =>
    entry('CREDIT', amount, { references: { uetr: id } }, on(day))
  await desk.notify(euroAccount, [credit(14_600n, first, '2026-11-12')], { statementId: '00002' })
  await read()
  await desk.notify(euroAccount, [credit(14_500n, second, '2026-11-16')], { statementId: '00002' })
  await read()
  const reversal = { isReversal: true, ...on('2026-11-17') }
  await desk.notify(euroAccount, [entry('DEBIT', 14_500n, { references: { uetr: second } }, reversal)])
  const text = 'select amount, reversed_amount as reversed from svc.deposits where amount in (14500, 14600) order by 1'
  await eventually(async () =>
    expect(await api.app.database.query({ text })).toEqual([
      { amount: '14500', reversed: '14500' },
      { amount: '14600', reversed: '0' },
    ]),
  )
})

const ada = await makeActive(api, 'DE')
const { bank, wallet } = await makeAccounts(api, ada, 'SEPA')
const { customerId, organizationId } = ada
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 1_000_000_000_000n })

async function send() {
  const from = [wallet, 'USDC', 'BASE', '10.00'] as const
  const { transactionId } = await createTransaction(api, { customerId, from, to: [bank, 'EUR', 'SEPA'] })
  const { reference, amount } = await waitForFile(api, transactionId)
  const references = { endToEndId: reference }
  const debit = (detail: Partial<EntryDetail>, more: Partial<NewEntry>) => entry('DEBIT', amount, detail, more)
  const completed = () => waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
  return { references, amount, debit, completed }
}

test.each([
  ['the word for no reference', 'NONREF'],
  ['a reference that the bank has used for another payment', 'USED-TWICE'],
])('%s does not swallow the confirmation of a payout', async (_, bankReference) => {
  for (const payment of [await send(), await send()]) {
    await desk.state(euroAccount, [payment.debit({ references: payment.references }, { bankReference })])
    await payment.completed()
  }
})

test('a debit that a notification told without our reference confirms once the statement names it', async () => {
  const { references, debit, completed } = await send()
  const bankReference = desk.newReference()
  await desk.notify(euroAccount, [debit({}, { bankReference, details: [] })])
  expect((await outcomesOf(api, desk)).at(-1)).toBe('UNMATCHED')
  await desk.state(euroAccount, [debit({ references }, { bankReference })])
  await completed()
  expect((await outcomesOf(api, desk)).slice(-2)).toEqual(['RESOLVED', 'PAYMENT'])
})

test('a debit that a statement told without our reference confirms once a notification names it, and differs in nothing', async () => {
  const { references, debit, completed } = await send()
  const bankReference = desk.newReference()
  await desk.state(euroAccount, [debit({}, { bankReference, details: [] })])
  expect((await outcomesOf(api, desk)).at(-1)).toBe('UNMATCHED')
  // Told twice without it, the booking is still one.
  await desk.state(euroAccount, [debit({}, { bankReference, details: [] })])
  await desk.notify(euroAccount, [debit({ references }, { bankReference })])
  await completed()
  const { accounts } = await api.app.reconciliation.reconcile()
  const items = accounts.find(({ account }) => account === 'eur-main')?.items ?? []
  expect(items.filter(({ kind, reference }) => kind === 'ENTRY' || reference === references.endToEndId)).toEqual([])
})

test('a return inside a collective credit is a return, and the rest of it a deposit, told in any order', async () => {
  const sent = [await send(), await send()]
  for (const { references, debit, completed } of sent) {
    await desk.notify(euroAccount, [debit({ references }, { bankReference: desk.newReference() })])
    await completed()
  }
  const [first, second] = sent
  if (!first || !second) throw new Error('there are two payments')
  const blank = { charges: [], counterparty: {}, remittance: [], creditorReferences: [] }
  const returned = { return: { reason: { code: 'AC04' } } }
  const mixed = ({ references, amount }: typeof first, other: bigint) =>
    entry(
      'CREDIT',
      amount + other,
      {},
      {
        bankReference: desk.newReference(),
        details: [
          { ...blank, ...returned, references, amount: { currency: 'EUR', units: amount } },
          { ...blank, references: { endToEndId: `OTHER-${other}` }, amount: { currency: 'EUR', units: other } },
        ],
      },
    )
  const single = ({ references, amount }: typeof first) => entry('CREDIT', amount, { references, ...returned })
  await desk.notify(euroAccount, [single(first), mixed(second, 2_346n)])
  await read()
  await desk.state(euroAccount, [mixed(first, 2_345n), single(second)])
  await read()
  const told = { code: 'AC04', effectiveDate: '2026-11-17' }
  await desk.returns(
    sent.map(({ references: { endToEndId: reference }, amount }) => ({
      ...told,
      returnId: desk.newReference(),
      reference,
      amount: { currency: 'EUR', units: amount },
    })),
  )
  await read()
  const open = { text: `select from svc.rail_reports where due_at is not null` }
  await eventually(async () => expect(await api.app.database.query(open)).toEqual([]))
  const payouts = `select status, returned_amount = amount as "isWhole", contradicted_at from svc.payouts
                    where status = 'RETURNED' and purpose = 'PAYOUT'`
  const whole = { status: 'RETURNED', isWhole: true, contradicted_at: null }
  expect(await api.app.database.query({ text: payouts })).toEqual([whole, whole])
  const counts = [first.amount, 2_345n, 2_346n].map((each) => countOf('deposits', each))
  expect(await Promise.all(counts)).toEqual([0, 1, 1])
})

test('a return that is marked in one message alone, or by its code, is no deposit', async () => {
  const sent = [await send(), await send(), await send()]
  for (const { references, debit, completed } of sent) {
    await desk.notify(euroAccount, [debit({ references }, { bankReference: desk.newReference() })])
    await completed()
  }
  const [first, second, third] = sent
  if (!first || !second || !third) throw new Error('there are three payments')
  const returned = { return: { reason: { code: 'AC04' } } }
  const marked = ({ references, amount }: typeof first, bankReference: string) =>
    entry('CREDIT', amount, { references, ...returned }, { bankReference })
  const unmarked = ({ references, amount }: typeof first, more: Partial<NewEntry>) =>
    entry('CREDIT', amount, { references }, more)
  const before = await countOf('quarantined_sightings', first.amount)
  await desk.notify(euroAccount, [marked(first, 'MARKED-1')])
  await desk.state(euroAccount, [unmarked(second, { bankReference: 'MARKED-2' })])
  await desk.state(euroAccount, [unmarked(third, { bankTransactionCode: 'PMNT/ICDT/RRTN' })])
  await read()
  await desk.state(euroAccount, [unmarked(first, { bankReference: 'MARKED-1' })])
  await desk.notify(euroAccount, [marked(second, 'MARKED-2')])
  const amount = { currency: 'EUR' as const, units: third.amount }
  const told = { code: 'AC04', effectiveDate: '2026-11-17', returnId: desk.newReference(), amount }
  await desk.returns([{ ...told, reference: third.references.endToEndId }])
  await read()
  const outcomes = `select payout.status, payout.returned_amount = payout.amount as "isWhole" from svc.payouts as payout
                      join svc.payout_references as named using (payout_id) where named.short_reference = $1`
  const statusOf = ({ references }: typeof first) =>
    api.app.database.query({ text: outcomes, values: [references.endToEndId] })
  const whole = [{ status: 'RETURNED', isWhole: true }]
  await eventually(async () => expect([await statusOf(first), await statusOf(third)]).toEqual([whole, whole]))
  const unmatched = `select from svc.rail_reports where result = 'UNMATCHED' and reference = $1`
  const values = [`return ${second.references.endToEndId}`]
  await eventually(async () => expect(await api.app.database.query({ text: unmatched, values })).toHaveLength(1))
  expect(await countOf('deposits', first.amount)).toBe(0)
  expect((await countOf('quarantined_sightings', first.amount)) - before).toBe(1)
})

test('the books hold', () => expectVerified(api))
