import { afterAll, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { makeBlock, watchChain } from '../../support/deposits/sightings.ts'
import { createMany, startMoney, takeOver, untilIdle } from '../../support/money/money-stories.ts'
import { createAccount, serviceWalletOf } from '../../support/money/payment-accounts.ts'
import {
  advance,
  availableIn,
  expectVerified,
  readTransaction,
  type Transaction,
  transferReference,
} from '../../support/money/transactions.ts'
import { makeEvmAddress, makeSolanaAddress } from '../../support/money/wallet-addresses.ts'
import { first } from '../../support/runner/first.ts'
import { readMetric } from '../../support/runner/metrics.ts'

/** Transfers on a chain: seen, final, orphaned; in time, late, our own. */
const money = await startMoney()
const { api, rows, external, bank } = money
const { customerId } = money.onRamp
const { report, orphan } = watchChain(api)
const workers = takeOver(money, {})
afterAll(() => expectVerified(api))

const newTransfer = () => `0x${newId()}:0`
const now = async () => new Date((await api.get('/sandbox/clock')).body.now)
const depositsOf = (externalId: string) =>
  rows<{ status: string; at: Date }>(
    `select status, seen_at as at from svc.deposits where external_id like '${externalId}%' order by deposit_id`,
  )
const stateOf = async (externalId: string) =>
  first(await rows<{ state: string }>(`select state from svc.sightings where external_id = '${externalId}'`)).state

/** A fresh service wallet, and the address of it. */
async function makeWallet(kind: 'EVM' | 'SOLANA' = 'EVM') {
  const { paymentAccountId, svcCryptoWallet } = await createAccount(api, serviceWalletOf(customerId, kind))
  return { wallet: paymentAccountId, address: svcCryptoWallet?.address.address ?? '' }
}

/** A transaction that awaits 25 USDC at an address of its own, for one hour. */
async function awaitTokens(): Promise<{ made: Transaction; address: string }> {
  await api.app.rates.refresh()
  const wish = { customerId, from: [external, 'USDC', 'BASE', '25'], to: [bank, 'USD', 'ACH'] } as const
  const made = first(await createMany(money, wish, 1))
  return { made, address: transferReference(made) ?? '' }
}

test('a transfer is no deposit before its block is final', async () => {
  const { wallet, address } = await makeWallet()
  const [externalId, block] = [newTransfer(), makeBlock()]
  expect(await report({ externalId, block, address, state: 'SEEN' })).toBe('RECORDED')
  await untilIdle(workers.receive)
  expect(await depositsOf(externalId)).toEqual([])
  expect(await report({ externalId, block, address, state: 'SEEN' })).toBe('REPEATED')
  expect(await report({ externalId, block, address })).toBe('MOVED')
  expect(await report({ externalId, block, address })).toBe('REPEATED')
  // A slow watcher that has not seen the end of the story changes nothing.
  expect(await report({ externalId, block, address, state: 'SEEN' })).toBe('REPEATED')
  await untilIdle(workers.receive)
  expect(await depositsOf(externalId)).toMatchObject([{ status: 'CREDITED' }])
  expect(await availableIn(api, wallet)).toBe('25.000000')
})

test('an orphaned transfer is no deposit, unless another block includes it', async () => {
  const { wallet, address } = await makeWallet()
  const [externalId, lost, newer] = [newTransfer(), makeBlock(), makeBlock()]
  await report({ externalId, block: lost, address, state: 'SEEN' })
  expect(await orphan(externalId, makeBlock().hash)).toBe('REPEATED')
  expect(await stateOf(externalId)).toBe('SEEN')
  expect(await orphan(externalId, lost.hash)).toBe('MOVED')
  await untilIdle(workers.receive)
  expect([await stateOf(externalId), await depositsOf(externalId)]).toEqual(['ORPHANED', []])
  expect(await report({ externalId, block: newer, address, state: 'SEEN' })).toBe('MOVED')
  // The watcher repeats itself: the transfer is in a newer block by now.
  expect(await orphan(externalId, lost.hash)).toBe('REPEATED')
  expect(await report({ externalId, block: newer, address })).toBe('MOVED')
  await untilIdle(workers.receive)
  expect(await depositsOf(externalId)).toHaveLength(1)
  expect(await availableIn(api, wallet)).toBe('25.000000')
})

test('an address is found in any notation, and a malformed one is refused', async () => {
  const { wallet, address } = await makeWallet()
  const other = [...address].map((letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
  await report({ address: address.toLowerCase() })
  await report({ address: `0x${other.slice(2).join('')}` })
  await untilIdle(workers.receive)
  expect(await availableIn(api, wallet)).toBe('50.000000')
  const solana = await makeWallet('SOLANA')
  await report({ method: 'SOLANA', asset: 'USDC/SOLANA', address: solana.address, fromAddress: makeSolanaAddress() })
  await untilIdle(workers.receive)
  expect(await availableIn(api, solana.wallet, 'USDC', 'SOLANA')).toBe('25.000000')
  for (const wrong of [{ address: solana.address }, { address, fromAddress: '0x12' }]) {
    await expect(report(wrong)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  }
  const sent = await api.post(`/sandbox/payment-accounts/${external}/deposits`, {
    amount: '1',
    currency: 'USDC',
    chain: 'BASE',
    reference: 'nowhere',
  })
  expect([sent.status, sent.body.details]).toMatchObject([400, [{ field: 'reference' }]])
})

test('a transfer that the chain saw in time counts, even if its block is final after the deadline', async () => {
  const { made, address } = await awaitTokens()
  const [externalId, block, observedAt] = [newTransfer(), makeBlock(), await now()]
  await advance(api, 'PT59M')
  await report({ externalId, block, address, state: 'SEEN', observedAt })
  const refused = await api.post(`/transactions/${made.transactionId}/cancel`)
  expect(refused.body.error).toBe('TRANSACTION_NOT_CANCELLABLE')
  await advance(api, 'PT30M')
  await untilIdle(workers.advanceAll)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  await report({ externalId, block, address, observedAt })
  await untilIdle(workers.receive)
  expect(await depositsOf(externalId)).toEqual([{ status: 'APPLIED', at: observedAt }])
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'PROCESSING', labels: [] })
})

test('a transaction expires once the transfer that it waited for is orphaned', async () => {
  const { made, address } = await awaitTokens()
  const [externalId, block] = [newTransfer(), makeBlock()]
  await report({ externalId, block, address, state: 'SEEN' })
  await advance(api, 'PT61M')
  await untilIdle(workers.advanceAll)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  await orphan(externalId, block.hash)
  await untilIdle(workers.advanceAll)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'EXPIRED' })
})

