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
  transferReference,
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

test('a staged file is withdrawn when a bank recalls money that it pays, which leaves once the recall is rejected', async () => {
  const query = (text: string, values: unknown[] = []) => api.app.database.query<{ id: string }>({ text, values })
  // Money of the deposit is in the wallet: every order from there may pay with it.
  const to = [wallet, 'USDC', 'BASE'] as const
  const bought = await createTransaction(api, { customerId, from: [bank, 'EUR', 'SEPA', '20.00'], to })
  const remittance = [transferReference(bought) ?? '']
  await finish(bought.transactionId, () => desk.notify(euroAccount, [entry('CREDIT', 2_000n, { remittance })]))
  const transactionId = await owe()
  const mortal = startMortal(api, { settings, dieAt: { point: 'bank file staged', times: 1 } })
  expect(await mortal.died).toBe('SIGKILL')
  const [recall] = await query(
    `with recall as (
       insert into svc.bank_recalls (bank_recall_id, recall_id, bank_file_id, code, network_hashes, payer_hashes, status,
              recorded_at)
       select gen_random_uuid(), 'a test', bank_file_id, 'FRAD', '{}', '{}', 'OPEN', svc.now()
         from svc.bank_files limit 1 returning bank_recall_id)
     insert into svc.bank_recall_payments (bank_recall_id, bank_account_id, external_id)
     select bank_recall_id, book, external_id from recall, svc.deposits where transaction_id = $1
     returning bank_recall_id as id`,
    [bought.transactionId],
  )
  const lapsed = `select from svc.bank_files as file join svc.bank_file_items as item using (bank_file_id)
                    join svc.payouts as payout using (payout_id)
                   where payout.transaction_id = $1 and file.status = 'LAPSED'`
  await withWorker(() => eventually(async () => expect(await query(lapsed, [transactionId])).toHaveLength(1)))
  expect(await filesWith(await referenceOf(transactionId))).toBe(0)
  await query(`update svc.bank_recalls set status = 'REJECTED', decided_at = svc.now() where bank_recall_id = $1`, [
    recall?.id,
  ])
  await advance(api, 'PT2M')
  await finish(transactionId, async () => {
    const sent = await waitForFile(api, transactionId, 2)
    await desk.notify(euroAccount, [entry('DEBIT', sent.amount, { references: { endToEndId: sent.reference } })])
  })
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
