import { afterAll, expect, test } from 'vitest'
import { entry, euroAccount, openDesk, waitForFile, waitUntilRead } from '../../support/bank/bank-desk.ts'
import { startMortal } from '../../support/faults/mortal.ts'
import { workerSettings } from '../../support/money/money-stories.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  creditWallet,
  expectVerified,
  startWithWorkers,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually, wakeWhileWaiting } from '../../support/runner/eventually.ts'

/** Workers that die between writing a file and recording it, and between recording and moving one. */
const desk = await openDesk()
const settings = { ...workerSettings, ...desk.settings, SVC_BANK_FILE_VALID: '60', SVC_LEASE_MS: '2000' }
const api = await startWithWorkers(settings)
const ada = await makeActive(api, 'DE')
const { bank, wallet } = await makeAccounts(api, ada, 'SEPA')
const { customerId, organizationId } = ada
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 1_000_000_000_000n })
await api.stop()
afterAll(() => expectVerified(api))

/** Lets a new worker finish what is left, and the bank book it. */
const finish = (transactionId: string, settle: () => Promise<unknown>) =>
  withWorker(async () => {
    await settle()
    await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
  })

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

async function filesWith(reference: string): Promise<number> {
  const contents = await Promise.all((await desk.list('outgoing')).map((name) => desk.read('outgoing', name)))
  return contents.filter((content) => content.includes(reference)).length
}

async function referenceOf(transactionId: string): Promise<string> {
  const text = 'select svc.short_reference(payout_id) as reference from svc.payouts where transaction_id = $1'
  const [row] = await api.app.database.query<{ reference: string }>({ text, values: [transactionId] })
  return row?.reference ?? ''
}

async function owe(): Promise<string> {
  const from = [wallet, 'USDC', 'BASE', '10.00'] as const
  return (await createTransaction(api, { customerId, from, to: [bank, 'EUR', 'SEPA'] })).transactionId
}

test.each([
  ['bank file written', 'at once', 2],
  ['bank file staged', 'at once', 1],
  ['bank file staged', 'after its time', 2],
  ['bank file released', 'at once', 1],
  ['bank file released', 'after its time', 1],
])('kill -9 at "%s", and the next worker comes %s: one file leaves', async (point, when, attempt) => {
  const transactionId = await owe()
  const mortal = startMortal(api, { settings, dieAt: { point, times: 1 } })
  expect(await mortal.died).toBe('SIGKILL')
  const reference = await referenceOf(transactionId)
  const isLate = when !== 'at once' || attempt === 2
  if (isLate) await advance(api, 'PT2M')
  await finish(transactionId, async () => {
    const { amount } = await waitForFile(api, transactionId, attempt)
    expect(await filesWith(reference)).toBe(1)
    await desk.notify(euroAccount, [entry('DEBIT', amount, { references: { endToEndId: reference } })])
  })
  expect(await filesWith(reference)).toBe(1)
})

test.each(['bank records applied', 'bank file applied'])('kill -9 at "%s": the file counts once', async (point) => {
  const units = BigInt(point.length)
  await desk.notify(euroAccount, [entry('CREDIT', units, {}, { bankReference: desk.newReference() })])
  const mortal = startMortal(api, { settings, dieAt: { point, times: 1 } })
  expect(await mortal.died).toBe('SIGKILL')
  const worker = await api.app.startWorker()
  const letSleep = wakeWhileWaiting(worker)
  await waitUntilRead(api, desk)
  const text = `select amount from svc.deposits where book = 'eur-main' and amount = $1`
  await eventually(async () => expect(await api.app.database.query({ text, values: [units] })).toHaveLength(1))
  letSleep()
  await worker.stop()
})

test('a staged file is withdrawn when the bank accepts a rejected one before the next worker comes', async () => {
  const transactionId = await owe()
  const sent = await withWorker(() => waitForFile(api, transactionId))
  await desk.answer(sent.fileId, { group: { statusCode: 'RJCT', reasons: [{ code: 'FF01' }] } })
  const mortal = startMortal(api, { settings, dieAt: { point: 'bank file staged', times: 1 } })
  expect(await mortal.died).toBe('SIGKILL')
  const dispute = `update svc.bank_files set bank_status = 'DISPUTED' where message_id = $1`
  await api.app.database.query({ text: dispute, values: [sent.fileId] })
  const lapsed = `select from svc.bank_files as file join svc.bank_file_items as item using (bank_file_id)
                   where item.reference = $1 and item.attempt = 2 and file.status = 'LAPSED'`
  await withWorker(() =>
    eventually(async () =>
      expect(await api.app.database.query({ text: lapsed, values: [sent.reference] })).toHaveLength(1),
    ),
  )
  expect(await filesWith(sent.reference)).toBe(1)
})