test('a transfer that the chain saw too late does not keep the transaction open, nor does one of our own', async () => {
  const { made, address } = await awaitTokens()
  const { address: own } = await makeWallet()
  await report({ address, state: 'SEEN', fromAddress: own, amount: '25000000' })
  await advance(api, 'PT61M')
  await report({ address, state: 'SEEN', observedAt: await now() })
  await untilIdle(workers.advanceAll)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'EXPIRED' })
})

test('a transfer that moves to a later block has the time of that block', async () => {
  const { address } = await awaitTokens()
  const [externalId, early] = [newTransfer(), await now()]
  await report({ externalId, address, state: 'SEEN', observedAt: early })
  await advance(api, 'PT2H')
  const late = await now()
  await report({ externalId, address, observedAt: late })
  await untilIdle(workers.receive)
  expect(await depositsOf(externalId)).toEqual([{ status: 'RETURNING', at: late }])
  await untilIdle(workers.payOut)
})

test('an observed time in the future counts as the time of the report', async () => {
  const { address } = await makeWallet()
  const [externalId, reportedAt] = [newTransfer(), await now()]
  await report({ externalId, address, observedAt: new Date(reportedAt.getTime() + 86_400_000) })
  await untilIdle(workers.receive)
  const [deposit] = await depositsOf(externalId)
  expect(deposit?.at.getTime()).toBeLessThan(reportedAt.getTime() + 3_600_000)
})

test('a quarantined transfer that was seen in time keeps its transaction open until the decision', async () => {
  const { made, address } = await awaitTokens()
  const [externalId, elsewhere] = [newTransfer(), await makeWallet()]
  await report({ externalId, address: elsewhere.address })
  expect(await report({ externalId, address })).toBe('QUARANTINED')
  await advance(api, 'PT61M')
  await untilIdle(workers.receive)
  await untilIdle(workers.advanceAll)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'AWAITING_TRANSFER' })
  const { list, dismiss } = api.app.quarantinedSightings
  const { quarantineId } = first(await list())
  expect(await dismiss({ quarantineId, reason: 'a test' })).toBe(true)
  await untilIdle(workers.advanceAll)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'EXPIRED' })
})

