import { expect, test } from 'vitest'
import { askVirtual, makePayer, offRamp, onRamp, startBankWorld } from '../../support/bank-files/bank-world.ts'
import {
  advance,
  type Deposit,
  expectVerified,
  readTransaction,
  sendDeposit,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { testMasterKey } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { makeDataFolder, svc, urlOf } from '../../support/runner/process.ts'

/** Payments that the bank of a payer wants back: the sandbox's bank writes a camt.056. */
const { api, folder } = await startBankWorld()

const recall = async (depositId: string, code = 'FRAD') =>
  expect(await api.post('/sandbox/bank/recalls', { depositId, code })).toMatchObject({ status: 200 })
const answer = (depositId: string, decision: 'ACCEPT' | 'REJECT') =>
  api.post(`/deposits/${depositId}/recall`, { decision, reason: 'The payer has called' })
const read = async (depositId: string): Promise<Deposit> => (await api.get(`/deposits/${depositId}`)).body
const shown = (depositId: string, expected: object) =>
  eventually(async () => expect(await read(depositId)).toMatchObject(expected))
const openRecalls = async () => /^svc_bank_recalls_open (\S+)$/m.exec(String((await api.get('/metrics')).body))?.[1]
const sendTo = (paymentAccountId: string, amount: string) =>
  sendDeposit(api, paymentAccountId, { amount, currency: 'EUR', rail: 'SEPA' })

test('a recalled deposit is held until the operator rejects the recall; then it goes on', async () => {
  const payer = await makePayer(api, 'SEPA')
  const { paymentAccountId } = (await askVirtual(api, payer)).body
  await api.post(`/customers/${payer.customerId}/deactivate`, { reason: 'a test' })
  const reference = await sendTo(paymentAccountId, '500.00')
  const { depositId } = await waitForDeposit(api, reference, { depositStatus: 'HELD' })
  await recall(depositId, 'DUPL')
  await shown(depositId, {
    holdReason: 'RECALLED',
    recall: { recallStatus: 'OPEN', code: 'DUPL', amount: '500.00' },
  })
  expect(await openRecalls()).toBe('1')
  await api.post(`/customers/${payer.customerId}/reactivate`, { reason: 'a test' })
  // The customer is ACTIVE again: without the recall a worker would convert the money now.
  const other = await sendTo(paymentAccountId, '70.00')
  await waitForDeposit(api, other, { depositStatus: 'APPLIED' })
  expect(await read(depositId)).toMatchObject({ depositStatus: 'HELD', holdReason: 'RECALLED' })
  const resolved = await api.post(`/deposits/${depositId}/resolve`, { action: 'CREDIT', reason: 'a test' })
  expect(resolved).toMatchObject({ status: 409, body: { message: expect.stringContaining('recall') } })

  expect(await answer(depositId, 'REJECT')).toMatchObject({
    status: 200,
    body: { recall: { recallStatus: 'REJECTED', decidedAt: expect.any(String) } },
  })
  const { transactionId = '' } = await waitForDeposit(api, reference, { depositStatus: 'APPLIED' })
  await waitForTransaction(api, { transactionId }, { transactionStatus: 'COMPLETED' })
  expect(await answer(depositId, 'ACCEPT')).toMatchObject({ status: 409 })
  expect(await openRecalls()).toBe('0')
  const events = (await api.get(`/events?resourceId=${depositId}&pageSize=100`)).body.events
  const told = events.map(({ data }) =>
    'recall' in data ? (data.recall as { recallStatus: string }).recallStatus : '-',
  )
  expect(told.reverse()).toEqual(['-', 'OPEN', 'REJECTED', 'REJECTED'])
})

/** Pays less than a transaction awaits: once its time is over, it owes a refund. */
async function payShort(more: object = {}, expected: object = { depositStatus: 'APPLIED' }) {
  const payer = await makePayer(api, 'SEPA')
  const awaiting = await onRamp(api, payer, '300.00')
  const { transactionId } = awaiting
  const reference = transferReference(awaiting) ?? ''
  const sent = { bankAccountId: 'eur-main', amount: '100.00', reference, ...more }
  const { referenceId } = (await api.post('/sandbox/bank/deposits', sent)).body
  const { depositId } = await waitForDeposit(api, referenceId, expected)
  return { transactionId, depositId }
}
const refunded = (transactionId: string, refundStatus: string) =>
  waitForTransaction(api, { transactionId }, { transactionStatus: 'FAILED', refund: { refundStatus } })

test('money of an accepted recall waits for the debit of the bank, and is not refunded to the customer', async () => {
  const [suspect, other] = [await payShort(), await payShort()]
  const { depositId } = suspect
  await recall(depositId)
  await shown(depositId, { recall: { recallStatus: 'OPEN', code: 'FRAD' } })
  const accepted = { status: 200, body: { recall: { recallStatus: 'ACCEPTED' } } }
  expect(await answer(depositId, 'ACCEPT')).toMatchObject(accepted)
  expect(await answer(depositId, 'ACCEPT')).toMatchObject({ status: 409 })
  await advance(api, 'P6D')
  await refunded(other.transactionId, 'COMPLETED')
  await refunded(suspect.transactionId, 'PENDING')

  expect((await api.post(`/sandbox/deposits/${depositId}/reverse`, { reason: 'FRAD' })).status).toBe(200)
  await shown(depositId, { recall: { recallStatus: 'SETTLED' }, reversedAmount: '100.00' })
  await expectVerified(api)
})

test('tokens that recalled money bought do not leave the wallet until the recall is rejected', async () => {
  const [buyer, other] = [await makePayer(api, 'SEPA'), await makePayer(api, 'SEPA')]
  const bought = await onRamp(api, buyer, '100.00')
  const reference = transferReference(bought) ?? ''
  const sent = { bankAccountId: 'eur-main', amount: '100.00', reference }
  const { referenceId } = (await api.post('/sandbox/bank/deposits', sent)).body
  const { depositId } = await waitForDeposit(api, referenceId, { depositStatus: 'APPLIED' })
  await waitForTransaction(api, bought, { transactionStatus: 'COMPLETED' })
  await recall(depositId)
  await shown(depositId, { depositStatus: 'APPLIED', recall: { recallStatus: 'OPEN' } })
  const sold = await offRamp(api, buyer)
  // The other customer orders later, and is paid.
  await waitForTransaction(api, await offRamp(api, other), { transactionStatus: 'COMPLETED' })
  expect(await readTransaction(api, sold)).toMatchObject({ transactionStatus: 'PROCESSING' })
  expect((await answer(depositId, 'REJECT')).status).toBe(200)
  await advance(api, 'PT2M')
  await waitForTransaction(api, sold, { transactionStatus: 'COMPLETED' })
})

const recallFile = (transactionId: string, more = '') => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.056.001.08"><FIToFIPmtCxlReq>
<Assgnmt><Id>A-${transactionId}</Id><CreDtTm>2026-11-17T10:00:00Z</CreDtTm></Assgnmt>
<Undrlyg><TxInf><CxlId>C-${transactionId}</CxlId><OrgnlTxId>${transactionId}</OrgnlTxId>
<OrgnlIntrBkSttlmAmt Ccy="EUR">100.00</OrgnlIntrBkSttlmAmt><CxlRsnInf><Rsn><Cd>TECH</Cd></Rsn></CxlRsnInf>
</TxInf></Undrlyg>${more}</FIToFIPmtCxlReq></Document>`

async function run(...args: string[]) {
  const secrets = { SVC_MASTER_KEY: testMasterKey.toString('base64'), SVC_DATA_DIR: await makeDataFolder() }
  const command = svc(['deposits', ...args], { DATABASE_URL: urlOf(api.database.owner), ...secrets })
  return { code: await command.exited, output: command.output() }
}

test('a recall that comes before its payment is known holds it on arrival; the operator answers by command', async () => {
  await folder.put('incoming', 'early.xml', recallFile('EARLY-1'))
  // The same recall in another file counts once.
  await folder.put('incoming', 'again.xml', recallFile('EARLY-1', ' '))
  await folder.arrived('EARLY-1', 2)
  const { output } = await run('recalled')
  expect(output).toContain('OPEN  TECH  100.00 EUR  no known payment')
  const [recallId = ''] = /^[0-9a-f-]{36}(?=.*no known payment)/m.exec(output) ?? []
  const { depositId } = await payShort({ entryReference: 'EARLY-1' }, { depositStatus: 'HELD', holdReason: 'RECALLED' })
  expect((await run('recalled')).output).toContain(`EARLY-1  deposit ${depositId}`)
  const reason = ['--reason', 'The payer meant it']
  expect(await run('reject-recall', depositId, ...reason)).toMatchObject({
    code: 1,
    output: expect.stringContaining('There is no such recall'),
  })
  const rejected = { code: 0, output: expect.stringContaining('The recall is rejected: the money is released.') }
  expect(await run('reject-recall', recallId, ...reason)).toEqual(rejected)
  expect(await run('accept-recall', recallId, ...reason)).toMatchObject({
    code: 1,
    output: expect.stringContaining('CONFLICT'),
  })
  await shown(depositId, { depositStatus: 'APPLIED', recall: { recallStatus: 'REJECTED' } })
})
