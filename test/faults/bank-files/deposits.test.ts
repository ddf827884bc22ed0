import { afterAll, expect, test } from 'vitest'
import type { NewEntry } from '../../../src/adapters/bank/iso20022/statement-writer.ts'
import { platformOrganizationId } from '../../../src/lib/ids.ts'
import type { EntryDetail } from '../../../src/transactions/bank-files/formats.ts'
import { dollarAccount, entry, euroAccount, openDesk, outcomesOf, waitUntilRead } from '../../support/bank/bank-desk.ts'
import { createAccount } from '../../support/money/payment-accounts.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  createTransaction,
  expectVerified,
  startWithWorkers,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Money that arrives at our accounts, as banks tell it: once, twice, late, wrong or not at all. */
const desk = await openDesk()
const api = await startWithWorkers(desk.settings)
afterAll(api.stop)
const ada = await makeActive(api, 'DE')
const { bank, wallet } = await makeAccounts(api, ada, 'SEPA')
const { customerId } = ada

async function order(amount = '10.00') {
  const from = [bank, 'EUR', 'SEPA', amount] as const
  const transaction = await createTransaction(api, { customerId, from, to: [wallet, 'USDC', 'BASE'] })
  return { ...transaction, message: transferReference(transaction) ?? '' }
}

const credit = (units: bigint, detail: Partial<EntryDetail>, more: Partial<NewEntry> = {}) =>
  entry('CREDIT', units, { counterparty: { name: 'Ada Approve' }, ...detail }, more)

async function depositsOf(book = 'eur-main') {
  const text = `select external_id as "externalId", amount, status, reversed_amount as reversed from svc.deposits
                 where book = $1 and status <> 'ASSIGNED' order by created_at, external_id`
  return api.app.database.query<{ externalId: string; amount: string; status: string; reversed: string }>({
    text,
    values: [book],
  })
}

/** Lets every sighting become a deposit. */
async function received() {
  await waitUntilRead(api, desk)
  const text = 'select from svc.sightings where due_at is not null'
  await eventually(async () => expect(await api.app.database.query({ text })).toEqual([]))
}

test('a credit that a notification and a statement tell is one deposit', async () => {
  const { message, ...transaction } = await order()
  const bankReference = desk.newReference()
  const told = credit(
    1_000n,
    { remittance: [`Rechnung ${message.toLowerCase().replace(/(.{5})/g, '$1 ')}`] },
    { bankReference },
  )
  await desk.notify(euroAccount, [told])
  await waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })
  await desk.state(euroAccount, [credit(1_000n, { remittance: ['shortened'] }, { bankReference })])
  await received()
  expect((await depositsOf()).filter(({ externalId }) => externalId === bankReference)).toHaveLength(1)
  expect((await outcomesOf(api, desk)).slice(-2)).toEqual(['DEPOSIT', 'REPEATED'])
})

test('without references, a statement repeats a notification one for one, and a doubt waits for a person', async () => {
  const same = () => credit(2_000n, { remittance: ['the same text'] })
  await desk.notify(euroAccount, [same(), same()])
  await received()
  await desk.state(euroAccount, [same(), same(), same()])
  await received()
  expect((await outcomesOf(api, desk)).slice(-5)).toEqual(['DEPOSIT', 'DEPOSIT', 'REPEATED', 'REPEATED', 'DEPOSIT'])
  await desk.notify(euroAccount, [same()])
  await received()
  expect((await outcomesOf(api, desk)).at(-1)).toBe('REPEATED')
  await desk.notify(euroAccount, [same()])
  await received()
  expect((await outcomesOf(api, desk)).at(-1)).toBe('QUARANTINED')
  expect(await api.app.quarantinedSightings.count()).toBe(1)
  expect((await depositsOf()).filter(({ amount }) => amount === '2000')).toHaveLength(3)
})

test('the same file again changes nothing, and pages that share a statement id are all read', async () => {
  const before = (await depositsOf()).length
  const page = (number: string, units: bigint) => ({
    statementId: 'SHARED-STATEMENT',
    page: { number, isLast: number === '2' },
    entries: [credit(units, {}, { entryReference: '1' })],
  })
  await desk.state(euroAccount, [], page('1', 31n))
  const second = await desk.state(euroAccount, [], page('2', 32n))
  await received()
  expect((await depositsOf()).length).toBe(before + 2)
  const kept = (await desk.list('archive')).find((name) => name.endsWith(second)) ?? ''
  await desk.deliver([await desk.read('archive', kept)], 'again.xml')
  await received()
  expect((await desk.list('archive')).some((name) => name.endsWith('again-2-again.xml'))).toBe(true)
  expect((await depositsOf()).length).toBe(before + 2)
})

