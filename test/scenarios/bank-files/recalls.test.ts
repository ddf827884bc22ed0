import { expect, test } from 'vitest'
import { askVirtual, makePayer, offRamp, onRamp, startBankWorld } from '../../support/bank-files/bank-world.ts'
import { commandsOf, recallFile, txInf } from '../../support/bank-files/recall-files.ts'
import { createCustomer, waitForStatus } from '../../support/customers/customers.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import {
  advance,
  createTransaction,
  type Deposit,
  expectVerified,
  readTransaction,
  sendDeposit,
  transferReference,
  waitForDeposit,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Payments that the bank of a payer wants back: the sandbox's bank writes a camt.056. */
const { api, folder } = await startBankWorld()

const recall = async (depositId: string, code = 'TECH') =>
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
  await recall(depositId, 'FRAD')
  await shown(depositId, { recall: { recallStatus: 'OPEN', code: 'FRAD' } })
  // Only the operator of the deployment lets money go that a bank suspects, or whose return is promised to the bank.
  const notYours = { status: 409, body: { error: 'CONFLICT', details: [{ field: 'decision' }] } }
  expect(await answer(depositId, 'REJECT')).toMatchObject(notYours)
  const accepted = { status: 200, body: { recall: { recallStatus: 'ACCEPTED' } } }
  expect(await answer(depositId, 'ACCEPT')).toMatchObject(accepted)
  expect(await answer(depositId, 'ACCEPT')).toMatchObject({ status: 409 })
  expect(await answer(depositId, 'REJECT')).toMatchObject(notYours)
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

const command = commandsOf(api)
const run = (...args: string[]) => command('deposits', ...args)

