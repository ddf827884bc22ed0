import { readdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { entry, euroAccount, openDesk, waitForFile } from '../../support/bank/bank-desk.ts'
import { workerSettings } from '../../support/money/money-stories.ts'
import { makeAccounts, makeActive } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  creditWallet,
  expectVerified,
  startWithWorkers,
  type Transaction,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { eventually, wakeWhileWaiting } from '../../support/runner/eventually.ts'

/** Files that lapse, or that the bank rejects: their payments share the next file. */
const desk = await openDesk()
const settings = { ...workerSettings, ...desk.settings, SVC_BANK_FILE_VALID: '60', SVC_LEASE_MS: '5000' }
const api = await startWithWorkers(settings)
const ada = await makeActive(api, 'DE')
const { bank, wallet } = await makeAccounts(api, ada, 'SEPA')
const { customerId, organizationId } = ada
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 1_000_000_000_000n })
await eventually(() => readdir(path.join(desk.folder, 'outgoing')))
await api.stop()
afterAll(() => expectVerified(api))

const owed = 6

test('payments that waited for the folders share a file, and those of a rejected file share the next one', async () => {
  await rename(path.join(desk.folder, 'outgoing'), path.join(desk.folder, 'away'))
  const worker = await api.app.startWorker()
  const letSleep = wakeWhileWaiting(worker)
  try {
    const from = [wallet, 'USDC', 'BASE', '10.00'] as const
    const transactions: Transaction[] = []
    for (let made = 0; made < owed; made += 1)
      transactions.push(await createTransaction(api, { customerId, from, to: [bank, 'EUR', 'SEPA'] }))
    const text = `select from svc.payout_attempts where outcome = 'NOT_NOW'`
    await eventually(async () => expect(await api.app.database.query({ text })).toHaveLength(owed))
    await rename(path.join(desk.folder, 'away'), path.join(desk.folder, 'outgoing'))
    await advance(api, 'PT2M')
    const filesOf = async (attempt: number) => {
      const sent = await Promise.all(transactions.map(({ transactionId }) => waitForFile(api, transactionId, attempt)))
      return { sent, fileIds: [...new Set(sent.map(({ fileId }) => fileId))] }
    }
    const first = await filesOf(2)
    for (const fileId of first.fileIds)
      await desk.answer(fileId, { group: { statusCode: 'RJCT', reasons: [{ code: 'FF01' }] } })
    const second = await filesOf(3)
    // One, or some more when moments at which they are collected come in between; one each without collecting.
    expect(second.fileIds.length).toBeLessThan(owed)
    const paid = second.sent.map(({ amount, reference }) =>
      entry('DEBIT', amount, { references: { endToEndId: reference } }),
    )
    await desk.notify(euroAccount, paid)
    for (const transaction of transactions)
      await waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })
  } finally {
    letSleep()
    await worker.stop()
  }
})
