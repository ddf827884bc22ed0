import { expect, test } from 'vitest'
import type { NewEntry } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import type { DetailReferences, EntryDetail } from '../../../src/transactions/bank-files/formats.ts'
import { entry, euroAccount } from '../../support/bank/bank-desk.ts'
import { collective, readBookings } from '../../support/bank/collective-entries.ts'
import { startEuroWorld } from '../../support/bank/euro-world.ts'
import { expectVerified, readTransaction, waitForTransaction } from '../../support/money/transactions.ts'

/** A bank that numbers its notifications and its statements separately: one credit has two references of the bank. */
const { desk, api, order, openAutoAccount } = await startEuroWorld()
const { read, booked } = readBookings(api, desk)
const payer = { name: 'Ada Approve', account: { iban: 'DE89370400440532013000' } }

type Kind = 'notify' | 'state'
const orders: [Kind, Kind][] = [
  ['notify', 'state'],
  ['state', 'notify'],
]

/** Tells credits with references of the bank that no other message has. */
async function tell(kind: Kind, units: bigint, details: Partial<EntryDetail>[], more: Partial<NewEntry> = {}) {
  const own = () => ({ bankReference: desk.newReference(), ...more })
  await desk[kind](
    euroAccount,
    details.map((detail) => entry('CREDIT', units, { counterparty: payer, ...detail }, own())),
  )
  await read()
}

/** The number of deposits and of quarantined entries with an amount, and of refunds that no person has decided. */
async function countOf(units: bigint) {
  const text = `select (select count(*)::int from svc.deposits where amount = $1 and status <> 'ASSIGNED') as deposits,
                       (select count(*)::int from svc.quarantined_sightings where amount = $1) as waiting,
                       (select count(*)::int from svc.payouts where purpose = 'REFUND') as refunds`
  await read()
  return (await api.app.database.query({ text, values: [units] }))[0]
}

let amounts = 20_000n
function nextAmount() {
  amounts += 100n
  return { units: amounts, amount: `${amounts / 100n}.00` }
}

const tellings: [string, (message: string) => [Partial<EntryDetail>, Partial<EntryDetail>]][] = [
  [
    'an id of the payer',
    (message) => {
      const told = { references: { endToEndId: `E-${message}` }, remittance: [message] }
      return [told, told]
    },
  ],
  ['no id', (message) => [{ remittance: [message] }, { remittance: [message] }]],
  ['no id, the text in other words', (message) => [{ remittance: [message] }, { remittance: ['SVWZ+', message] }]],
  ['no id, no payer in one', (message) => [{ remittance: [message] }, { remittance: [message], counterparty: {} }]],
]

for (const [first, second] of orders)
  test.each(tellings)(
    `%s: ${first}, then ${second} is one deposit, and the doubt waits for a person`,
    async (_, of) => {
      const { units, amount } = nextAmount()
      const { transaction, message } = await order(amount)
      const [one, two] = of(message)
      await tell(first, units, [one])
      await waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })
      const bankReference = desk.newReference()
      // The bank repeats it: the doubt is the same one.
      for (let times = 0; times < 2; times += 1) {
        await tell(second, units, [two], { bankReference })
        expect(await countOf(units)).toEqual({ deposits: 1, waiting: 1, refunds: 0 })
      }
      expect(await readTransaction(api, transaction)).not.toHaveProperty('refundStatus')
    },
  )

const virtual = await openAutoAccount()
const otherVirtual = await openAutoAccount()

test.each(orders)('a virtual account: %s, then %s is one conversion', async (first, second) => {
  const { units } = nextAmount()
  for (const kind of [first, second]) await tell(kind, units, [{ ownAccount: virtual }])
  expect(await countOf(units)).toEqual({ deposits: 1, waiting: 1, refunds: 0 })
  const text = 'select from svc.deposits where amount = $1 and transaction_id is not null'
  expect(await api.app.database.query({ text, values: [units] })).toHaveLength(1)
})

