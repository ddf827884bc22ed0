import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { readRange } from '../../../src/lib/settings/bank.ts'
import { readCoordinates } from '../../../src/payment-accounts/bank-accounts/bank-coordinates.ts'
import { issueCoordinates } from '../../../src/payment-accounts/bank-accounts/virtual-account-store.ts'
import { createVirtualAccounts } from '../../../src/transactions/treasury/virtual-accounts.ts'
import { askVirtual, makePayer, type Payer, railFacts, startBankWorld } from '../../support/bank-files/bank-world.ts'
import { sendDeposit, waitForDeposit } from '../../support/money/transactions.ts'
import { openForTest } from '../../support/runner/database.ts'

/** Virtual accounts whose coordinates come from ranges that banks assigned. */
const ranges = [
  'usd-main 8800000001-8800000003',
  'usd-main 7700000001-7700000001',
  'eur-main DE512108000000000001-DE512108000000000002',
]
const { api } = await startBankWorld({ SVC_VIRTUAL_ACCOUNTS: ranges.join(',') })

const open = (payer: Payer) => askVirtual(api, payer)
const readLeft = async () => {
  const text = String((await api.get('/metrics')).body)
  return /^svc_virtual_account_numbers_left (\S+)$/m.exec(text)?.[1]
}

test('concurrent requests get each number of the ranges once; then the refusal says that they are used up', async () => {
  const payer = await makePayer(api, 'ACH')
  expect(await readLeft()).toBe('2')
  const answers = await Promise.all(Array.from({ length: 6 }, () => open(payer)))
  const opened = answers.filter(({ status }) => status === 201).map(({ body }) => body)
  const numbers = opened.map(
    ({ svcAutoFiatAccount }) => (svcAutoFiatAccount as { accountNumber?: string }).accountNumber,
  )
  expect(numbers.sort()).toEqual(['7700000001', '8800000001', '8800000002', '8800000003'])
  expect(answers.filter(({ status }) => status !== 201)).toMatchObject([
    { status: 503, body: { error: 'SERVICE_UNAVAILABLE', message: expect.stringContaining('used up') } },
    { status: 503 },
  ])
  expect(await readLeft()).toBe('0')
  const [first] = opened
  await api.call('DELETE', `/payment-accounts/${first?.paymentAccountId}`)
  expect((await open(payer)).status).toBe(503)
})

test('an IBAN has its check digits, and money that the bank books to it becomes a transaction', async () => {
  const payer = await makePayer(api, 'SEPA')
  const { body } = await open(payer)
  expect(body.svcAutoFiatAccount).toMatchObject({ iban: expect.stringMatching(/^DE\d\d512108000000000001$/) })
  expect(readCoordinates('SEPA', { ...body.svcAutoFiatAccount }).problems).toEqual([])
  const referenceId = await sendDeposit(api, body.paymentAccountId, { amount: '50.00', currency: 'EUR', rail: 'SEPA' })
  await waitForDeposit(api, referenceId, { depositStatus: 'APPLIED', appliedAmount: '50.00' })
})

test('a currency without a usable range is refused', async () => {
  for (const rail of ['CA_INTERAC', 'IN_NEFT_RTGS_IMPS'] as const) {
    const { currency } = railFacts[rail]
    const message = `This deployment has no bank that opens auto fiat accounts in ${currency}`
    expect(await open(await makePayer(api, rail))).toMatchObject({ status: 503, body: { message } })
  }
})

test('a range that cannot be used is reported once, and the gauge shows 0', async () => {
  const { database } = api.app
  const text = `select coordinates ->> 'accountNumber' as own from svc.bank_accounts where bank_account_id = 'usd-main'`
  const [{ own } = { own: '' }] = await database.query<{ own: string }>({ text })
  const problems: string[] = []
  const { seriesOf, countFewestLeft } = createVirtualAccounts({
    database,
    ranges: [
      { bankAccountId: 'usd-main', first: own, last: own },
      { bankAccountId: 'inr-none', first: '8800000001', last: '8800000003' },
      { bankAccountId: 'usd-main', first: '6600000001', last: '6600000009' },
    ],
    readTaken: async () => new Map(),
    onInvalid: (_id, problem) => problems.push(problem),
  })
  for (const currency of ['USD', 'INR', 'USD']) {
    expect(await seriesOf(currency)).toMatchObject(currency === 'USD' ? [{ name: 'usd-main 6600000001' }] : [])
  }
  expect(problems).toEqual(['the range contains the number of an account of ours', 'no such account is connected'])
  expect(await countFewestLeft()).toBe(0)
})

test('a number that gives no valid account is passed', async () => {
  // Belgium has check digits of its own: of these 102 numbers, the first and the last are valid.
  const { database } = api.app
  const ranges = [{ bankAccountId: 'eur-main', first: 'BE510000000158', last: 'BE510000000259' }]
  const { seriesOf, open } = createVirtualAccounts({
    database,
    ranges,
    readTaken: async () => new Map(),
    onInvalid() {},
  })
  expect(await seriesOf('EUR')).toMatchObject([{ size: 102n }])
  const request = { paymentAccountId: newId(), currency: 'EUR', series: 'eur-main BE510000000158' }
  expect(await open({ ...request, number: 2n })).toBeUndefined()
})

test.each([
  ['usd-main 8800000001-8800000003', true],
  ['usd-main 8800000003-8800000001', false],
  ['usd-main 1000000000000-1999999999999', true],
  ['usd-main 1000000000000-2000000000000', false],
])('the range %s is read: %s', (item, isRange) => {
  expect(readRange(item) !== undefined).toBe(isRange)
})

test('two writers cannot have the same coordinates', async () => {
  const { database } = api.app
  const same = { receivingHash: Buffer.from('same'), accountHash: Buffer.from('same too') }
  const issued = await Promise.all([1, 2, 3, 4].map(() => issueCoordinates(database, same, newId())))
  expect(issued.filter(Boolean)).toHaveLength(1)
  const copy = openForTest({ connection: api.database.owner }).query({
    text: `insert into svc.payment_accounts
           select (jsonb_populate_record(account, jsonb_build_object('payment_account_id', $1::text))).*
             from svc.payment_accounts as account where receiving_hash is not null limit 1`,
    values: [newId()],
  })
  await expect(copy).rejects.toThrow('payment_accounts_receiving_once')
})
