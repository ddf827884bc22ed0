import { afterAll, expect, test } from 'vitest'
import { readTransfersOf } from '../../../src/chains/payouts/authorization-store.ts'
import { recordAdoption } from '../../../src/chains/scanner/store.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { startPaying } from '../../support/chains/paying-world.ts'
import { tellPayouts } from '../../support/chains/payout-stories.ts'
import {
  availableIn,
  expectVerified,
  readTransaction,
  type Transaction,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { first } from '../../support/runner/first.ts'
import { readMetric } from '../../support/runner/metrics.ts'

/**
 * The nodes of a network show a wrong chain for a moment. Workers believe it until the scanner halts the network; then
 * the nodes have the right chain again, and an operator resumes without adopting anything.
 */
const network = 'BASE'
const world = await startPaying({ settings: { SVC_LEASE_MS: '3000' } })
const { api, chains, rows, until } = world
const { control } = chains
const { pay, relaysOf, stranger, transfersTo, expectPaidOnce } = await tellPayouts(world, network)
const owner = openDatabase({ connection: api.database.owner })
afterAll(async () => {
  await owner.close()
  await expectVerified(api)
})

type Paid = Transaction & { to: string }

const complete = (transaction: Paid) => waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })
const hashOf = async (paid: Paid) => (await readTransaction(api, paid)).destination.destinationReferenceId
const headOf = async () => (await control.status()).find((each) => each.network === network)?.head.number ?? 0
const stateOf = async () => (await api.app.chains.list()).find((each) => each.network === network)

/** Keeps the scanner from its next turn, as a worker that hangs does. */
const holdScanner = () =>
  rows(`update svc.chain_scans set lease_until = clock_timestamp() + interval '1 hour', fence = fence + 1
         where network = '${network}'`)

/** Records the halt that the scanner finds while the nodes show the wrong chain, and lets an operator end it. */
async function haltAndResume() {
  await rows(
    `update svc.chain_scans set halted_at = clock_timestamp(), halt_reason = 'a wrong chain', lease_until = null,
            fence = fence + 1
      where network = '${network}'`,
  )
  expect(await api.app.chains.resume({ network, reason: 'the nodes are right again', adopt: false })).toBe(true)
  await until(async () => expect((await stateOf())?.haltedAt).toBeNull())
}

const expectReconciled = () =>
  until(async () => {
    expect(await rows(`select from svc.relay_nonces where state = 'OPEN'`)).toEqual([])
    const reports = await api.app.chainPayouts.comparisons.compareAll()
    expect(reports.find((each) => each.network === network)?.differences).toEqual([])
  })

test('a payout that was confirmed in the wrong chain alone is judged anew, and reaches its receiver once', async () => {
  await until(async () => expect((await stateOf())?.finalNumber).toBe(String((await headOf()) - 2)))
  await holdScanner()
  const from = (await headOf()) + 1
  const lost = await pay()
  await complete(lost)
  const hash = await hashOf(lost)
  await control.reorg(network, { depth: (await headOf()) - from + 1, drop: [hash], force: true })
  expect(await transfersTo(lost.to)).toEqual([])
  await haltAndResume()
  await until(() => expectPaidOnce(lost))
  await until(async () => {
    expect(await rows('select from svc.payouts where unconfirmed_at is not null')).toEqual([])
    expect(await readMetric(api, 'svc_payouts_contradicted')).toBe('0')
  })
  // The same bytes: a second authorization could not have been signed meanwhile.
  expect(await hashOf(lost)).toBe(hash)
  expect(await relaysOf(lost)).toMatchObject([{ version: 1, state: 'MINED', isSuccessful: true }])
  await expectReconciled()
})

test('a quiet network that is resumed judges payouts anew whose blocks our record does not have', async () => {
  const paid = await pay()
  await complete(paid)
  await until(async () => expect((await stateOf())?.finalNumber).toBe(String((await headOf()) - 2)))
  const blockOf = () =>
    rows<{ hash: string; reopenings: number }>(
      `select nonce.block_hash as hash, nonce.reopenings from svc.relay_nonces as nonce
         join svc.transfer_authorizations using (authorization_id) join svc.payouts using (payout_id)
        where transaction_id = $1`,
      [paid.transactionId],
    )
  const { hash } = first(await blockOf())
  // The worker had read another block, at the same place of the wrong chain.
  const wrong = `0x${'9'.repeat(64)}`
  await owner.query({
    text: 'update svc.relay_nonces set block_hash = $1 where block_hash = $2',
    values: [wrong, hash],
  })
  await owner.query({
    text: `update svc.payout_attempts set details = jsonb_set(details, '{block,hash}', to_jsonb($1::text))
            where details #>> '{block,hash}' = $2`,
    values: [wrong, hash],
  })
  await haltAndResume()
  await until(async () => {
    expect(await blockOf()).toEqual([{ hash, reopenings: 1 }])
    expect(await rows('select from svc.payouts where unconfirmed_at is not null')).toEqual([])
    expect(await readMetric(api, 'svc_payouts_contradicted')).toBe('0')
  })
  await expectPaidOnce(paid)
  await expectReconciled()
})

test('a payout is looked for down to the forks that came after its request, and not further', async () => {
  const { database } = api.app
  const adoptAbove = (above: bigint) => database.inTx((tx) => recordAdoption(tx, network, above))
  await adoptAbove(1n)
  const paid = await pay()
  await complete(paid)
  const [asked] = await rows<{ payoutId: string; afterBlock: string }>(
    `select payout_id as "payoutId", after_block::text as "afterBlock" from svc.transfer_authorizations
       join svc.payouts using (payout_id) where transaction_id = $1`,
    [paid.transactionId],
  )
  const lowestOf = async () => first(await readTransfersOf(database, network, [asked?.payoutId ?? ''])).afterBlock
  const afterBlock = BigInt(asked?.afterBlock ?? 0)
  expect(afterBlock).toBeGreaterThan(3n)
  expect(await lowestOf()).toBe(String(afterBlock))
  await adoptAbove(afterBlock + 5n)
  expect(await lowestOf()).toBe(String(afterBlock))
  await adoptAbove(afterBlock - 2n)
  expect(await lowestOf()).toBe(String(afterBlock - 2n))
})

test('a deposit in a block of the wrong chain is judged anew, and stays because the right chain has it', async () => {
  const { wallet, address } = await world.makeWallet()
  await stranger.transfer(address, 4_000_000n)
  const available = () => availableIn(api, wallet, 'USDC', network)
  await until(async () => expect(await available()).toBe('4.000000'))
  const sightings = () =>
    rows(`select block_hash, block_number, state from svc.sightings where address = $1`, [address])
  const before = await sightings()
  await owner.query({
    text: 'update svc.sightings set block_hash = $2 where address = $1',
    values: [address, `0x${'8'.repeat(64)}`],
  })
  await haltAndResume()
  await until(async () => expect(await sightings()).toEqual(before))
  expect(await available()).toBe('4.000000')
})
