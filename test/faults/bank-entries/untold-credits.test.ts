import { afterAll, expect, test } from 'vitest'
import type { NewEntry } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import type { EntryDetail } from '../../../src/transactions/bank-files/formats.ts'
import { entry, euroAccount, openDesk } from '../../support/bank/bank-desk.ts'
import { collective, detail, type Payment, readBookings, single } from '../../support/bank/collective-entries.ts'
import { expectVerified, startWithWorkers } from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Collective entries whose message does not tell their transactions, and reversals of whole collective entries. */
const desk = await openDesk()
const api = await startWithWorkers(desk.settings)
afterAll(api.stop)

const { read, booked, waiting } = readBookings(api, desk)
const bank = () => ({ bankReference: desk.newReference() })

let units = 100_000n
const nextUnits = () => {
  units += 1n
  return units
}

const taken = (payment: Payment, more: Partial<NewEntry> = {}) =>
  entry('DEBIT', payment.units, {}, { details: [detail(payment)], isReversal: true, ...more })

const reversedOf = async (...amounts: bigint[]) => (await booked(...amounts)).map(({ reversed }) => BigInt(reversed))

/** A collective entry as banks write it that send the transactions in another message. */
const opaque = (payments: readonly Payment[], more: Partial<NewEntry> = {}) => ({
  ...collective(payments, more),
  details: [],
  ...('batch' in more ? {} : { batch: { count: payments.length } }),
})

const fresh = (count: number, make: () => Partial<EntryDetail> = () => ({})) =>
  Array.from({ length: count }, () => ({ units: nextUnits(), ...make() }))

const amountsOf = (payments: readonly Payment[]) => payments.map((payment) => payment.units)
const sumOf = (payments: readonly Payment[]) => payments.reduce((sum, payment) => sum + payment.units, 0n)

let days = 0
/** A day of its own, so that only the entries of one test can be the same. */
const nextDay = () => {
  days += 1
  const date = `2026-10-${String(days).padStart(2, '0')}`
  return { bookingDate: date, valueDate: date }
}

async function withoutDoubt(act: () => Promise<void>) {
  const before = await waiting()
  await act()
  await read()
  expect(await waiting()).toEqual(before)
}

const joined: [string, (batch: string) => { one: Partial<EntryDetail>; all: Partial<NewEntry> }][] = [
  [
    'its batch',
    (id) => ({
      one: { references: { paymentInformationId: id } },
      all: { batch: { paymentInformationId: id, count: 3 } },
    }),
  ],
  ['its number and sum', () => ({ one: {}, all: {} })],
]

test.each(joined)('single credits explain a collective entry without details by %s, in any order', async (_, name) => {
  for (const order of ['singles first', 'singles last']) {
    const day = nextDay()
    const { one, all } = name(desk.newReference())
    const payments = fresh(3, () => one)
    // Money of another day or batch explains nothing.
    const notify = () =>
      desk.notify(euroAccount, [
        ...payments.map((payment) => single(payment, { ...day, ...bank() })),
        single({ units: 3n }, { ...nextDay(), ...bank() }),
      ])
    const state = () => desk.state(euroAccount, [opaque(payments, { ...day, ...bank(), ...all })])
    await withoutDoubt(async () => {
      for (const deliver of order === 'singles first' ? [notify, state] : [state, notify]) {
        await deliver()
        await read()
        expect(await booked(sumOf(payments))).toEqual([])
      }
    })
    expect(await booked(...amountsOf(payments))).toHaveLength(3)
  }
})

test.each(['before', 'after'])('other credits of the day do not explain a collective entry %s them', async (place) => {
  const day = nextDay()
  const singles = fresh(2).map((payment) => ({ payment, reference: bank() }))
  const told = singles.map(({ payment, reference }) => single(payment, { ...day, ...reference }))
  const [first, second] = singles.map(({ payment }) => payment)
  if (!first || !second) throw new Error('there are two payments')
  await desk.notify(euroAccount, told)
  await read()
  const before = await waiting()
  // The bank booked a batch of the same number and sum, which no notification has told.
  const batch = opaque([first, second], { ...day, ...bank() })
  await desk.state(euroAccount, place === 'before' ? [batch, ...told] : [...told, batch])
  expect(await booked(first.units, second.units, batch.amount.units)).toHaveLength(2)
  expect(await waiting()).toEqual([...before, String(batch.amount.units)])
})

