import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { makeBlock, watchChain } from '../../support/deposits/sightings.ts'
import { createMany, pay, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import {
  advance,
  availableIn,
  expectVerified,
  readTransaction,
  sendDeposit,
  type Transaction,
} from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { today } from '../../support/reconciliation/reading.ts'
import { testMasterKey } from '../../support/runner/api.ts'
import { eventually } from '../../support/runner/eventually.ts'
import { first } from '../../support/runner/first.ts'
import { readMetric } from '../../support/runner/metrics.ts'
import { makeDataFolder, svc, urlOf } from '../../support/runner/process.ts'

/** Deposits that a bank or chain takes back. */
const money = await startMoney()
const { api, rows, organizationId } = money
const { customerId } = money.onRamp
const workers = takeOver(money, {})
const { report, orphan } = watchChain(api)
afterAll(() => expectVerified(api))

const depositOf = async (referenceId: string) => {
  const { deposits } = (await api.get('/deposits?pageSize=100')).body
  return first(deposits.filter((deposit) => deposit.referenceId === referenceId))
}
const reverse = async (referenceId: string, body: object = {}) =>
  api.post(`/sandbox/deposits/${(await depositOf(referenceId)).depositId}/reverse`, body)
const resolve = async (referenceId: string, body: object) =>
  api.post(`/deposits/${(await depositOf(referenceId)).depositId}/resolve`, { reason: 'a test', ...body })
const unmatched = async (amount = '10.00') => {
  const referenceId = await sendDeposit(api, money.bank, { amount, currency: 'USD', rail: 'ACH' })
  await untilIdle(workers.receive)
  return referenceId
}
const paidOnRamp = async (): Promise<{ made: Transaction; referenceId: string }> => {
  await api.app.rates.refresh()
  const made = first(await createMany(money, money.onRamp, 1))
  const referenceId = await pay(money, made)
  await untilIdle(workers.receive)
  return { made, referenceId }
}
const openReversals = () => api.app.depositReversals.list()
const writeOffAll = async () => {
  for (const { reversalId } of await openReversals()) {
    await api.app.depositReversals.writeOff({ reversalId, reason: 'a test' })
  }
}
const liquidity = async () =>
  first(
    await rows<{ usable: string }>(`select coalesce(sum(available - costs - reversed), 0) as usable from svc.liquidity
      where holding = 'usd-main' and organization_id = '${organizationId}'`),
  ).usable
const statusOfPayouts = ({ transactionId }: Transaction) =>
  rows(`select purpose, status from svc.payouts where transaction_id = '${transactionId}' order by payout_id`)

async function run(...args: string[]) {
  const settings = {
    DATABASE_URL: urlOf(api.database.owner),
    SVC_MASTER_KEY: testMasterKey.toString('base64'),
    SVC_DATA_DIR: await makeDataFolder(),
  }
  const command = svc(['deposits', ...args], settings)
  return { code: await command.exited, output: command.output() }
}

test('the reversal of a deposit that is still undecided costs no one anything', async () => {
  const before = await liquidity()
  const referenceId = await unmatched()
  expect((await reverse(referenceId, { reversalReference: 'r-1' })).body).toMatchObject({
    depositStatus: 'REVERSED',
    reversedAmount: '10.00',
  })
  expect(await openReversals()).toEqual([])
  expect(await liquidity()).toBe(before)
  // The bank reports it twice: the same id is the same reversal.
  const { depositId } = await depositOf(referenceId)
  expect((await reverse(referenceId, { reversalReference: 'r-1' })).status).toBe(200)
  expect((await reverse(referenceId, { reversalReference: 'r-1', amount: '9.00' })).body.error).toBe('CONFLICT')
  expect((await reverse(referenceId, { reversalReference: 'r-2' })).body.error).toBe('CONFLICT')
  expect((await resolve(referenceId, { action: 'CREDIT' })).body.error).toBe('CONFLICT')
  const events = await rows(`select type from svc.events where resource_id = '${depositId}' order by resource_version`)
  expect(events).toEqual([{ type: 'deposit.created' }, { type: 'deposit.updated' }])
})

test('after a partial reversal an operator decides about the rest', async () => {
  const referenceId = await unmatched('10.00')
  expect((await reverse(referenceId, { amount: '4.00' })).body).toMatchObject({
    depositStatus: 'UNMATCHED',
    reversedAmount: '4.00',
  })
  expect((await reverse(referenceId, { amount: '6.01' })).body.error).toBe('CONFLICT')
  expect((await reverse(referenceId, { amount: '0' })).body.error).toBe('BAD_REQUEST')
  expect((await resolve(referenceId, { action: 'CREDIT' })).status).toBe(200)
  const { body } = await api.get(`/customers/${customerId}/returned-funds`)
  const { depositId } = await depositOf(referenceId)
  expect(body.returnedFunds).toMatchObject([{ depositId, balance: '6.00' }])
  expect(await openReversals()).toEqual([])
  // The rest is reversed after the customer had it.
  expect((await reverse(referenceId)).body).toMatchObject({ depositStatus: 'REVERSED', reversedAmount: '10.00' })
  const { reversalId, owedAmount } = first(await openReversals())
  expect(owedAmount).toBe('600')
  expect(await run('recover', reversalId, '--from', 'returned-funds', '--reason', 'He agreed')).toEqual({
    code: 0,
    output: 'Recovered 6.00 USD from returned-funds.\n',
  })
  expect((await api.get(`/customers/${customerId}/returned-funds`)).body.returnedFunds).toEqual([])
})

test('a return that has not left is withdrawn, and no one owes anything', async () => {
  const referenceId = await unmatched()
  expect((await resolve(referenceId, { action: 'RETURN', paymentAccountId: money.bank })).status).toBe(200)
  expect((await reverse(referenceId)).body).toMatchObject({ depositStatus: 'REVERSED' })
  await untilIdle(workers.payOut)
  expect(await openReversals()).toEqual([])
})

test('a deposit that was returned and then reversed is owed', async () => {
  const referenceId = await unmatched()
  expect((await resolve(referenceId, { action: 'RETURN', paymentAccountId: money.bank })).status).toBe(200)
  await untilIdle(workers.payOut)
  expect(await depositOf(referenceId)).toMatchObject({ depositStatus: 'RETURNED' })
  expect((await reverse(referenceId)).body).toMatchObject({ depositStatus: 'REVERSED' })
  expect(await openReversals()).toMatchObject([{ owedAmount: '1000', status: 'OPEN' }])
  await writeOffAll()
})

test('an on-ramp whose deposit is reversed while its payout waits does not leave, and nothing leaves after it', async () => {
  const { made, referenceId } = await paidOnRamp()
  await untilIdle(workers.advanceAll)
  expect(await statusOfPayouts(made)).toEqual([{ purpose: 'PAYOUT', status: 'WAITING' }])
  const before = await liquidity()
  expect((await reverse(referenceId)).body).toMatchObject({ depositStatus: 'REVERSED' })
  expect(BigInt(before) - BigInt(await liquidity())).toBe(1000n)
  // He tries again with new money, and with what he has in his wallet.
  const again = await paidOnRamp()
  const off = first(await createMany(money, money.offRamp, 1))
  await untilIdle(workers.advanceAll)
  for (const minutes of [1, 2]) {
    await advance(api, `PT${minutes}M`)
    await untilIdle(workers.payOut)
  }
  for (const each of [made, again.made, off]) {
    expect(await statusOfPayouts(each)).toEqual([{ purpose: 'PAYOUT', status: 'WAITING' }])
  }
  expect(await readMetric(api, 'svc_deposit_reversals_open')).toBe('1')
  const { reversalId } = first(await openReversals())
  const refused = await run('write-off', reversalId, '--reason', 'He is gone')
  expect(refused).toMatchObject({
    code: 1,
    output: expect.stringContaining('CONFLICT: Money of the deposit still leaves'),
  })
  // The bank has collected it again: everything continues.
  const listed = await run('reversed')
  expect(listed.output).toMatch(`${reversalId}  `)
  expect(listed.output).toMatch(`10.00 USD  R10  organization ${organizationId}  customer ${customerId}`)
  const recovered = ['recover', reversalId, '--from', 'bank', '--reason', 'He repaid it'] as const
  expect(await run(...recovered)).toEqual({ code: 0, output: 'Recovered 10.00 USD from bank.\n' })
  expect((await run(...recovered)).code).toBe(1)
  // An operator may explain a booking with it, so its name is kept.
  const text = `select from svc.kept_names where kind = 'OWN' and reference like 'deposit:%:recovery:' || $1`
  await eventually(async () => {
    await today(api)
    await api.app.reconciliation.keepNames()
    expect(await api.app.database.query({ text, values: [reversalId] })).toHaveLength(1)
  })
  expect(await liquidity()).toBe(before)
  expect(await readMetric(api, 'svc_deposit_reversals_open')).toBe('0')
  await advance(api, 'PT2M')
  await untilIdle(workers.payOut)
  for (const each of [made, again.made, off]) {
    expect(await readTransaction(api, each)).toMatchObject({ transactionStatus: 'COMPLETED' })
  }
})

test('the refund of a rejected transaction pays the reversal of its deposit', async () => {
  const { made, referenceId } = await paidOnRamp()
  await untilIdle(workers.advanceAll)
  await reverse(referenceId)
  const decision = (action: string) =>
    api.post(`/transactions/${made.transactionId}/resolve`, { action, reason: 'a test' })
  expect((await decision('REJECT')).status).toBe(200)
  await untilIdle(workers.payOut)
  const refund = first(
    await rows<{ id: string; status: string }>(
      `select payout_id as id, status from svc.payouts where transaction_id = '${made.transactionId}' and purpose = 'REFUND'`,
    ),
  )
  expect(refund.status).toBe('WAITING')
  const { settle } = api.app.manualSettlements
  await settle({ payoutId: refund.id, outcome: 'refused', reference: 'none', reason: 'a test' })
  expect((await decision('CREDIT')).status).toBe(200)
  const { reversalId } = first(await openReversals())
  await api.app.depositReversals.recover({ reversalId, from: 'returned-funds', reason: 'a test' })
  expect((await api.get(`/customers/${customerId}/returned-funds`)).body.returnedFunds).toEqual([])
})

test('a reversal after the payout is written off as a loss, and decided once', async () => {
  const { made, referenceId } = await paidOnRamp()
  await untilIdle(workers.advanceAll)
  await untilIdle(workers.payOut)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
  expect((await reverse(referenceId, { amount: '3.00' })).body).toMatchObject({
    depositStatus: 'APPLIED',
    reversedAmount: '3.00',
  })
  expect((await reverse(referenceId)).body).toMatchObject({ depositStatus: 'REVERSED', reversedAmount: '10.00' })
  const [part, rest] = await openReversals()
  expect([part?.owedAmount, rest?.owedAmount]).toEqual(['300', '700'])
  const { recover, writeOff } = api.app.depositReversals
  const decision = { reversalId: part?.reversalId ?? '', reason: 'a test' }
  await expect(recover({ ...decision, from: 'wallet' })).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
  await expect(recover({ ...decision, from: 'returned-funds' })).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
  const outcomes = await Promise.allSettled([
    ...Array.from({ length: 6 }, () => writeOff(decision)),
    ...Array.from({ length: 6 }, () => recover({ ...decision, from: 'bank' })),
  ])
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await run('write-off', rest?.reversalId ?? '', '--reason', 'He is gone')).toEqual({
    code: 0,
    output: 'Wrote off 7.00 USD.\n',
  })
  const acts = await rows(
    `select action from svc.audit where action like 'reversal.%' and subject_id = '${rest?.reversalId}'`,
  )
  expect(acts).toEqual([{ action: 'reversal.written_off' }])
  const steps = await rows(`select 1 from svc.transaction_steps where transaction_id = '${made.transactionId}'
    and kind = 'DEPOSIT_REVERSED'`)
  expect(steps).toHaveLength(2)
})

