import { expect, test } from 'vitest'
import { addBank, makePayer, offRamp, type Payer, startBankWorld } from '../../support/bank-files/bank-world.ts'
import {
  advance,
  expectVerified,
  readTransaction,
  type Transaction,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

const { api, folder } = await startBankWorld()
const ach = await makePayer(api, 'ACH')
const sepa = await makePayer(api, 'SEPA')
const wire = await makePayer(api, 'WIRE')

/** Accounts whose last digits tell the sandbox's bank what to do. Their check digits are valid. */
// biome-ignore format: a table is read by column
const endings = {
  '66': { ACH: { accountNumber: '000123450066' }, SEPA: { iban: 'DE58370400440532010066' } },
  '77': { ACH: { accountNumber: '000123450077' }, SEPA: { iban: 'DE52370400440532010077' } },
  '88': { ACH: { accountNumber: '000123450088' }, SEPA: { iban: 'DE46370400440532010088' } },
  '55': { ACH: { accountNumber: '000123450055' }, SEPA: { iban: 'DE64370400440532010055' } },
  '99': { ACH: { accountNumber: '000123450099' }, SEPA: { iban: 'DE40370400440532010099' } },
}

type Ending = keyof typeof endings

const payTo = async (payer: Payer, ending: Ending): Promise<Transaction> =>
  offRamp(api, await addBank(api, payer, endings[ending][payer.rail as 'ACH' | 'SEPA']))

const payers = [
  ['ACH', ach],
  ['SEPA', sepa],
] as const

/** Waits until the bank has the payment in this state: its times count from then. */
const waitForBank = ({ transactionId }: Transaction, status: 'PENDING' | 'BOOKED') => {
  const text = `select payment.status from svc.payouts as payout
                  join svc.payout_references as known on known.payout_id = payout.payout_id
                  join svc.sandbox_bank_payments as payment on payment.reference = known.short_reference
                 where payout.transaction_id = $1 and payout.purpose = 'PAYOUT'`
  return eventually(async () =>
    expect(await api.app.database.query({ text, values: [transactionId] })).toEqual([{ status }]),
  )
}

test.each(payers)('%s: the bank rejects a payment, and the customer gets the money back', async (_, payer) => {
  const paid = await payTo(payer, '66')
  const failed = { transactionStatus: 'FAILED', failureReason: 'destination_refused_funds' }
  await waitForTransaction(api, paid, failed)
})

test.each(payers)('%s: the bank returns a payment a day after it paid', async (rail, payer) => {
  const paid = await payTo(payer, '77')
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  await advance(api, 'P1DT1M')
  const failed = { transactionStatus: 'FAILED', failureReason: 'destination_returned_funds' }
  await waitForTransaction(api, paid, failed)
  const mark = rail === 'ACH' ? /^799R02/m : /pacs\.004\.001/
  await eventually(async () => expect((await folder.read('archive')).some(({ text }) => mark.test(text))).toBe(true))
})

test.each(payers)('%s: a payment stays PROCESSING while the bank says that it is pending', async (_, payer) => {
  const paid = await payTo(payer, '99')
  await waitForBank(paid, 'PENDING')
  await folder.settled()
  expect(await readTransaction(api, paid)).toMatchObject({ transactionStatus: 'PROCESSING' })
  await advance(api, 'PT1H1M')
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
})

test.each(payers)('%s: the statement of the day shows a payment whose notification is lost', async (_, payer) => {
  const paid = await payTo(payer, '88')
  await waitForBank(paid, 'BOOKED')
  await folder.settled()
  expect(await readTransaction(api, paid)).toMatchObject({ transactionStatus: 'PROCESSING' })
  await advance(api, 'P1D')
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
})

test.each(payers)('%s: Svc pays in a new file when the bank rejects a damaged one', async (_, payer) => {
  const before = (await folder.list('sandbox-bank/received')).length
  const paid = await payTo(payer, '55')
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  expect((await folder.list('sandbox-bank/received')).length).toBe(before + 2)
})

test.each(['88', '99'] as const)('the sandbox lets the bank tell now what it has not told: %s', async (ending) => {
  const paid = await offRamp(api, await addBank(api, wire, { accountNumber: `44171200${ending}` }))
  await waitForBank(paid, ending === '88' ? 'BOOKED' : 'PENDING')
  await folder.settled()
  expect(await readTransaction(api, paid)).toMatchObject({ transactionStatus: 'PROCESSING' })
  expect((await api.post(`/sandbox/transactions/${paid.transactionId}/advance`)).status).toBe(200)
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
})

test('the list of scenarios names every ending', async () => {
  const { scenarios } = (await api.get('/sandbox/scenarios')).body
  const named = scenarios.filter(({ where }) => where.startsWith('accountNumber')).map(({ value }) => value)
  expect(named.sort()).toEqual(
    Object.keys(endings)
      .map((digits) => `…00${digits}`)
      .sort(),
  )
})

test('a second copy of a payment file pays nothing, and changes nothing', async () => {
  const paid = await offRamp(api, sepa, '110')
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  const [file] = (await folder.read('sandbox-bank/received')).slice(-1)
  const rejections = async () => (await folder.having('archive', 'DU01')).length
  const before = await rejections()
  await folder.put('outgoing', 'copy.xml', file?.text ?? '')
  await eventually(async () => expect(await rejections()).toBe(before + 1))
  await folder.settled()
  expect(await readTransaction(api, paid)).toMatchObject({ transactionStatus: 'COMPLETED' })
})

test('the sandbox returns a payout with the code of the caller, once for a key', async () => {
  const paid = await offRamp(api, ach)
  const body = { transactionId: paid.transactionId, code: 'R03' }
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  const iso = await api.post('/sandbox/bank/returns', { ...body, code: 'AC04' })
  expect(iso).toMatchObject({ status: 400, body: { details: [{ field: 'code' }] } })
  const key = { headers: { 'x-idempotency-key': 'return once' } }
  for (const replayed of [null, 'true']) {
    const answer = await api.post('/sandbox/bank/returns', body, key)
    expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([200, replayed])
  }
  await waitForTransaction(api, paid, { transactionStatus: 'FAILED', failureReason: 'destination_returned_funds' })
  expect(await api.post('/sandbox/bank/returns', body)).toMatchObject({ status: 409, body: { error: 'CONFLICT' } })
  expect((await folder.read('archive')).filter(({ text }) => /^799R03/m.test(text))).toHaveLength(1)
})

test('a notification of change leaves the payment as it is, and an operator reads the correction', async () => {
  const paid = await offRamp(api, ach)
  await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  const answer = await api.post('/sandbox/bank/returns', { transactionId: paid.transactionId, code: 'C01' })
  expect(answer.status).toBe(200)
  await eventually(async () =>
    expect((await folder.read('archive')).filter(({ text }) => /^798C01/m.test(text))).toHaveLength(1),
  )
  expect(await api.app.bankChanges.listAll()).toMatchObject([
    { code: 'C01', isRefused: false, payoutId: expect.any(String), correction: expect.stringMatching(/^\d+0001$/) },
  ])
  expect(await readTransaction(api, paid)).toMatchObject({ transactionStatus: 'COMPLETED' })
})

test('after the statements of all these days every file is read, and the books agree', async () => {
  await advance(api, 'P2D')
  await eventually(async () => expect((await folder.having('archive', 'camt.053.001')).length).toBeGreaterThan(3))
  await folder.settled()
  expect(await folder.list('quarantine')).toEqual([])
  await expectVerified(api)
})