test('details that come after a collective entry without them are credited, and the entry is explained', async () => {
  const day = { ...nextDay(), ...bank() }
  const payments = fresh(2, () => ({ references: { transactionId: desk.newReference() } }))
  await withoutDoubt(async () => {
    await desk.state(euroAccount, [opaque(payments, day)])
    await read()
    await desk.notify(euroAccount, [collective(payments, day)])
  })
  expect(await booked(...amountsOf(payments), sumOf(payments))).toHaveLength(2)
})

test('a collective entry that single credits explain only in part waits for a person', async () => {
  const day = nextDay()
  const [told, untold] = fresh(2)
  if (!told || !untold) throw new Error('there are two payments')
  await desk.notify(euroAccount, [single(told, { ...day, ...bank() })])
  await read()
  const before = await waiting()
  await desk.state(euroAccount, [opaque([told, untold], { ...day, ...bank() })])
  expect(await booked(told.units, untold.units, told.units + untold.units)).toHaveLength(1)
  expect(await waiting()).toEqual([...before, String(told.units + untold.units)])
})

test('an entry without details or number is new money only if it cannot be the sum of known credits', async () => {
  const day = nextDay()
  const payments = fresh(2)
  await desk.notify(
    euroAccount,
    payments.map((payment) => single(payment, { ...day, ...bank() })),
  )
  await read()
  const before = await waiting()
  const plain = (units: bigint) => entry('CREDIT', units, {}, { ...day, ...bank(), details: [] })
  await desk.state(euroAccount, [plain(sumOf(payments)), plain(sumOf(payments) + 1n)])
  expect(await booked(...amountsOf(payments), sumOf(payments), sumOf(payments) + 1n)).toHaveLength(3)
  expect(await waiting()).toEqual([...before, String(sumOf(payments))])
  // A smaller credit of that day may be a part of the one that is in the books.
  const [part] = fresh(1)
  if (!part) throw new Error('there is a payment')
  await desk.notify(euroAccount, [single(part, { ...day, ...bank() })])
  expect(await booked(part.units)).toEqual([])
  expect(await waiting()).toEqual([...before, String(sumOf(payments)), String(part.units)])
})

test('the reversal of a whole collective entry takes all its parts back, or is for an operator', async () => {
  const reference = bank()
  const payments = fresh(2, () => ({ references: { transactionId: desk.newReference() } }))
  await desk.state(euroAccount, [collective(payments, reference)])
  await read()
  const whole = (more: Partial<NewEntry>, details: EntryDetail[] = []) =>
    entry('DEBIT', sumOf(payments), {}, { isReversal: true, details, ...more })
  await desk.state(euroAccount, [whole(reference)])
  await eventually(async () => expect(await reversedOf(...amountsOf(payments))).toEqual(amountsOf(payments)))

  const named = fresh(2, () => ({ references: { transactionId: desk.newReference() } }))
  await desk.notify(
    euroAccount,
    named.map((payment) => single(payment, bank())),
  )
  await read()
  await desk.state(euroAccount, [entry('DEBIT', sumOf(named), {}, { isReversal: true, details: named.map(detail) })])
  await eventually(async () => expect(await reversedOf(...amountsOf(named))).toEqual(amountsOf(named)))

  const other = bank()
  const touched = fresh(2, () => ({ references: { transactionId: desk.newReference() } }))
  const [first] = touched
  if (!first) throw new Error('there are two payments')
  await desk.state(euroAccount, [collective(touched, other)])
  await read()
  await desk.state(euroAccount, [taken(first)])
  await eventually(async () => expect(await reversedOf(first.units)).toEqual([first.units]))
  await desk.state(euroAccount, [
    entry('DEBIT', sumOf(touched), {}, { isReversal: true, details: [], ...other }),
    entry('DEBIT', 77n, {}, { isReversal: true, details: [], bankReference: 'NEVER-HEARD' }),
  ])
  await read()
  expect(await reversedOf(...amountsOf(touched))).toEqual([first.units, 0n])
  const reasons = (await api.app.bankFileRecords.listUnmatched()).map(({ reason }) => reason)
  expect(reasons).toContain('it reverses a collective entry of which a part was reversed before')
  expect(reasons).toContain('it reverses a credit that is not known')
})

test('the books hold', () => expectVerified(api))