test('a dropped final block reverses the deposit, and the transfer waits for the operator when it comes back', async () => {
  const { paymentAccountId: wallet, svcCryptoWallet } = await createAccount(api, serviceWalletOf(customerId))
  const address = svcCryptoWallet?.address.address ?? ''
  const [externalId, block] = [`0x${newId()}:0`, makeBlock()]
  const transfer = { externalId, address, fromAddress: makeEvmAddress() }
  await report({ ...transfer, block })
  await untilIdle(workers.receive)
  expect(await availableIn(api, wallet)).toBe('25.000000')
  expect(await orphan(externalId, block.hash)).toBe('CONTRADICTED')
  expect(await orphan(externalId, block.hash)).toBe('REPEATED')
  expect(await depositOf(externalId)).toMatchObject({ depositStatus: 'REVERSED', reversedAmount: '25.000000' })
  expect((await api.app.ledger.readHalts(api.app.database)).isHalted('USDC/BASE')).toBe(true)
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
  expect(await report({ ...transfer, state: 'SEEN' })).toBe('IGNORED')
  expect(await report({ ...transfer, block: makeBlock() })).toBe('QUARANTINED')
  const { quarantineId, differences } = first(await api.app.quarantinedSightings.list())
  expect(differences).toEqual(['block'])
  await api.app.quarantinedSightings.accept({ quarantineId, reason: 'a test' })
  await untilIdle(workers.receive)
  expect(await availableIn(api, wallet)).toBe('50.000000')
  const { reversalId } = first(await openReversals())
  await api.app.depositReversals.recover({ reversalId, from: 'wallet', reason: 'a test' })
  expect(await availableIn(api, wallet)).toBe('25.000000')
})

test('a held deposit that is reversed no longer keeps its transaction open', async () => {
  const made = first(await createMany(money, money.onRamp, 1))
  const reference = made.transferInstructions?.type === 'fiat' ? made.transferInstructions.transferMessage : ''
  const sent = await sendDeposit(api, money.bank, {
    amount: '10.00',
    currency: 'USD',
    rail: 'ACH',
    reference,
    senderName: 'Ivan Blocked',
  })
  await untilIdle(workers.receive)
  await advance(api, 'P8D')
  await untilIdle(workers.advanceAll)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  expect((await reverse(sent)).body).toMatchObject({ depositStatus: 'REVERSED' })
  await untilIdle(workers.advanceAll)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'EXPIRED' })
})
