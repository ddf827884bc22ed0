import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import type { AccountName } from '../../../src/transactions/bank-files/formats.ts'
import { entry, openDesk, type SentPayment, waitForFile, waitUntilRead } from '../../support/bank/bank-desk.ts'
import { startMortal } from '../../support/faults/mortal.ts'
import { workerSettings } from '../../support/money/money-stories.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  createTransaction,
  creditWallet,
  expectVerified,
  readTransaction,
  startWithWorkers,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import { eventually, wakeWhileWaiting } from '../../support/runner/eventually.ts'

/** One account of ours serves ACH, another one WIRE, in the same currency. Workers and operators act at once. */
const database = await makeDatabaseWithAddresses()
const owner = openDatabase({ connection: database.owner })
const nacha = {
  immediateDestination: '021000021',
  immediateOrigin: '1234567890',
  destinationName: 'FIRST BANK',
  originName: 'EXAMPLE INC',
  companyId: '1234567890',
  companyName: 'EXAMPLE INC',
  odfi: '02100002',
}
await owner.query({
  text: `with account as (
           insert into svc.bank_accounts (bank_account_id, bank_name, currency, holder_name, coordinates, dialect,
                  created_at)
           values ('usd-ach', 'First Bank', 'USD', 'Example Inc', $1, $2, now()),
                  ('usd-wire', 'Second Bank', 'USD', 'Example Inc', $3, $4, now()))
         insert into svc.bank_account_rails (rail, bank_account_id) values ('ACH', 'usd-ach'), ('WIRE', 'usd-wire')`,
  values: [
    { routingNumber: '021000021', accountNumber: '900000000011' },
    { nacha },
    { routingNumber: '026009593', accountNumber: '900000000022' },
    { iso20022: { batchBooking: false } },
  ],
})
const paying: AccountName = { number: '900000000011', currency: 'USD' }
const other: AccountName = { number: '900000000022', currency: 'USD' }

const desk = await openDesk()
const settings = { ...workerSettings, ...desk.settings, SVC_BANK_FILE_VALID: '60', SVC_LEASE_MS: '2000' }
const api = await startWithWorkers(settings, database)
const ada = await makeActive(api, 'US')
const { bank, wallet } = await makeAccounts(api, ada, 'ACH')
const { customerId, organizationId } = ada
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 1_000_000_000_000n })
await api.stop()
afterAll(async () => {
  await expectVerified(api)
  await owner.close()
})

async function owe(): Promise<string> {
  const from = [wallet, 'USDC', 'BASE', '10.00'] as const
  return (await createTransaction(api, { customerId, from, to: [bank, 'USD', 'ACH'] })).transactionId
}

/** Runs with a worker that is stopped afterwards. */
async function withWorker<Result>(act: () => Promise<Result>): Promise<Result> {
  const worker = await api.app.startWorker()
  const letSleep = wakeWhileWaiting(worker)
  try {
    return await act()
  } finally {
    letSleep()
    await worker.stop()
  }
}

const usd = (units: bigint) => ({ currency: 'USD' as const, units })
const paid = ({ reference, amount }: SentPayment) =>
  entry('DEBIT', amount, { references: { endToEndId: reference } }, { amount: usd(amount) })

async function payoutOf(transactionId: string) {
  const text = `select payout_id as "payoutId", status, returned_amount as returned,
                       contradicted_at is not null as "isContradicted"
                  from svc.payouts where transaction_id = $1 and purpose = 'PAYOUT'`
  const [payout] = await api.app.database.query<{ payoutId: string; status: string }>({
    text,
    values: [transactionId],
  })
  return payout
}

/** Waits until every report of the rail is applied. */
async function reported(): Promise<void> {
  await waitUntilRead(api, desk)
  const text = 'select from svc.rail_reports where due_at is not null'
  await eventually(async () => expect(await api.app.database.query({ text })).toEqual([]))
}

/** A payment that the bank has booked. */
async function payAndBook() {
  const transactionId = await owe()
  const sent = await withWorker(async () => {
    const found = await waitForFile(api, transactionId)
    await desk.notify(paying, [paid(found)])
    await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
    return found
  })
  return { transactionId, sent }
}

test('a debit on another account of ours of the same currency confirms nothing', async () => {
  const transactionId = await owe()
  await withWorker(async () => {
    const sent = await waitForFile(api, transactionId)
    await desk.notify(other, [paid(sent)])
    await reported()
    expect(await readTransaction(api, { transactionId })).toMatchObject({ transactionStatus: 'PROCESSING' })
    await desk.notify(paying, [paid(sent)])
    await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
  })
})

