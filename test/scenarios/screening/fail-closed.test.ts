import { afterAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { makeApplicant } from '../../support/customers/applicants.ts'
import { createCustomer, patchCustomer, readCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { activeCustomer, decideReview, waitForReview } from '../../support/customers/reviews.ts'
import { makeAccounts } from '../../support/money/quotes.ts'
import {
  advance,
  createTransaction,
  creditWallet,
  expectVerified,
  expectWaiting,
  readTransaction,
  sendDeposit,
  startWithWorkers,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { testMasterKey } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { readMetric } from '../../support/runner/metrics.ts'
import { makeDataFolder, svc, urlOf } from '../../support/runner/process.ts'
import { makeListFolder, sdnLine } from '../../support/screening/watch-list-folder.ts'

/** A deployment that requires a current watch list, as production does. */
const api = await startWithWorkers({ SVC_ACCEPT_UNSCREENED: 'false' })
afterAll(api.stop)
const owner = openDatabase({ connection: api.database.owner })
afterAll(owner.close)

const listedAddress = makeEvmAddress()
const remarks = `Digital Currency Address - ETH ${listedAddress};`
const lines = [sdnLine(101, 'QUILLFEATHER, Bertram', 'individual', remarks)]

const importList = async () => api.app.screening.importList(await makeListFolder(lines), { actor: 'test' })
const letAge = (interval: string) =>
  owner.query({ text: `update svc.watch_list_imports set imported_at = imported_at - interval '${interval}'` })

async function readSigns() {
  const { concerns } = (await api.get('/readyz', { apiKey: null })).body
  return { concerns, metric: await readMetric(api, 'svc_watch_list_not_current') }
}
const waiting = { concerns: ['WATCH_LIST_NOT_CURRENT'], metric: '1' }
const fine = { concerns: [], metric: '0' }

async function payer() {
  const customer = await activeCustomer(api, { address: { countryCode: 'US' } })
  const accounts = await makeAccounts(api, customer)
  const { customerId, organizationId } = customer
  await creditWallet(api, { organizationId, paymentAccountId: accounts.wallet, amount: 100_000_000n })
  const pay = () =>
    createTransaction(api, {
      customerId,
      from: [accounts.wallet, 'USDC', 'BASE', '10'],
      to: [accounts.bank, 'USD', 'ACH'],
    })
  return { customer, pay, wallet: accounts.wallet }
}

const dueOf = async (customerId: string) => {
  const text = `select due_at = 'infinity' as "isParked" from svc.submissions where customer_id = $1`
  return (await owner.query<{ isParked: boolean }>({ text, values: [customerId] }))[0]
}

/** The output of the command that shows watch lists and what waits for them. */
async function showLists() {
  const command = svc(['watchlist', 'show'], {
    DATABASE_URL: urlOf(api.database.owner),
    SVC_MASTER_KEY: testMasterKey.toString('base64'),
    SVC_DATA_DIR: await makeDataFolder(),
  })
  await command.exited
  return command.output()
}

test('without a list no one is approved and nothing is paid, until one is imported', async () => {
  expect(await readSigns()).toEqual(waiting)
  const said = api.logs.join('').match(/no watch list is imported: no customer is approved and nothing is paid out/g)
  expect(said).toHaveLength(1)
  const applicant = await createCustomer(api, { kycData: makeApplicant() })
  await eventually(async () => expect(await dueOf(applicant.customerId)).toEqual({ isParked: true }))
  expect(await readCustomer(api, applicant)).toMatchObject({ customerStatus: 'UNDER_REVIEW', verificationIssues: [] })
  expect(await readMetric(api, 'svc_submissions_awaiting_list')).toBe('1')
  expect(await showLists()).toMatch(
    `1 submission waits for a current watch list:\n  customer ${applicant.customerId} of organization ${applicant.organizationId}, since `,
  )
  const { pay, wallet } = await payer()
  const created = await pay()
  const tokens = { amount: '1', currency: 'USDC', chain: 'BASE' }
  const unlisted = await sendDeposit(api, wallet, tokens)
  const listed = await sendDeposit(api, wallet, { ...tokens, senderAddress: listedAddress })
  await waitForDeposit(api, unlisted, { depositStatus: 'HELD' })
  await waitForDeposit(api, listed, { depositStatus: 'HELD' })
  await advance(api, 'PT2M')
  await eventually(async () => expect(await isChecked(created.transactionId)).toBe(true))
  expect(await readTransaction(api, created)).toMatchObject({ transactionStatus: 'CREATED' })

  await importList()
  await waitForStatus(api, applicant, 'ACTIVE')
  expect(await readSigns()).toEqual(fine)
  expect(await readMetric(api, 'svc_submissions_awaiting_list')).toBe('0')
  await advance(api, 'PT1M')
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await waitForDeposit(api, unlisted, { depositStatus: 'CREDITED' })
  // Its sender was not known to be listed when it arrived.
  await waitForDeposit(api, listed, { depositStatus: 'HELD' })
  await expectVerified(api)
})

/** True when a worker has looked at the transaction and left it for later. */
async function isChecked(transactionId: string): Promise<boolean> {
  const text = `select fence > 0 and due_at > svc.now() as "isChecked" from svc.transactions where transaction_id = $1`
  const [row] = await owner.query<{ isChecked: boolean }>({ text, values: [transactionId] })
  return row?.isChecked ?? false
}

test('a customer who has to correct something, or whom a person decides about, does not wait for a list', async () => {
  await letAge('4 days')
  const incomplete = await createCustomer(api)
  await patchCustomer(api, incomplete, { kycData: { legalFirstName: 'Ada', legalLastName: 'Example' } })
  await waitForStatus(api, incomplete, 'NEEDS_ADDITIONAL_INFORMATION')
  const doubtful = await createCustomer(api)
  await patchCustomer(api, doubtful, { kycData: { legalFirstName: 'Ada', legalLastName: 'Review' } })
  await waitForReview(api, doubtful)
  expect((await decideReview(api, doubtful, { decision: 'APPROVE' })).status).toBe(200)
  await waitForStatus(api, doubtful, 'ACTIVE')
})

test('a payout waits when the list has become too old, and leaves when it is confirmed', async () => {
  await importList()
  await eventually(async () => expect(await readSigns()).toEqual(fine))
  const { pay } = await payer()
  const created = await pay()
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
  await letAge('4 days')
  expect(await readSigns()).toEqual(waiting)
  const late = await pay()
  await advance(api, 'PT2M')
  await eventually(async () => expect(await isChecked(late.transactionId)).toBe(true))
  expect(await readTransaction(api, late)).toMatchObject({ transactionStatus: 'CREATED' })
  // The same list again: it is current, and no version changes.
  expect(await importList()).toMatchObject({ isNew: false })
  await advance(api, 'PT1M')
  await waitForTransaction(api, late, { transactionStatus: 'COMPLETED' })
})

test('a payout that has not left waits too', async () => {
  const { pay } = await payer()
  await api.app.ledger.haltAsset('USD', 'a test')
  const created = await pay()
  await expectWaiting(api, created)
  await letAge('4 days')
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
  await expectWaiting(api, created)
  expect(api.logs.join('')).toMatch(/"reason":"UNSCREENED"/)
  await importList()
  await advance(api, 'PT1M')
  await waitForTransaction(api, created, { transactionStatus: 'COMPLETED' })
})
