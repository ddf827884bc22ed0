import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
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

/** The volume of the bank's folders is away, or an empty folder has taken its place. */
const desk = await openDesk()
const settings = { ...workerSettings, ...desk.settings, SVC_BANK_FILE_VALID: '60', SVC_LEASE_MS: '2000' }
const api = await startWithWorkers(settings)
const ada = await makeActive(api, 'DE')
const { bank, wallet } = await makeAccounts(api, ada, 'SEPA')
const { customerId, organizationId } = ada
await creditWallet(api, { organizationId, paymentAccountId: wallet, amount: 1_000_000_000_000n })
await eventually(() => readdir(path.join(desk.folder, 'staging')))
await api.stop()
afterAll(() => expectVerified(api))

const place = (...parts: string[]) => path.join(desk.folder, ...parts)
const concerns = async () => (await api.get('/readyz')).body.concerns as string[]

async function withWorker(act: () => Promise<unknown>): Promise<void> {
  const worker = await api.app.startWorker()
  const letSleep = wakeWhileWaiting(worker)
  try {
    await act()
  } finally {
    letSleep()
    await worker.stop()
  }
}

/** Leaves a file in staging/ whose worker died before it moved the file to the bank. */
async function stageAndDie(): Promise<string> {
  const from = [wallet, 'USDC', 'BASE', '10.00'] as const
  const { transactionId } = await createTransaction(api, { customerId, from, to: [bank, 'EUR', 'SEPA'] })
  expect(await startMortal(api, { settings, dieAt: { point: 'bank file staged', times: 1 } }).died).toBe('SIGKILL')
  return transactionId
}

async function payoutOf(transactionId: string) {
  const text = `select status, attempts, asks from svc.payouts where transaction_id = $1`
  const [payout] = await api.app.database.query<{ status: string; attempts: number; asks: number }>({
    text,
    values: [transactionId],
  })
  if (!payout) throw new Error('the transaction has no payout')
  return payout
}

/** Lets the bank pay the only file of a transaction. */
async function pay(transactionId: string): Promise<void> {
  const { amount, reference } = await waitForFile(api, transactionId)
  await desk.notify(euroAccount, [entry('DEBIT', amount, { references: { endToEndId: reference } })])
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
}

test.each(['staging', 'outgoing'])(
  'while another folder stands in for %s/, a staged file is neither released nor dead',
  async (folder) => {
    const transactionId = await stageAndDie()
    const before = (await desk.list('outgoing')).length
    await rename(place(folder), place('away'))
    await mkdir(place(folder))
    await withWorker(async () => {
      await eventually(async () => expect(await concerns()).toContain('BANK_FOLDERS_UNUSABLE'))
      await advance(api, 'PT30S')
      await eventually(async () => expect((await payoutOf(transactionId)).asks).toBeGreaterThan(1))
      expect(await payoutOf(transactionId)).toMatchObject({ status: 'SENDING', attempts: 1 })
    })
    const text = `select file.status from svc.bank_files as file join svc.bank_file_items using (bank_file_id)
                    join svc.payouts as payout using (payout_id) where payout.transaction_id = $1`
    expect(await api.app.database.query({ text, values: [transactionId] })).toEqual([{ status: 'STAGED' }])
    await rm(place(folder), { recursive: true })
    await rename(place('away'), place(folder))
    expect(await desk.list('outgoing')).toHaveLength(before)
    await withWorker(() => pay(transactionId))
    await advance(api, 'PT3M')
    await withWorker(() => eventually(async () => expect(await concerns()).not.toContain('BANK_FOLDERS_UNUSABLE')))
    expect(await desk.list('outgoing')).toHaveLength(before + 1)
  },
)

test('an emptied staging/ proves nothing, even after the time of its file, until an operator takes it over', async () => {
  const transactionId = await stageAndDie()
  const files = (await desk.list('outgoing')).length
  for (const name of await readdir(place('staging'))) await rm(place('staging', name))
  await advance(api, 'PT5M')
  await withWorker(async () => {
    await eventually(async () => expect((await payoutOf(transactionId)).asks).toBeGreaterThan(1))
    expect(await payoutOf(transactionId)).toMatchObject({ status: 'SENDING', attempts: 1 })
    expect(await desk.list('outgoing')).toHaveLength(files)
    await api.app.bankFileRecords.adoptFolders('the volume was restored from a backup')
    // The file may have left, for all that can be known: it is paid by no other file.
    await eventually(async () => expect((await payoutOf(transactionId)).status).toBe('SENT'))
    await pay(transactionId)
  })
  expect(await desk.list('outgoing')).toHaveLength(files)
})

test('files that a killed worker never recorded are swept after a day; recorded ones stay', async () => {
  const transactionId = await stageAndDie()
  const [recorded = ''] = (await readdir(place('staging'))).filter((name) => !name.includes('svc-'))
  const old = new Date(Date.now() - 25 * 3_600_000)
  await writeFile(place('staging', 'orphan'), 'of a killed worker')
  await writeFile(place('staging', 'fresh'), 'of a worker that is about to record it')
  for (const name of ['orphan', recorded]) await utimes(place('staging', name), old, old)
  await api.app.bankFiles?.sweep()
  const left = await readdir(place('staging'))
  expect(left).toContain('fresh')
  expect(left).toContain(recorded)
  expect(left).not.toContain('orphan')
  await withWorker(() => pay(transactionId))
  await waitUntilRead(api, desk)
})