test('two workers that read two files about one return at once book it once', async () => {
  const { transactionId, sent } = await payAndBook()
  const { reference, amount } = sent
  const told = { returnId: desk.newReference(), reference, code: 'AC04', effectiveDate: '2026-11-17' }
  await desk.returns([{ ...told, amount: usd(amount) }])
  const detail = { references: { endToEndId: reference }, return: { reason: { code: 'AC04' } } }
  await desk.notify(paying, [entry('CREDIT', amount, detail, { amount: usd(amount) })])
  const { bankFiles } = api.app
  if (!bankFiles) throw new Error('no files are exchanged')
  const registered = `select from svc.bank_files where status = 'RECEIVED'`
  await eventually(async () => {
    await bankFiles.receiveDue(0, 30_000)
    expect(await owner.query({ text: registered })).toHaveLength(2)
  })
  // Both wait where they record: without an order of the files, each would find no return yet.
  const waiting = `select from pg_locks where not granted and database = (select oid from pg_database
                    where datname = current_database())`
  const receiving = await owner.inTx(async (tx) => {
    await tx.query({ text: 'lock table svc.bank_returns in share mode' })
    const both = Promise.all([bankFiles.receiveDue(1, 30_000), bankFiles.receiveDue(1, 30_000)])
    await eventually(async () => expect((await api.app.database.query({ text: waiting })).length).toBe(2))
    return { both }
  })
  await receiving.both
  const text = 'select amount from svc.bank_returns where reference = $1'
  expect(await owner.query({ text, values: [reference] })).toEqual([{ amount: String(amount) }])
  await withWorker(async () => {
    await waitForTransaction(api, { transactionId }, { transactionStatus: 'FAILED' })
    await reported()
  })
  expect(await payoutOf(transactionId)).toMatchObject({ returned: String(amount), isContradicted: false })
})

test('a dishonored return returns nothing, and is left to an operator', async () => {
  const { transactionId, sent } = await payAndBook()
  await desk.deliver([dishonor(sent)], `${desk.newReference()}.ach`)
  await withWorker(reported)
  expect(await desk.list('quarantine')).toEqual([])
  expect(await payoutOf(transactionId)).toMatchObject({ status: 'CONFIRMED', returned: null })
  expect(api.logs.join('')).toContain(`dishonored return ${sent.reference}`)
})

/** Our bank refuses a return of the receiver's bank: a NACHA file with the code R68. */
function dishonor({ reference, amount }: SentPayment): string {
  const column = (text: string, width: number) => text.padEnd(width)
  const zeros = (text: string, width: number) => text.padStart(width, '0')
  const sums = `0007100030${zeros('', 12)}${zeros(String(amount), 12)}`
  const trace = '021000020000009'
  const detail = `${column('987654321', 17)}${zeros(String(amount), 10)}${column(reference, 15)}${column('Ada', 22)}  1`
  const lines = [
    `101 021000021 123456789261117120${'0A'}094101${column('FIRST BANK', 23)}${column('EXAMPLE INC', 23)}${column('', 8)}`,
    `5220${column('EXAMPLE INC', 36)}1234567890PPD${column('PAYMENT', 16)}261117${column('', 3)}1021000020000001`,
    `621071000301${detail}${trace}`,
    `799R68021000020000001${column('', 6)}07100030${column('', 3)}07100030000000532203${column('Untimely', 21)}${trace}`,
    `8220000002${sums}${column('1234567890', 35)}021000020000001`,
    `9000001000001${zeros('2', 8)}${sums}${column('', 39)}`,
  ]
  while (lines.length % 10 !== 0) lines.push('9'.repeat(94))
  return `${lines.join('\n')}\n`
}

test('an operator who refuses a payout keeps its committed file from leaving', async () => {
  const transactionId = await owe()
  const mortal = startMortal(api, { settings, dieAt: { point: 'bank file staged', times: 1 } })
  expect(await mortal.died).toBe('SIGKILL')
  const { payoutId = '' } = (await payoutOf(transactionId)) ?? {}
  const before = await desk.list('outgoing')
  const refusal = { payoutId, outcome: 'refused', reference: 'by phone', reason: 'the bank says no' } as const
  await eventually(async () =>
    expect(await api.app.manualSettlements.settle(refusal)).toMatchObject({ result: 'SETTLED' }),
  )
  const text = `select file.status from svc.bank_files as file join svc.bank_file_items using (bank_file_id)
                 where payout_id = $1`
  expect(await owner.query({ text, values: [payoutId] })).toEqual([{ status: 'LAPSED' }])
  await withWorker(() => waitForTransaction(api, { transactionId }, { transactionStatus: 'FAILED' }))
  expect(await desk.list('outgoing')).toEqual(before)
})