test('a virtual account makes its customer the owner; a registered account of the sender alone does not', async () => {
  const svcAutoFiatAccount = {
    currency: 'USD',
    destinationPaymentAccountId: wallet,
    destinationCurrency: 'USDC',
    destinationPaymentMethod: 'BASE',
  }
  const american = await makeActive(api, 'US')
  const accounts = await makeAccounts(api, american, 'ACH')
  const virtual = await createAccount(api, {
    customerId: american.customerId,
    paymentAccountType: 'SVC_AUTO_FIAT_ACCOUNT',
    svcAutoFiatAccount: { ...svcAutoFiatAccount, destinationPaymentAccountId: accounts.wallet },
  })
  const text = JSON.stringify(virtual)
  const number = /"accountNumber":"(\d+)"/.exec(text)?.[1] ?? ''
  const usd = { currency: 'USD' as const, units: 5_000n }
  const bankReference = desk.newReference()
  const { message } = await order()
  await desk.notify(dollarAccount, [
    // The payer's text names a transaction of another customer.
    credit(
      5_000n,
      { ownAccount: { number }, remittance: [message] },
      { amount: usd, bankReference: desk.newReference() },
    ),
    credit(5_000n, { ownAccount: { number } }, { amount: usd, bankReference }),
    credit(
      5_000n,
      { counterparty: { name: 'Ada Example', account: { number: '000123456789', bankId: '021000021' } } },
      { amount: usd, bankReference: desk.newReference() },
    ),
  ])
  await received()
  const owners = `select customer_id as "customerId", organization_id = $1 as "isPlatform" from svc.deposits
                   where book = 'usd-main' order by external_id = $2 desc`
  const found = await api.app.database.query({ text: owners, values: [platformOrganizationId, bankReference] })
  expect(found).toEqual([
    { customerId: american.customerId, isPlatform: false },
    { customerId: null, isPlatform: true },
    { customerId: null, isPlatform: true },
  ])
})

test('a reversal takes back the credit that the bank names, regardless of what a payer wrote', async () => {
  const [mine, other] = [desk.newReference(), desk.newReference()]
  const text = { remittance: ['the same invoice'], references: { endToEndId: 'INVOICE-7' } }
  await desk.notify(euroAccount, [
    credit(4_100n, text, { bankReference: mine }),
    credit(4_100n, text, { bankReference: other }),
  ])
  await received()
  const taken = (detail: Partial<EntryDetail>, more: Partial<NewEntry>, units = 4_100n) =>
    entry('DEBIT', units, detail, { isReversal: true, ...more })
  await desk.notify(euroAccount, [taken({ ...text, return: { reason: { code: 'AC06' } } }, {}, 4_000n)])
  expect((await outcomesOf(api, desk)).at(-1)).toBe('UNMATCHED')
  await desk.notify(euroAccount, [taken(text, { bankReference: mine })])
  await eventually(async () => {
    const reversed = (await depositsOf()).filter(({ reversed: amount }) => amount === '4100')
    expect(reversed.map(({ externalId }) => externalId)).toEqual([mine])
  })
  await desk.state(euroAccount, [taken(text, { bankReference: mine })])
  expect((await outcomesOf(api, desk)).at(-1)).toBe('REPEATED')
})

test.each([
  [
    'broken XML',
    'bad.xml',
    '<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08"><Bk',
  ],
  ['broken NACHA', 'bad.ach', '101 021000021 123456789\n'],
  ['no known format', 'bad.txt', 'hello'],
])('%s goes to quarantine, and the next file is read', async (_, name, content) => {
  const before = (await depositsOf()).length
  await desk.deliver([content], name)
  await desk.notify(euroAccount, [credit(77n, {}, { bankReference: desk.newReference() })])
  await received()
  expect((await depositsOf()).length).toBe(before + 1)
  const kept = await desk.list('quarantine')
  expect(kept.some((each) => each.endsWith(name))).toBe(true)
  expect(kept.some((each) => each.endsWith(`${name}.reason`))).toBe(true)
})

test('an account that is not ours goes to quarantine', async () => {
  const name = await desk.notify({ iban: 'DE89370400440532013000', currency: 'EUR' }, [credit(78n, {})])
  await received()
  expect((await desk.list('quarantine')).some((each) => each.endsWith(name))).toBe(true)
})

test('the books hold', () => expectVerified(api))