test('a payout from one service wallet to another credits once, although the watcher reports the transfer', async () => {
  await api.app.rates.refresh()
  const from = await makeWallet()
  const to = await makeWallet()
  await report({ address: from.address })
  await untilIdle(workers.receive)
  const wish = { customerId, from: [from.wallet, 'USDC', 'BASE', '20'], to: [to.wallet, 'USDC', 'BASE'] } as const
  const made = first(await createMany(money, wish, 1))
  await untilIdle(workers.advanceAll)
  await untilIdle(workers.payOut)
  expect(await readTransaction(api, made)).toMatchObject({ transactionStatus: 'COMPLETED' })
  const credited = await availableIn(api, to.wallet)
  expect(credited).not.toBe('0.000000')
  const externalId = newTransfer()
  const transfer = { externalId, block: makeBlock(), address: to.address, fromAddress: from.address.toLowerCase() }
  expect(await report({ ...transfer, state: 'SEEN' })).toBe('RECORDED')
  expect(await report(transfer)).toBe('MOVED')
  expect(await report(transfer)).toBe('REPEATED')
  const sent = await api.post(`/sandbox/payment-accounts/${to.wallet}/deposits`, {
    amount: '20',
    currency: 'USDC',
    chain: 'BASE',
    senderAddress: from.address,
  })
  expect(sent.status).toBe(200)
  await untilIdle(workers.receive)
  expect(await depositsOf(externalId)).toEqual([])
  expect(await availableIn(api, to.wallet)).toBe(credited)
})

test('a final block that the chain drops before the deposit exists halts payouts, and no deposit follows', async () => {
  const { wallet, address } = await makeWallet()
  const [externalId, block] = [newTransfer(), makeBlock()]
  await report({ externalId, block, address, fromAddress: makeEvmAddress() })
  expect(await orphan(externalId, block.hash)).toBe('CONTRADICTED')
  await untilIdle(workers.receive)
  expect([await stateOf(externalId), await depositsOf(externalId)]).toEqual(['ORPHANED', []])
  expect(await readMetric(api, 'svc_payouts_halted')).toBe('1')
  expect(await readMetric(api, 'svc_sightings_contradicted_total{method="BASE"}')).toBe('1')
  expect((await api.app.ledger.readHalts(api.app.database)).isHalted('USDC/BASE')).toBe(true)
  expect(await availableIn(api, wallet)).toBe('0.000000')
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
})

test('a transfer that is final in another block than before halts payouts, and stays credited once', async () => {
  const { wallet, address } = await makeWallet()
  const [externalId, newer] = [newTransfer(), makeBlock()]
  const fromAddress = makeEvmAddress()
  await report({ externalId, address, fromAddress })
  await untilIdle(workers.receive)
  expect(await report({ externalId, address, fromAddress, block: newer })).toBe('CONTRADICTED')
  expect(await report({ externalId, address, fromAddress, block: newer })).toBe('REPEATED')
  await untilIdle(workers.receive)
  expect(await availableIn(api, wallet)).toBe('25.000000')
  expect((await api.app.ledger.readHalts(api.app.database)).isHalted('USDC/BASE')).toBe(true)
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
})

test('a transfer that the chain drops twice is reversed twice, and is never there more than once', async () => {
  const { wallet, address } = await makeWallet()
  const [externalId, one, two, three] = [newTransfer(), makeBlock(), makeBlock(), makeBlock()]
  const { list, accept } = api.app.quarantinedSightings
  const waiting = async () => first((await list()).filter((entry) => entry.externalId === externalId)).quarantineId
  const statuses = async () => (await depositsOf(externalId)).map(({ status }) => status)
  await report({ externalId, address, block: one })
  await untilIdle(workers.receive)
  expect(await orphan(externalId, one.hash)).toBe('CONTRADICTED')
  expect(await report({ externalId, address, block: two })).toBe('QUARANTINED')
  await accept({ quarantineId: await waiting(), reason: 'a test' })
  await untilIdle(workers.receive)
  expect(await availableIn(api, wallet)).toBe('50.000000')
  expect(await report({ externalId, address, block: three })).toBe('QUARANTINED')
  const third = { quarantineId: await waiting(), reason: 'a test' }
  await expect(accept(third)).rejects.toMatchObject({ code: 'CONFLICT' })
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
  expect(await orphan(externalId, two.hash)).toBe('CONTRADICTED')
  expect(await orphan(externalId, two.hash)).toBe('REPEATED')
  expect((await api.app.ledger.readHalts(api.app.database)).isHalted('USDC/BASE')).toBe(true)
  expect(await statuses()).toEqual(['REVERSED', 'REVERSED'])
  await accept(third)
  await untilIdle(workers.receive)
  expect(await statuses()).toEqual(['REVERSED', 'REVERSED', 'CREDITED'])
  for (const { reversalId } of await api.app.depositReversals.list()) {
    await api.app.depositReversals.recover({ reversalId, from: 'wallet', reason: 'a test' })
  }
  expect(await availableIn(api, wallet)).toBe('25.000000')
  await api.app.ledger.resumePayouts({ reason: 'a test', force: true })
})
