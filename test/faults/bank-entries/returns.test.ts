import { afterAll, expect, test } from 'vitest'
import type { NewEntry } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import {
  entry,
  euroAccount,
  openDesk,
  type SentPayment,
  waitForFile,
  waitUntilRead,
} from '../../support/bank/bank-desk.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  createTransaction,
  creditWallet,
  expectVerified,
  startWithWorkers,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Payments that banks give back: in parts, less fees, in other currencies, under cut references, or by mistake. */
const desk = await openDesk()
const api = await startWithWorkers({ ...desk.settings, SVC_BANK_FILE_VALID: '600' })
afterAll(api.stop)
const ada = await makeActive(api, 'DE')
const { bank, wallet } = await makeAccounts(api, ada, 'SEPA')
const { customerId, organizationId } = ada
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 1_000_000_000_000n })

type Paid = SentPayment & { transactionId: string; paidBy: string }

/** A payment that a booked debit has paid. */
async function pay(): Promise<Paid> {
  const sent = await begin()
  const paidBy = desk.newReference()
  await desk.notify(euroAccount, [debit(sent, { bankReference: paidBy })])
  await waitForTransaction(api, sent, { transactionStatus: 'COMPLETED' })
  return { ...sent, paidBy }
}

/** A payment that has left in a file. */
async function begin() {
  const from = [wallet, 'USDC', 'BASE', '10.00'] as const
  const { transactionId } = await createTransaction(api, { customerId, from, to: [bank, 'EUR', 'SEPA'] })
  return { ...(await waitForFile(api, transactionId)), transactionId }
}

const debit = ({ reference, amount }: SentPayment, more: Partial<NewEntry>) =>
  entry('DEBIT', amount, { references: { endToEndId: reference } }, more)

const returned = { return: { reason: { code: 'AC04' } } }

const credit = ({ reference }: SentPayment, units: bigint, more: Partial<NewEntry> = {}) =>
  entry('CREDIT', units, { references: { endToEndId: reference }, ...returned }, { ...own(), ...more })

const own = () => ({ bankReference: desk.newReference() })

const message = (reference: string, units: bigint, currency: 'EUR' | 'INR' = 'EUR', returnId = desk.newReference()) =>
  desk.returns([{ returnId, reference, code: 'AC04', effectiveDate: '2026-11-17', amount: { currency, units } }])

/** Lets every file and every report be applied. */
async function applied() {
  await waitUntilRead(api, desk)
  const text = `select from svc.rail_reports where due_at is not null`
  await eventually(async () => expect(await api.app.database.query({ text })).toEqual([]))
}

async function payoutOf({ transactionId }: Pick<Paid, 'transactionId'>) {
  await applied()
  const text = `select payout_id as "payoutId", status, coalesce(returned_amount, 0)::text as returned,
                       contradicted_at is not null as "isContradicted"
                  from svc.payouts where transaction_id = $1 and purpose = 'PAYOUT'`
  type Found = { payoutId: string; status: string; returned: string; isContradicted: boolean }
  const [payout] = await api.app.database.query<Found>({ text, values: [transactionId] })
  if (!payout) throw new Error('there is no payout')
  return payout
}

const unmatched = async () => (await api.app.unmatchedReports.list()).filter(({ state }) => state === 'UNMATCHED')

/** A message ("M") and entries ("E") of one return, in the order in which they come, and what they return. */
test.each<[string, string, string, boolean?]>([
  ['a part that is no fee', 'M400 E100 E400', '500'],
  ['a small part before the whole', 'M400 E390 E400', '790'],
  ['the entry less a fee before its message', 'E390 M400', '390'],
  ['an exact entry after an entry less a fee and the message', 'E390 M400 E400', '790'],
  ['an exact message after one with a fee', 'E390 M400 M390', '790'],
  ['two messages and their entries, each less a fee', 'M300 M310 E295 E305', '610'],
  ['more than was paid', 'M900 E500', '900', true],
])('%s (%s) returns %s', async (_, order, expected, isAlarm = false) => {
  const sent = await pay()
  for (const [kind, ...digits] of order.split(' ')) {
    const units = BigInt(digits.join(''))
    await (kind === 'M' ? message(sent.reference, units) : desk.state(euroAccount, [credit(sent, units)]))
    await applied()
  }
  const { returned: total, isContradicted } = await payoutOf(sent)
  expect([total, isContradicted]).toEqual([expected, isAlarm])
})

test('a return in another currency books nothing, not even when an operator applies it', async () => {
  const sent = await pay()
  await message(sent.reference, sent.amount, 'INR')
  expect(await payoutOf(sent)).toMatchObject({ status: 'CONFIRMED', returned: '0' })
  const [open] = await unmatched()
  expect(open?.content).toMatchObject({ currency: 'INR', amount: String(sent.amount), reason: 'AC04' })
  await apply(open, sent)
  expect(await payoutOf(sent)).toMatchObject({ status: 'CONFIRMED', returned: '0', isContradicted: true })
})