test('a recall that comes before its payment is known holds it on arrival; the operator answers by command', async () => {
  await folder.put('incoming', 'early.xml', recallFile('EARLY-1'))
  // The same recall in another file counts once.
  await folder.put('incoming', 'again.xml', recallFile('EARLY-1', undefined, ' '))
  await folder.arrived('EARLY-1', 2)
  const { output } = await run('recalls')
  expect(output).toContain('OPEN  TECH  100.00 EUR  no known payment')
  const [recallId = ''] = /^[0-9a-f-]{36}(?=.*no known payment)/m.exec(output) ?? []
  const { depositId } = await payShort({ entryReference: 'EARLY-1' }, { depositStatus: 'HELD', holdReason: 'RECALLED' })
  expect((await run('recalls')).output).toContain(`EARLY-1  deposit ${depositId}`)
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

test('a recall that was accepted before its payment is known holds it, and each debit settles one recall', async () => {
  // Two recalls of parts of one payment.
  const parts = ['PART-1', 'PART-2'].map((id) =>
    txInf({ id, payment: '<OrgnlTxId>EARLY-2</OrgnlTxId>', amount: '40.00' }),
  )
  await folder.put('incoming', 'parts.xml', recallFile('PARTS', parts.join('')))
  await folder.arrived('A-PARTS')
  const early = (await run('recalls')).output.match(/^[0-9a-f-]{36}(?=.*no known payment)/gm) ?? []
  expect(early).toHaveLength(2)
  for (const recallId of early) expect((await run('accept-recall', recallId, '--reason', 'Paid twice')).code).toBe(0)
  const held = { depositStatus: 'HELD', holdReason: 'RECALLED' }
  const { depositId } = await payShort({ entryReference: 'EARLY-2' }, held)
  const debit = async (amount: string, expected: object) => {
    expect((await api.post(`/sandbox/deposits/${depositId}/reverse`, { amount })).status).toBe(200)
    await shown(depositId, expected)
  }
  await debit('40.00', { reversedAmount: '40.00', recall: { recallStatus: 'ACCEPTED' } })
  await debit('40.00', { reversedAmount: '80.00', recall: { recallStatus: 'SETTLED' } })
  expect((await run('recalls')).output).not.toContain('EARLY-2')
})

test('a recall that cannot be read raises the alarm of recalls until an operator dismisses it', async () => {
  const before = Number(await openRecalls())
  await folder.put(
    'incoming',
    'group.xml',
    recallFile('GROUP', '<OrgnlGrpInfAndCxl><GrpCxl>true</GrpCxl></OrgnlGrpInfAndCxl>'),
  )
  await eventually(async () => expect(await openRecalls()).toBe(String(before + 1)))
  const [bankFileId = ''] =
    /^[0-9a-f-]{36}(?=.*RECALL)/m.exec((await command('bank-files', 'quarantined')).output) ?? []
  expect((await command('bank-files', 'dismiss', bankFileId, '--reason', 'Answered')).code).toBe(0)
  expect(await openRecalls()).toBe(String(before))
})

test('fees of recalled money are not paid out, also when their payout waits already, or the bank has taken the money', async () => {
  const [payer, other] = [await makePayer(api, 'SEPA'), await makePayer(api, 'SEPA')]
  const buy = async ({ customerId, bank, wallet }: typeof payer) => {
    const from = [bank, 'EUR', 'SEPA', '100.00'] as const
    const bought = await createTransaction(api, {
      customerId,
      from,
      to: [wallet, 'USDC', 'BASE'],
      fee: ['SOURCE_CURRENCY', '10.00'],
    })
    const sent = { bankAccountId: 'eur-main', amount: '100.00', reference: transferReference(bought) ?? '' }
    const { referenceId } = (await api.post('/sandbox/bank/deposits', sent)).body
    await waitForTransaction(api, bought, { transactionStatus: 'COMPLETED' })
    return (await waitForDeposit(api, referenceId, { depositStatus: 'APPLIED' })).depositId
  }
  const suspect = await buy(payer)
  await buy(other)
  const kybData = { businessInfo: { legalBusinessName: 'Approve', registrationCountry: 'DE' } }
  const own = { customerType: 'BUSINESS', businessName: 'Own', kybData }
  const { customerId } = await waitForStatus(api, await createCustomer(api, own), 'ACTIVE')
  const account = (await createAccount(api, bankAccountOf(customerId, bankAccounts.SEPA()))).paymentAccountId
  await api.call('PUT', '/developer-fees/receiver', { body: { customerId } })
  const payOut = (amount: string) =>
    api.post('/developer-fees/payouts', { currency: 'EUR', amount, destinationPaymentAccountId: account })
  const owner = openForTest({ connection: api.database.owner })
  await owner.query({
    text: `insert into svc.payout_halts (halt_id, asset, violated) values (gen_random_uuid(), 'EUR', '{a test}')`,
  })
  const waiting = (await payOut('15.00')).body
  await recall(suspect)
  await shown(suspect, { recall: { recallStatus: 'OPEN' } })
  expect(await payOut('5.00')).toMatchObject({ status: 422, body: { error: 'INSUFFICIENT_BALANCE' } })
  await owner.query({ text: `update svc.payout_halts set resumed_at = now(), resume_reason = 'a test'` })
  await advance(api, 'PT2M')
  await waitForTransaction(api, await offRamp(api, other), { transactionStatus: 'COMPLETED' })
  const path = `/customers/${customerId}/disbursements/${waiting.disbursementId}` as const
  expect((await api.get(path)).body).toMatchObject({ disbursementStatus: 'PENDING' })
  // The debit of the bank ends the recall. The fees of this money are as uncertain as before.
  expect((await api.post(`/sandbox/deposits/${suspect}/reverse`, { reason: 'FRAD' })).status).toBe(200)
  await shown(suspect, { recall: { recallStatus: 'SETTLED' } })
  await advance(api, 'PT2M')
  await waitForTransaction(api, await offRamp(api, other), { transactionStatus: 'COMPLETED' })
  expect((await api.get(path)).body).toMatchObject({ disbursementStatus: 'PENDING' })
  for (const { reversalId } of await api.app.depositReversals.list())
    await api.app.depositReversals.recover({ reversalId, from: 'bank', reason: 'a test' })
  await advance(api, 'PT2M')
  await eventually(async () => expect((await api.get(path)).body).toMatchObject({ disbursementStatus: 'COMPLETED' }))
})
