import { afterAll, expect, test } from 'vitest'
import type { NewEntry } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import type { EntryDetail } from '../../../src/transactions/bank-files/formats.ts'
import { entry, euroAccount, openDesk } from '../../support/bank/bank-desk.ts'
import { collective, detail, type Payment, readBookings, single } from '../../support/bank/collective-entries.ts'
import { expectVerified, startWithWorkers } from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Credits that a bank tells one by one in one message, and as one collective entry in another. */
const desk = await openDesk()
const api = await startWithWorkers(desk.settings)
afterAll(api.stop)

const { read, booked, waiting } = readBookings(api, desk)
const bank = () => ({ bankReference: desk.newReference() })

const identities: [string, () => Partial<EntryDetail>][] = [
  ['the bank reference', () => ({ references: bank() })],
  ['a UETR', () => ({ references: { uetr: crypto.randomUUID() } })],
  ['a transaction id', () => ({ references: { transactionId: desk.newReference() } })],
  ['end-to-end id, amount and payer', () => ({ references: { endToEndId: desk.newReference() } })],
]

let units = 100_000n
const nextUnits = () => {
  units += 1n
  return units
}

test.each(identities)(
  'single credits and a collective entry with %s are credited once, in any order',
  async (_, make) => {
    const first = [1, 2].map(() => ({ units: nextUnits(), ...make() }))
    await desk.notify(
      euroAccount,
      first.map((payment) => single(payment)),
    )
    await read()
    await desk.state(euroAccount, [collective(first, bank())])
    const second = [1, 2].map(() => ({ units: nextUnits(), ...make() }))
    await desk.state(euroAccount, [collective(second, bank())])
    await read()
    await desk.notify(
      euroAccount,
      second.map((payment) => single(payment)),
    )
    const amounts = [...first, ...second].map((payment) => payment.units)
    expect((await booked(...amounts)).map(({ amount }) => BigInt(amount))).toEqual(amounts)
    expect(await waiting()).toEqual([])
  },
)

test('a collective entry credits the parts that no message told before', async () => {
  const [known, added] = [1, 2].map(() => ({ units: nextUnits(), references: { transactionId: desk.newReference() } }))
  if (!known || !added) throw new Error('there are two payments')
  await desk.notify(euroAccount, [single(known)])
  await read()
  await desk.state(euroAccount, [collective([known, added], bank())])
  expect(await booked(known.units, added.units)).toHaveLength(2)
  expect(await waiting()).toEqual([])
})

test('a doubtful collective credit waits as a whole, also when two of its parts are equal', async () => {
  const amount = nextUnits()
  const reference = bank()
  const told = (text: string) =>
    collective(
      [1, 2].map((place) => ({ units: amount, references: { endToEndId: `${text}-${place}` } })),
      reference,
    )
  await desk.notify(euroAccount, [told('FIRST')])
  expect(await booked(amount)).toHaveLength(2)
  const equal = [1, 2].map(() => ({ units: amount, references: { endToEndId: 'OTHER' } }))
  await desk.state(euroAccount, [collective(equal, reference)])
  expect(await booked(amount)).toHaveLength(2)
  expect(await waiting()).toEqual([String(amount), String(amount)])
  for (const { quarantineId } of await api.app.quarantinedSightings.list())
    await api.app.quarantinedSightings.accept({ quarantineId, reason: 'the bank has confirmed it' })
  expect(await booked(amount)).toHaveLength(4)
})

test('the reference and amount of a known credit with another end-to-end id wait for a person', async () => {
  const amount = nextUnits()
  const reference = bank()
  await desk.notify(euroAccount, [single({ units: amount, references: { endToEndId: 'ONE' } }, reference)])
  await read()
  await desk.state(euroAccount, [single({ units: amount, references: { endToEndId: 'TWO' } }, reference)])
  expect(await booked(amount)).toHaveLength(1)
  const [open] = await api.app.quarantinedSightings.list()
  expect(open?.amount).toBe(String(amount))
  await api.app.quarantinedSightings.dismiss({ quarantineId: open?.quarantineId ?? '', reason: 'the same one' })
})

const taken = (payment: Payment, more: Partial<NewEntry> = {}) =>
  entry('DEBIT', payment.units, {}, { details: [detail(payment)], isReversal: true, ...more })

const reversedOf = async (...amounts: bigint[]) => (await booked(...amounts)).map(({ reversed }) => BigInt(reversed))

test('a reversal takes back the one transaction of a collective entry that it names', async () => {
  const payments = [1, 2, 3].map(() => ({
    units: nextUnits(),
    references: { endToEndId: desk.newReference(), transactionId: desk.newReference() },
  }))
  const [byNetwork, byPayer, untouched] = payments
  if (!byNetwork || !byPayer || !untouched) throw new Error('there are three payments')
  const reference = bank()
  await desk.state(euroAccount, [collective(payments, reference)])
  await read()
  const { endToEndId } = byPayer.references
  await desk.state(euroAccount, [
    taken(byNetwork, reference),
    taken({ ...byPayer, references: { endToEndId } }),
    // The payer's id with another amount or payer selects nothing.
    taken({ ...byPayer, units: 5n, references: { endToEndId } }),
    taken({ ...byPayer, references: { endToEndId }, counterparty: { name: 'Mallory' } }),
  ])
  await eventually(async () =>
    expect(await reversedOf(...payments.map((each) => each.units))).toEqual([byNetwork.units, byPayer.units, 0n]),
  )
  expect((await api.app.bankFileRecords.count()).unmatched).toBe(2)
})

test('reversals that wait for a deposit stop no others, and are for an operator after a day', async () => {
  const reference = bank()
  const named = (units: bigint) => ({
    units,
    references: { endToEndId: desk.newReference(), transactionId: desk.newReference() },
  })
  const amount = nextUnits()
  await desk.notify(euroAccount, [single(named(amount), reference)])
  await read()
  const doubtful = Array.from({ length: 22 }, () => named(amount))
  await desk.state(
    euroAccount,
    doubtful.map((payment) => single(payment, reference)),
  )
  await read()
  const good = named(nextUnits())
  await desk.notify(euroAccount, [...doubtful.map((payment) => taken(payment)), single(good), taken(good)])
  await eventually(async () => expect(await reversedOf(good.units)).toEqual([good.units]))
  // One of them is accepted: its reversal finds the deposit.
  const [open] = await api.app.quarantinedSightings.list()
  await api.app.quarantinedSightings.accept({ quarantineId: open?.quarantineId ?? '', reason: 'it is another one' })
  await eventually(async () => expect((await reversedOf(amount)).toSorted()).toEqual([0n, amount]))
  const before = (await api.app.bankFileRecords.count()).unmatched
  await api.post('/sandbox/clock', { advance: 'P1DT1M' })
  await eventually(async () => expect((await api.app.bankFileRecords.count()).unmatched).toBe(before + 21))
})

test('the books hold', () => expectVerified(api))
