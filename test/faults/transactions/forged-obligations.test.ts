import { expect, test } from 'vitest'
import { payDeveloperFees, returnedFundsOf } from '../../../src/ledger/postings.ts'
import { newId } from '../../../src/lib/ids.ts'
import { createMany, pay, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { advance, type Transaction } from '../../support/money/transactions.ts'
import { payDue as payLanes } from '../../support/rails/test-rail.ts'
import { first } from '../../support/runner/first.ts'

/** An attacker writes rows with the grants of svc_app, and posts nothing to the ledger. */
const money = await startMoney()
const { api, rows, organizationId, bank, onRamp, offRamp } = money
await api.signer.stop()
const { customerId } = onRamp
const { receive, advanceAll } = takeOver(money, {})
const asApp = (text: string) => api.app.database.query({ text })

async function payDue(): Promise<void> {
  await api.signer.sealAll()
  await untilIdle(() => payLanes(api.app.payouts, 20, 30_000))
}

type Forged = { payoutId: string; transactionId?: string; depositId?: string; amount: number }

async function forge(
  purpose: 'REFUND' | 'RETURN' | 'DISBURSEMENT',
  { payoutId, transactionId, depositId, amount }: Forged,
) {
  const id = (value: string | undefined) => (value ? `'${value}'` : 'null')
  await asApp(`insert into svc.payouts (organization_id, payout_id, transaction_id, deposit_id, customer_id, purpose,
                 method, asset, amount, payment_account_id, pays_from, held_at, status, due_at, created_at)
               values ('${organizationId}', '${payoutId}', ${id(transactionId)}, ${id(depositId)}, '${customerId}',
                 '${purpose}', 'ACH', 'USD', ${amount}, '${bank}', 'usd-main', 'usd-main', 'WAITING', svc.now(), svc.now())`)
}

const transfersOf = (payoutId: string) =>
  rows(`select requests from svc.sandbox_transfers where reference = '${payoutId}'`)

async function expectNotSealed(payoutId: string, problem: string): Promise<void> {
  await payDue()
  expect(await transfersOf(payoutId)).toEqual([])
  expect(api.signer.problems).toContain(`payout ${payoutId} is not sealed: ${problem}`)
}

test('the signer does not seal a refund of money that never arrived', async () => {
  const { transactionId } = first(await createMany(money, onRamp, 1))
  await asApp(`update svc.transactions set status = 'FAILED', step = 'DONE', received_amount = source_amount
                where transaction_id = '${transactionId}'`)
  const payoutId = newId()
  await forge('REFUND', { payoutId, transactionId, amount: 1_000 })
  await expectNotSealed(payoutId, 'the ledger holds less for its transaction')
})

test('the signer does not seal a return of a deposit that never arrived', async () => {
  const [payoutId, depositId] = [newId(), newId()]
  await asApp(`insert into svc.deposits (organization_id, deposit_id, method, external_id, asset, amount, held_at, status,
                 returned_amount, customer_id, payment_account_id, seen_at, created_at, updated_at)
               values ('${organizationId}', '${depositId}', 'ACH', '${depositId}', 'USD', 5000, 'usd-main', 'RETURNING',
                 5000, '${customerId}', '${bank}', svc.now(), svc.now(), svc.now())`)
  await forge('RETURN', { payoutId, depositId, amount: 5_000 })
  await expectNotSealed(payoutId, 'the ledger holds less for its deposit')
})

/** Creates a transaction that received too little, and refunds it. */
async function refunded(): Promise<Transaction> {
  const transaction = first(await createMany(money, onRamp, 1))
  await pay(money, transaction, '4.00')
  await untilIdle(receive)
  await advance(api, 'P8D')
  await untilIdle(advanceAll)
  await payDue()
  return transaction
}

test('the signer does not seal a second refund, although the first claims to be refused', async () => {
  const { transactionId } = await refunded()
  const refunds = `from svc.payouts where transaction_id = '${transactionId}' and purpose = 'REFUND'`
  expect(await rows(`select status, amount ${refunds}`)).toEqual([{ status: 'CONFIRMED', amount: '400' }])
  await asApp(`update svc.payouts set status = 'REFUSED', due_at = null
                where transaction_id = '${transactionId}' and purpose = 'REFUND'`)
  const payoutId = newId()
  await forge('REFUND', { payoutId, transactionId, amount: 400 })
  await expectNotSealed(payoutId, 'the ledger holds less for its transaction')
})

/** Creates an off-ramp whose payout has been confirmed. */
async function paidOut(): Promise<Transaction> {
  const transaction = first(await createMany(money, offRamp, 1))
  await untilIdle(advanceAll)
  for (let turn = 0; turn < 4; turn += 1) {
    await payDue()
    await advance(api, 'PT10S')
  }
  return transaction
}

async function forgeCollection({ transactionId, amount }: { transactionId: string | null; amount: number }) {
  const payoutId = newId()
  const [purpose, id] = transactionId ? ['COLLECT', `'${transactionId}'`] : ['SWEEP', 'null']
  await asApp(`insert into svc.payouts (organization_id, payout_id, transaction_id, customer_id, purpose, method, asset,
                 amount, developer_fees, from_wallet_id, held_at, status, due_at, created_at)
               values ('${organizationId}', '${payoutId}', ${id}, '${customerId}', '${purpose}', 'BASE', 'USDC/BASE',
                 ${amount}, 0, '${money.wallet}', 'CUSTODY', 'WAITING', svc.now(), svc.now())`)
  return payoutId
}

test('the signer does not seal a collection of tokens that are not ours', async () => {
  const open = first(await createMany(money, offRamp, 1))
  await expectNotSealed(
    await forgeCollection({ transactionId: open.transactionId, amount: 10_000_000 }),
    'its transaction was not paid',
  )
  const { transactionId } = await paidOut()
  const collected = `transaction_id = '${transactionId}' and purpose = 'COLLECT'`
  expect(await rows(`select status from svc.payouts where ${collected}`)).toEqual([{ status: 'CONFIRMED' }])
  await asApp(`update svc.payouts set status = 'REFUSED' where ${collected}`)
  await expectNotSealed(await forgeCollection({ transactionId, amount: 10_000_000 }), 'it was collected before')
  await asApp(
    `update svc.payouts set status = 'REFUSED' where transaction_id = '${transactionId}' and status = 'WAITING'`,
  )
  await expectNotSealed(
    await forgeCollection({ transactionId, amount: 10_000_001 }),
    'its transaction has another source',
  )
})

test('the signer does not seal a sweep of more than the fees at a wallet', async () => {
  await expectNotSealed(
    await forgeCollection({ transactionId: null, amount: 1 }),
    'the ledger has less fees at its wallet',
  )
})

test('the signer does not seal a payout of more developer fees than the ledger has', async () => {
  const payoutId = newId()
  const { database, ledger } = api.app
  const sum = { asset: 'USD', amount: 700n, customerId } as const
  const reference = `disbursement:${payoutId}` as const
  await database.inTx(async (tx) => {
    await ledger.post(tx, [{ organizationId, reference: `${reference}:fees`, ...payDeveloperFees(sum) }])
    const account = returnedFundsOf(customerId, 'USD')
    await ledger.reserve(tx, [{ organizationId, reference: `${reference}:reserve`, account, amount: 700n }])
  })
  await forge('DISBURSEMENT', { payoutId, amount: 700 })
  await expectNotSealed(payoutId, 'the ledger has less developer fees')
})

test('a withdrawn payout does not leave, although it claims to wait', async () => {
  const { transactionId } = first(await createMany(money, offRamp, 1))
  await untilIdle(advanceAll)
  await api.signer.sealAll()
  const answer = await api.post(`/transactions/${transactionId}/resolve`, { action: 'REJECT', reason: 'a test' })
  expect(answer.status).toBe(200)
  const { payoutId } = first(
    await rows<{ payoutId: string }>(`select payout_id as "payoutId" from svc.payouts
                                       where transaction_id = '${transactionId}' and purpose = 'PAYOUT'`),
  )
  await asApp(`update svc.payouts set status = 'WAITING', due_at = svc.now(), resolved_at = null, reason = null
                where payout_id = '${payoutId}'`)
  await payDue()
  expect(await transfersOf(payoutId)).toEqual([])
})
