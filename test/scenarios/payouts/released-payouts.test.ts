import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { decideReview, readReview } from '../../support/customers/reviews.ts'
import { conflict, fromWallet, makePayer, waitForFreeze } from '../../support/money/blocked-payers.ts'
import { createDisbursementStories } from '../../support/money/disbursement-stories.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import {
  advance,
  createTransaction,
  expectVerified,
  sendDeposit,
  waitForDeposit,
} from '../../support/money/transactions.ts'
import { actingWith, createKey, type TestApi } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'
import { makeFolder } from '../../support/runner/folder.ts'

/** Money of a customer with a confirmed match leaves only when a reviewer releases it, and it always can. */
const { api } = await startHeard()
const scopes = ['transactions:write', 'transactions:read']
const desk = actingWith(api, (await createKey(api, { name: 'Desk', scopes })).apiKey)
const { creditedDeposit, disburse, waitForDisbursement } = createDisbursementStories(api, desk)
const { folder, remove } = await makeFolder('svc released payouts ')
afterAll(remove)

test('a reviewer releases the return of a deposit without a transaction that a confirmed match blocks', async () => {
  const ada = await makePayer(api)
  await waitForFreeze(api, await createTransaction(api, fromWallet(ada, ada.listed)))
  expect((await decideReview(api, ada.customer, { decision: 'REJECT' })).status).toBe(200)
  const sent = await sendDeposit(api, ada.bank, { amount: '7.00', currency: 'USD', rail: 'ACH', reference: 'rent' })
  const { depositId } = await waitForDeposit(api, sent, { depositStatus: 'UNMATCHED' })
  const decide = (as: TestApi, action: string) =>
    as.post(`/deposits/${depositId}/resolve`, { action, reason: 'a test' })
  expect(await decide(desk, 'RETURN')).toMatchObject({ status: 200, body: { depositStatus: 'RETURNING' } })
  await eventually(async () => {
    const text = 'select asks from svc.payouts where deposit_id = $1'
    expect(first(await api.app.database.query<{ asks: number }>({ text, values: [depositId] })).asks).toBeGreaterThan(0)
  })
  expect(await decide(desk, 'RETURN')).toMatchObject(conflict)
  const answers = await Promise.all([decide(api, 'RETURN'), decide(api, 'CREDIT'), decide(api, 'RETURN')])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  await waitForDeposit(api, sent, { depositStatus: answers[1].status === 200 ? 'CREDITED' : 'RETURNED' })
  expect(await decide(api, 'RETURN')).toMatchObject(conflict)
  await expectVerified(api)
})

async function importList(lines: string): Promise<void> {
  await writeFile(path.join(folder, 'sdn.csv'), lines)
  await writeFile(path.join(folder, 'alt.csv'), '')
  const before = (await api.app.screening.currentVersion()) ?? 0
  await api.app.screening.importList(folder, { actor: 'test' })
  await eventually(async () => expect(await api.app.screening.currentVersion()).toBe(before + 1))
}

test('a disbursement of a DEACTIVATED customer waits when a new watch list matches its destination', async () => {
  const ada = await makePayer(api)
  await creditedDeposit(ada, '3.00')
  const bankAccountOwner = { type: 'INDIVIDUAL', firstName: 'Bertram', lastName: 'Quillfeather' }
  const destinationPaymentAccountId = await ada.bankWith({ accountNumber: '000987654321', bankAccountOwner })
  expect((await api.post(`/customers/${ada.customerId}/deactivate`, { reason: 'a test' })).status).toBe(200)
  const halt = { text: `insert into svc.payout_halts (halt_id, violated) values ($1, '{a test}')`, values: [newId()] }
  await api.app.database.query(halt)
  const { status, body } = await disburse(ada, { destinationPaymentAccountId }, api)
  expect(status).toBe(201)
  const dash = '-0- ,'
  await importList(`101,"QUILLFEATHER, Bertram","individual","SDGT",${dash.repeat(7)}"DOB 12 Mar 1961;"\r\n`)
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
  await advance(api, 'PT1M')
  await eventually(async () => {
    expect(await readReview(api, ada.customer)).toMatchObject({ reason: 'WATCH_LIST_HIT', reviewStatus: 'OPEN' })
  })
  await waitForDisbursement(ada, body, 'PENDING')
  expect(await decideReview(api, ada.customer, { decision: 'APPROVE' })).toMatchObject({ status: 200 })
  await waitForDisbursement(ada, body, 'COMPLETED')
  await expectVerified(api)
})