async function apply(open: { rail: string; reportId: string } | undefined, sent: Paid) {
  if (!open) throw new Error('there is no unmatched report')
  const { payoutId } = await payoutOf(sent)
  const { rail, reportId } = open
  expect(await api.app.unmatchedReports.apply({ rail, reportId, payoutId, reason: 'the bank has cut it' })).toBe(true)
}

test('returns under cut references and one id of the bank are booked by an operator, and once', async () => {
  const [one, two] = [await pay(), await pay()]
  await message(one.reference.slice(0, 12), 400n, 'EUR', '1')
  await applied()
  await message(two.reference.slice(0, 11), 300n, 'EUR', '1')
  await applied()
  const open = await unmatched()
  expect(open.map(({ content }) => (content as { amount: string }).amount)).toEqual(['400', '300'])
  await apply(open[0], one)
  await apply(open[1], two)
  // The statement names the whole reference: the same returns.
  await desk.state(euroAccount, [credit(one, 400n), credit(two, 300n)])
  expect([await payoutOf(one), await payoutOf(two)]).toMatchObject([{ returned: '400' }, { returned: '300' }])
  expect(await unmatched()).toEqual([])
})

/** A credit with which the bank takes a debit back, and which names that debit by its reference. */
const reversal = (sent: SentPayment, more: Partial<NewEntry>): NewEntry => ({
  ...debit(sent, more),
  direction: 'CREDIT',
  isReversal: true,
})

test('a reversal that comes before its debit waits for it: it returns the payment, or ends a second debit', async () => {
  const sent = await pay()
  const second = own()
  // A code for returns is no proof: the bank corrects its own debits under it, too.
  await desk.notify(euroAccount, [reversal(sent, { ...second, bankTransactionCode: 'PMNT/ICDT/RPCR' })])
  expect(await payoutOf(sent)).toMatchObject({ status: 'CONFIRMED', returned: '0' })
  expect(await unmatched()).toMatchObject([{ reference: `return ${sent.reference}` }])
  await desk.notify(euroAccount, [debit(sent, second)])
  expect(await payoutOf(sent)).toMatchObject({ status: 'CONFIRMED', returned: '0', isContradicted: false })
  const early = await begin()
  const first = own()
  await desk.state(euroAccount, [reversal(early, first), debit(early, first)])
  await eventually(async () =>
    expect(await payoutOf(early)).toMatchObject({ status: 'RETURNED', returned: String(early.amount) }),
  )
  expect(await unmatched()).toEqual([])
})

test('a return that an operator applied counts once, whichever message tells it then', async () => {
  const sent = await pay()
  await desk.state(euroAccount, [{ ...reversal(sent, own()), amount: { currency: 'EUR', units: 400n } }])
  await applied()
  await apply((await unmatched())[0], sent)
  await message(sent.reference, 400n)
  expect(await payoutOf(sent)).toMatchObject({ returned: '400' })
  const twice = await pay()
  await desk.notify(euroAccount, [debit(twice, own())])
  await applied()
  await message(twice.reference, 300n)
  await desk.state(euroAccount, [credit(twice, 300n)])
  await applied()
  const open = await unmatched()
  expect(open).toHaveLength(2)
  for (const each of open) await apply(each, twice)
  expect(await payoutOf(twice)).toMatchObject({ returned: '300' })
  expect(await unmatched()).toEqual([])
})

test('the bank takes its own second debit back: nothing is returned, and the alarm ends', async () => {
  const sent = await pay()
  const [second, third] = [own(), own()]
  await desk.notify(euroAccount, [debit(sent, second), debit(sent, third)])
  expect(await payoutOf(sent)).toMatchObject({ isContradicted: true })
  await desk.notify(euroAccount, [reversal(sent, second)])
  expect(await payoutOf(sent)).toMatchObject({ status: 'CONFIRMED', returned: '0', isContradicted: true })
  // Which one it takes back is not certain: an operator decides.
  await desk.notify(euroAccount, [reversal(sent, own())])
  expect(await payoutOf(sent)).toMatchObject({ status: 'CONFIRMED', returned: '0' })
  expect(await unmatched()).toMatchObject([{ reference: `return ${sent.reference}` }])
  await desk.state(euroAccount, [reversal(sent, third)])
  expect(await payoutOf(sent)).toMatchObject({ status: 'CONFIRMED', returned: '0', isContradicted: false })
  const text = `select outcome, count(*)::int from svc.bank_entries where bank_reference = any($1) group by 1 order by 1`
  const values = [[second.bankReference, third.bankReference]]
  expect(await api.app.database.query({ text, values })).toEqual([
    { outcome: 'RESOLVED', count: 2 },
    { outcome: 'REVERSAL', count: 2 },
  ])
})

test('the books hold', () => expectVerified(api))
