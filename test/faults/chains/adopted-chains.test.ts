import { afterAll, expect, test } from 'vitest'
import { endHalt } from '../../../src/chains/scanner/state-store.ts'
import { payoutMoves } from '../../../src/transactions/payouts/payout.ts'
import { confirmPayouts } from '../../../src/transactions/payouts/settlement-store.ts'
import type { ClaimedPayout } from '../../../src/transactions/payouts/store.ts'
import { openOutsideWallet } from '../../support/chains/outside-wallet.ts'
import { startPaying } from '../../support/chains/paying-world.ts'
import { tellPayouts } from '../../support/chains/payout-stories.ts'
import {
  advance,
  availableIn,
  expectVerified,
  readTransaction,
  type Transaction,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { first } from '../../support/runner/first.ts'
import { readMetric } from '../../support/runner/metrics.ts'

/** A network drops final blocks with our payouts, and an operator adopts its new chain. */
const network = 'BASE'
const world = await startPaying({ settings: { SVC_LEASE_MS: '3000' } })
const { api, chains, rows, until, clientOf } = world
const { control } = chains
const { pay, relaysOf, transfersTo, expectPaidOnce } = await tellPayouts(world, network)
afterAll(() => expectVerified(api))

type Paid = Transaction & { to: string }

const complete = (transaction: Paid) => waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })
const hashOf = async (paid: Paid) => (await readTransaction(api, paid)).destination.destinationReferenceId
const headOf = async () => (await control.status()).find((each) => each.network === network)?.head.number ?? 0
const stateOf = async () => (await api.app.chains.list()).find((each) => each.network === network)
const isHalted = async () => expect((await stateOf())?.haltedAt).not.toBeNull()
const adoptNow = async () =>
  expect(await api.app.chains.resume({ network, reason: 'the chain is right', adopt: true })).toBe(true)

/** Replaces every block from `from` on, forgets these transactions, and lets an operator adopt the new chain. */
async function adopt(from: number, drop: string[], before: () => Promise<unknown> = async () => {}) {
  await until(async () => expect(Number((await stateOf())?.finalNumber)).toBeGreaterThan(from))
  await control.reorg(network, { depth: (await headOf()) - from + 1, drop, force: true })
  await until(isHalted)
  await before()
  await adoptNow()
}

const resumePayouts = () =>
  until(async () => {
    await api.app.ledger.resumePayouts({ reason: 'the books are right', force: true })
    expect(await rows('select from svc.payout_halts where resumed_at is null')).toEqual([])
  })

/** Gas is booked once for each transaction in the adopted chain: the ledger has the coins that the relayer has. */
async function expectGasBooked() {
  const relayer = (await api.app.custody.findServiceAddress('EVM', 'RELAYER')) as `0x${string}`
  await until(async () => {
    expect(await rows(`select from svc.relay_nonces where state = 'OPEN'`)).toEqual([])
    const [booked] = await rows<{ coins: string }>(
      `select (-sum(entry.amount))::text as coins from svc.entries as entry
         join svc.ledger_accounts as account using (organization_id, account_id)
        where account.kind = 'TREASURY' and account.asset = 'ETH/BASE'`,
    )
    expect(BigInt(booked?.coins ?? 0)).toBe(await clientOf(network).getBalance({ address: relayer }))
  })
}

const expectReconciled = () =>
  until(async () => {
    const reports = await api.app.chainPayouts.comparisons.compareAll()
    expect(reports.find((each) => each.network === network)?.differences).toEqual([])
  })

test('payouts whose blocks are gone leave once more with the same bytes, without a gap, and gas is booked once', async () => {
  const from = (await headOf()) + 1
  const [lost, moved] = [await pay(), await pay()]
  await complete(lost)
  await complete(moved)
  const hashes = [await hashOf(lost), await hashOf(moved)]
  await adopt(from, hashes.slice(0, 1))
  await until(() => {
    const named = api.logs.filter((line) => line.includes('a chain has dropped the final block of a payout'))
    for (const hash of hashes) expect(named.some((line) => line.includes(hash))).toBe(true)
  })
  await until(async () => {
    expect(await rows('select from svc.payouts where unconfirmed_at is not null')).toEqual([])
    expect(await readMetric(api, 'svc_payouts_contradicted')).toBe('0')
    // The log names them before the commit that makes them doubtful.
    await expectPaidOnce(lost)
    await expectPaidOnce(moved)
  })
  expect([await hashOf(lost), await hashOf(moved)]).toEqual(hashes)
  expect((await relaysOf(lost)).map(({ version, isSuccessful }) => [version, isSuccessful])).toEqual([[1, true]])
  await expectGasBooked()
  await resumePayouts()
  const next = await pay()
  await complete(next)
  await expectPaidOnce(next)
  await expectReconciled()
})