const bare: Partial<EntryDetail> = { counterparty: {} }
const unlike: [string, Partial<EntryDetail>, Partial<EntryDetail>][] = [
  ['the text in other words', { remittance: ['rent'] }, { remittance: ['SVWZ+rent'] }],
  ['one telling is bare', bare, { remittance: ['rent'] }],
  ['one telling has only a text', { ...bare, remittance: ['rent'] }, {}],
  ['texts that differ, no payer in one', { ...bare, remittance: ['rent'] }, { remittance: ['rent EREF NOTPROVIDED'] }],
]

for (const [first, second] of orders)
  for (const days of [['2026-11-16'], ['2026-11-14', '2026-11-16']] as const)
    test.each(unlike)(`a virtual account, %s, ${first} and ${second} of ${days}`, async (_, one, two) => {
      const { units } = nextAmount()
      await tell(first, units, [{ ...one, ownAccount: virtual }], { bookingDate: days[0] })
      await tell(second, units, [{ ...two, ownAccount: virtual }], { bookingDate: days[1] ?? days[0] })
      expect(await countOf(units)).toEqual({ deposits: 1, waiting: 1, refunds: 0 })
    })

test.each(orders)('a virtual account, one telling without a reference: %s, then %s', async (first, second) => {
  const { units } = nextAmount()
  await desk[first](euroAccount, [entry('CREDIT', units, { ownAccount: virtual }, { bookingDate: '2026-11-14' })])
  await read()
  await tell(second, units, [{ ownAccount: virtual, remittance: ['rent'] }])
  expect(await countOf(units)).toEqual({ deposits: 1, waiting: 1, refunds: 0 })
})

test.each(orders)('a bare telling of one day, and one with the message: %s, then %s', async (first, second) => {
  const { units, amount } = nextAmount()
  const { message } = await order(amount)
  await tell(first, units, [bare])
  await tell(second, units, [{ remittance: [message] }])
  expect(await countOf(units)).toMatchObject({ deposits: 1, waiting: 1 })
})

test.each(orders)('the id of a batch in one, an end-to-end id in the other: %s, then %s', async (first, second) => {
  const { units } = nextAmount()
  const batch = { batch: { paymentInformationId: 'PAYROLL', count: 1 } }
  const named = { references: { endToEndId: 'E-RENT' } }
  await tell(first, units, [{ remittance: ['rent'] }], batch)
  await tell(second, units, [{ remittance: ['rent'], ...named }])
  expect(await countOf(units)).toMatchObject({ deposits: 1, waiting: 1 })
})

test.each(orders)('a bank with one numbering, to a virtual account each day: %s, then %s', async (first, second) => {
  const { units } = nextAmount()
  const days = ['2026-11-12', '2026-11-13', '2026-11-13'].map((bookingDate, at) => {
    const detail = { ownAccount: virtual, counterparty: payer, remittance: [`day ${at}`] }
    return entry('CREDIT', units, detail, { bookingDate, bankReference: desk.newReference() })
  })
  // The second kind comes late: all payments are known by then.
  for (const kind of [first, second])
    for (const each of days) {
      await desk[kind](euroAccount, [each])
      await read()
    }
  expect(await countOf(units)).toMatchObject({ deposits: 3, waiting: 0 })
  // The next payments arrive in both kinds, day by day.
  for (const bookingDate of ['2026-11-14', '2026-11-16']) {
    const next = entry('CREDIT', units, { ownAccount: virtual }, { bookingDate, bankReference: desk.newReference() })
    for (const kind of [first, second]) {
      await desk[kind](euroAccount, [next])
      await read()
    }
  }
  expect(await countOf(units)).toMatchObject({ deposits: 5, waiting: 0 })
})

test.each([
  ['payers', { counterparty: { name: 'Bob Builder' } }],
  ['end-to-end ids', { references: { endToEndId: 'E2' } }],
])('other %s to one virtual account tell another payment', async (_, other) => {
  const { units } = nextAmount()
  const one = { ownAccount: virtual, references: { endToEndId: 'E1' } }
  const isNamed = 'references' in other
  await tell('notify', units, [isNamed ? one : { ownAccount: virtual }])
  await tell('state', units, [{ ...(isNamed ? one : { ownAccount: virtual }), ...other }])
  expect(await countOf(units)).toMatchObject({ deposits: 2, waiting: 0 })
})

