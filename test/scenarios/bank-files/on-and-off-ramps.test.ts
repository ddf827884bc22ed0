import { expect, test } from 'vitest'
import {
  makePayer,
  offRamp,
  onRamp,
  type Rail,
  railFacts,
  startBankWorld,
} from '../../support/bank-files/bank-world.ts'
import {
  advance,
  expectVerified,
  sendDeposit,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

const { api, folder } = await startBankWorld()

/** The marks of the payment file of each rail: a NACHA file, or the codes of a pain.001. */
// biome-ignore format: a table is read by column
const rails: [rail: Rail, marks: RegExp[]][] = [
  ['ACH',               [/^101 /, /^5220/m, /^622/m, /^8220/m, /^9000001/m]],
  ['WIRE',              [/pain\.001\.001\.09/, /<MmbId>026009593<\/MmbId>/]],
  ['SEPA',              [/pain\.001\.001\.09/, /<Cd>SEPA<\/Cd>/, /<IBAN>DE89370400440532013000<\/IBAN>/]],
  ['CA_INTERAC',        [/pain\.001\.001\.09/, /Ccy="CAD"/]],
  ['IN_NEFT_RTGS_IMPS', [/pain\.001\.001\.09/, /Ccy="INR"/, /HDFC0000123/]],
]

test.each(rails)('money comes in and goes out by %s, with files on both sides', async (rail, marks) => {
  const payer = await makePayer(api, rail)
  const awaiting = await onRamp(api, payer)
  const reference = transferReference(awaiting) ?? ''
  const { currency } = railFacts[rail]
  const sent = await sendDeposit(api, payer.bank, { amount: '500.00', currency, rail, reference })
  await waitForDeposit(api, sent, { depositStatus: 'APPLIED', amount: '500.00', paymentMethod: rail })
  await waitForTransaction(api, awaiting, { transactionStatus: 'COMPLETED' })
  await expectShownBy(rail, awaiting.transactionId)
  const [notification] = await eventually(async () => {
    const found = await folder.having('archive', reference)
    expect(found).toHaveLength(1)
    return found
  })
  expect(notification?.text).toContain('camt.054.001')

  const paid = await offRamp(api, payer)
  const { destination } = await waitForTransaction(api, paid, { transactionStatus: 'COMPLETED' })
  expect(destination.destinationReferenceId).not.toBe('')
  const files = await folder.read('sandbox-bank/received')
  const file = files.find(({ text }) => marks.every((mark) => mark.test(text)))
  expect(file, 'the payment file of the rail').toBeDefined()
  await folder.settled()
})

/** Expects that the list, its filter and the timeline show the rail that the bank named. */
async function expectShownBy(rail: Rail, transactionId: string): Promise<void> {
  for (const [wanted] of rails) {
    const { deposits } = (await api.get(`/deposits?transactionId=${transactionId}&rail=${wanted}`)).body
    expect(deposits.map(({ paymentMethod }) => paymentMethod)).toEqual(wanted === rail ? [rail] : [])
  }
  const { entries } = (await api.get(`/transactions/${transactionId}/timeline`)).body
  const arrived = entries.filter(({ kind }) => kind === 'DEPOSIT')
  expect(arrived.map(({ details }) => details.method)).toEqual([rail])
}

test('the statement of the day tells the same entries again, and nothing is booked twice', async () => {
  const count = async () => (await api.get('/deposits?pageSize=100')).body.deposits.length
  const before = await count()
  await advance(api, 'P1D')
  await eventually(async () => expect(await folder.having('archive', 'camt.053.001')).toHaveLength(4))
  await folder.settled()
  expect(await count()).toBe(before)
  expect(await folder.list('quarantine')).toEqual([])
  await expectVerified(api)
})