test('a payout that can no longer be paid is contradicted, and its money is kept for the customer', async () => {
  const from = (await headOf()) + 1
  const lost = await pay()
  await complete(lost)
  const hash = await hashOf(lost)
  await adopt(from, [hash], () => advance(api, 'PT61M'))
  await waitForTransaction(api, lost, {
    transactionStatus: 'FAILED',
    failureReason: 'destination_returned_funds',
  })
  expect(await transfersTo(lost.to)).toEqual([])
  expect(await readMetric(api, 'svc_payouts_contradicted')).toBe('1')
  const [listed] = await api.app.manualSettlements.listContradicted()
  expect(listed?.status).toBe('RETURNED')
  expect(await api.app.manualSettlements.acknowledge({ payoutId: listed?.payoutId ?? '', reason: 'seen' })).toBe(true)
  // Its nonce is filled, so that later payouts pass.
  await expectGasBooked()
  expect((await relaysOf(lost)).at(-1)).toMatchObject({ state: 'MINED', isSuccessful: false })
  await resumePayouts()
  // The operator pays the returned funds out: a new obligation, because the old one is dead.
  const resolved = await api.post(`/transactions/${lost.transactionId}/resolve`, {
    action: 'PAY_AGAIN',
    reason: 'once',
  })
  expect([resolved.status, resolved.body]).toEqual([200, expect.anything()])
  await until(async () => expect(await transfersTo(lost.to)).toHaveLength(1))
  await until(async () => {
    expect((await readTransaction(api, lost)).repayment).toMatchObject({ repaymentStatus: 'COMPLETED' })
  })
  await expectReconciled()
})

test('a deposit whose block is gone is reversed, and the log names it', async () => {
  const stranger = await openOutsideWallet(chains, network)
  const { wallet, address } = await world.makeWallet()
  const from = (await headOf()) + 1
  const hash = await stranger.transfer(address, 5_000_000n)
  await until(async () => expect(await availableIn(api, wallet, 'USDC', network)).toBe('5.000000'))
  await adopt(from, [hash])
  const owed = await until(async () => {
    const reversals = await api.app.depositReversals.list()
    expect(reversals).toMatchObject([{ amount: '5000000', status: 'OPEN' }])
    return reversals
  })
  expect(api.logs.filter((line) => line.includes('a chain has dropped a final block')).join('\n')).toContain(hash)
  // The customer still has it in the wallet, and the address lacks it, until the operator takes it back.
  const reversalId = owed[0]?.reversalId ?? ''
  await api.app.depositReversals.recover({ reversalId, from: 'wallet', reason: 'never spent' })
  expect(await availableIn(api, wallet, 'USDC', network)).toBe('0.000000')
  await resumePayouts()
  await expectReconciled()
})

test('between the decision to adopt and the adoption no nonce ends, so gas is booked once', async () => {
  await control.pause(network)
  const paid = await pay()
  await until(async () => expect((await relaysOf(paid))[0]?.sends).toBeGreaterThan(0))
  await control.reorg(network, { depth: 4, force: true })
  await until(isHalted)
  await control.mine(network, { blocks: 4 })
  await control.resume(network)
  const hold = (until: string) =>
    `update svc.chain_scans set lease_until = ${until}, fence = fence + 1 where network = '${network}'`
  await api.app.database.inTx(async (tx) => {
    expect(await endHalt(tx, network, true)).toBe(true)
    // The worker that scans the network is slow.
    await tx.query({ text: hold(`clock_timestamp() + interval '1 hour'`) })
  })
  const hooks = { bookGas: async () => {}, expedite: async () => {}, report: async () => {}, onFailure: () => {} }
  for (const upkeep of api.app.chainPayouts.upkeeps) if (upkeep.network === network) await upkeep.keepUp(hooks)
  expect(await relaysOf(paid)).toMatchObject([{ state: 'OPEN' }])
  await rows(hold('null'))
  await complete(paid)
  await expectPaidOnce(paid)
  await expectGasBooked()
  expect(await readMetric(api, 'svc_payouts_contradicted')).toBe('0')
  await resumePayouts()
})

test('a worker whose answer is about a dropped block records nothing: the payout is judged anew', async () => {
  await control.pause(network)
  const from = (await headOf()) + 1
  const paid = await pay()
  await until(async () => expect((await relaysOf(paid))[0]?.sends).toBeGreaterThan(0))
  // A worker claims the payout and reads that its nonce is mined in a final block; it is slow to record this.
  const claimed = await until(async () => {
    const found = await rows<ClaimedPayout>(
      `update svc.payouts set fence = fence + 1, lease_until = clock_timestamp() + interval '1 hour'
        where transaction_id = $1 and status = 'SENT' and lease_until is null
    returning organization_id as "organizationId", payout_id as "payoutId", method, fence::text as fence`,
      [paid.transactionId],
    )
    return first(found)
  })
  await control.resume(network)
  const { hash, number } = await until(async () =>
    first(
      await rows<{ hash: string; number: string }>(
        `select nonce.hash, nonce.block_number::text as number from svc.relay_nonces as nonce
           join svc.transfer_authorizations as request using (authorization_id)
          where request.payout_id = $1 and nonce.state = 'MINED'`,
        [claimed.payoutId],
      ),
    ),
  )
  await adopt(from, [hash])
  await until(async () => expect((await stateOf())?.haltedAt).toBeNull())
  const block = { number: BigInt(number), hash: 'dropped' }
  const payment = { externalReference: hash, amount: 1n, block, costs: [] }
  await api.app.database.inTx(async (tx) => {
    expect(await confirmPayouts(tx, payoutMoves.confirm, [{ payout: claimed, payment }])).toEqual([false])
  })
  await complete(paid)
  await expectPaidOnce(paid)
  await expectGasBooked()
  await resumePayouts()
  await expectReconciled()
})