test.each(orders)('one payer to two virtual accounts: %s, then %s', async (first, second) => {
  const { units } = nextAmount()
  await tell(first, units, [{ ownAccount: virtual, remittance: ['rent'] }])
  await tell(second, units, [{ ownAccount: otherVirtual, remittance: ['rent'] }])
  expect(await countOf(units)).toMatchObject({ deposits: 2, waiting: 0 })
})

test.each(orders)('booking days that differ: %s, then %s', async (first, second) => {
  const { units } = nextAmount()
  const { message } = await order('500.00')
  await tell(first, units, [{ remittance: [message] }], { bookingDate: '2026-11-14' })
  await tell(second, units, [{ remittance: [message] }], { bookingDate: '2026-11-16' })
  expect(await countOf(units)).toMatchObject({ deposits: 1, waiting: 1 })
})

test.each(orders)('a transaction of a collective entry: %s, then %s', async (first, second) => {
  const { units } = nextAmount()
  const other = nextAmount().units
  const detail = { counterparty: payer, remittance: ['rent'] }
  const parts = [units, other].map((each) => ({
    units: each,
    ...detail,
    references: { bankReference: desk.newReference() },
  }))
  const tellAll = {
    notify: () => desk.notify(euroAccount, [collective(parts)]),
    state: () => tell('state', units, [detail]),
  }
  for (const kind of [first, second]) {
    await tellAll[kind]()
    await read()
  }
  expect(await countOf(units)).toMatchObject({ deposits: 1, waiting: 1 })
  expect(await booked(other)).toHaveLength(1)
})

test.each(orders)('two payments of one payer with one text and day: %s, then %s', async (first, second) => {
  const { units } = nextAmount()
  const text = { remittance: ['the same text'] }
  await tell(first, units, [text, text])
  expect(await countOf(units)).toMatchObject({ deposits: 2, waiting: 0 })
  await tell(second, units, [text, text])
  expect(await countOf(units)).toMatchObject({ deposits: 2, waiting: 2 })
})

test.each(orders)(
  'a bank with one numbering pairs two such payments one for one: %s, then %s',
  async (first, second) => {
    const { units } = nextAmount()
    const detail = { counterparty: payer, remittance: ['the same text'] }
    const [one, two] = [desk.newReference(), desk.newReference()].map((bankReference) =>
      entry('CREDIT', units, detail, { bankReference }),
    ) as [NewEntry, NewEntry]
    for (const [kind, entries] of [
      [first, [one, two]],
      [second, [two, one]],
    ] as [Kind, NewEntry[]][]) {
      await desk[kind](euroAccount, entries)
      await read()
    }
    expect(await countOf(units)).toMatchObject({ deposits: 2, waiting: 0 })
    // A third payment is another one: both others are paired.
    await tell(second, units, [detail])
    expect(await countOf(units)).toMatchObject({ deposits: 3, waiting: 0 })
  },
)

test.each([
  ['payers', { counterparty: { name: 'Bob Builder' } }],
  ['texts', { remittance: ['February'] }],
  ['end-to-end ids', { references: { endToEndId: 'E2' } }],
  ['transaction ids', { references: { endToEndId: 'E3', transactionId: 'T2' } }],
])('other %s tell another payment', async (_, other) => {
  const { units } = nextAmount()
  const references: DetailReferences =
    'references' in other && 'transactionId' in other.references
      ? { endToEndId: 'E3', transactionId: 'T1' }
      : { endToEndId: 'E1' }
  const one = { remittance: ['January'], ...('references' in other ? { references } : {}) }
  await tell('notify', units, [one])
  await tell('state', units, [{ ...one, ...other }])
  expect(await countOf(units)).toMatchObject({ deposits: 2, waiting: 0 })
})

test('the books hold', () => expectVerified(api))
