import { afterEach, expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import type { FaultKind } from '../../../src/sandbox/chains/faults.ts'
import { killScanners } from '../../support/chains/killed-scanners.ts'
import { startSolana } from '../../support/chains/solana-world.ts'
import { startMortal } from '../../support/faults/mortal.ts'
import { expectVerified, type Transaction, waitForTransaction } from '../../support/money/transactions.ts'
import { simulatedBank } from '../../support/runner/api.ts'
import { first } from '../../support/runner/first.ts'

/** The receiver gets exactly one transfer, regardless of what nodes and workers do. */
const world = await startSolana({ settings: { SVC_RPC_TIMEOUT_MS: '1000', SVC_SOLANA_MAX_PRIORITY: '60000' } })
const { api, control, rows, until, transfersTo } = world
const { wallet } = await world.fundWallet(10n ** 12n)

afterEach(async () => {
  await control.clearFaults('SOLANA')
  await control.resume('SOLANA')
  await expectVerified(api)
})

const pay = () => world.pay(wallet)
const complete = (transaction: Pick<Transaction, 'transactionId'>) =>
  waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })

/** The transactions that were signed for a payout, in their order. */
const attemptsOf = ({ transactionId }: Pick<Transaction, 'transactionId'>) =>
  rows<{ state: string; isSuccessful: boolean | null; sends: number; signature: string; failure: string | null }>(
    `select transfer.state, transfer.is_successful as "isSuccessful", transfer.sends, transfer.signature, transfer.failure
       from svc.payouts as payout join svc.solana_transfers as transfer using (payout_id)
      where payout.transaction_id = $1 and payout.purpose = 'PAYOUT' and transfer.raw is not null
      order by transfer.requested_at`,
    [transactionId],
  )

const isSent = (paid: Transaction) => until(async () => expect(first(await attemptsOf(paid)).sends).toBeGreaterThan(0))

async function expectPaidOnce({ to, transactionId }: Transaction & { to: string }): Promise<void> {
  const [payout] = await rows<{ amount: string; reference: string }>(
    `select amount::text, external_reference as reference from svc.payouts
      where transaction_id = $1 and purpose = 'PAYOUT'`,
    [transactionId],
  )
  expect(await transfersTo(to)).toEqual([BigInt(payout?.amount ?? 0)])
  const paid = (await attemptsOf({ transactionId })).filter(({ isSuccessful }) => isSuccessful)
  expect(paid.map(({ signature }) => signature)).toEqual([payout?.reference])
}

// biome-ignore format: a table is read by column
test.each<[FaultKind, number]>([
  ['drop_transaction',  1],
  ['expired_blockhash', 1],
  ['stale_head',        6],
  ['null_receipt',      6],
  ['already_processed', 1],
  ['node_behind',       6],
  ['rate_limited',      8],
  ['down',              8],
  ['slow',              3],
  ['empty_signatures',  4],
])('%s: one transfer', async (kind, calls) => {
  await control.fault('SOLANA', { kind, calls, milliseconds: 2_000 })
  const paid = await pay()
  await complete(paid)
  await control.clearFaults('SOLANA')
  await expectPaidOnce(paid)
  expect(await attemptsOf(paid)).toHaveLength(1)
})

test('a price of priority above the cap is not paid: the transaction waits until fees fall', async () => {
  await control.fees('SOLANA', { multiplier: 100 })
  const paid = await pay()
  await isSent(paid)
  expect(await transfersTo(paid.to)).toEqual([])
  await control.fees('SOLANA', { multiplier: 1 })
  await complete(paid)
  await expectPaidOnce(paid)
  const { signature } = (await attemptsOf(paid)).at(-1) ?? { signature: '' }
  const read = await world.rpc
    .getTransaction(signature as never, { encoding: 'json', maxSupportedTransactionVersion: 0 })
    .send()
  // Two signatures, and 120,000 units at the price of the cap at most.
  expect(read?.meta?.fee).toBeLessThanOrEqual(10_000n + 7_200n)
})

test('the blockhash expires before a node takes the bytes: they are dead, and the next attempt pays', async () => {
  await control.fault('SOLANA', { kind: 'drop_transaction', calls: 1_000 })
  const paid = await pay()
  await isSent(paid)
  await control.mine('SOLANA', { blocks: 155 })
  await until(async () => expect((await attemptsOf(paid))[0]).toMatchObject({ state: 'DEAD' }))
  await control.clearFaults('SOLANA')
  await complete(paid)
  await expectPaidOnce(paid)
  expect((await attemptsOf(paid)).map(({ state }) => state)).toEqual(['DEAD', 'FINAL'])
})

test('the transaction lands in the last block that takes it, while nodes do not tell: no second one is signed', async () => {
  await control.pause('SOLANA')
  const paid = await pay()
  await isSent(paid)
  await control.fault('SOLANA', { kind: 'null_receipt', calls: 60 })
  await control.mine('SOLANA', { blocks: 1 })
  await control.mine('SOLANA', { blocks: 160 })
  await control.resume('SOLANA')
  await complete(paid)
  await expectPaidOnce(paid)
  expect(await attemptsOf(paid)).toHaveLength(1)
})

test('a fork drops the transaction: the same bytes are broadcast anew, and pay once', async () => {
  await control.pause('SOLANA')
  const paid = await pay()
  await isSent(paid)
  await control.mine('SOLANA', { blocks: 1 })
  await control.reorg('SOLANA', { depth: 1, drop: true })
  await control.resume('SOLANA')
  await complete(paid)
  await expectPaidOnce(paid)
  expect(await attemptsOf(paid)).toHaveLength(1)
})

test('a receiver whose token account the issuer has frozen: the transaction fails for good, once its failure is final', async () => {
  await control.pause('SOLANA')
  const paid = await pay()
  await control.administer('SOLANA', { key: newId(), currency: 'USDC', act: 'blacklist', account: paid.to })
  await control.resume('SOLANA')
  await waitForTransaction(api, paid, { transactionStatus: 'FAILED', failureReason: 'destination_refused_funds' })
  expect(await transfersTo(paid.to)).toEqual([])
  const attempts = await attemptsOf(paid)
  expect(attempts).toMatchObject([{ state: 'FINAL', isSuccessful: false }])
})

const points = [
  'payouts started',
  'transfers signed',
  'payouts committed',
  'relays sent',
  'payout sent',
  'nonces settled',
  'confirmed payout about to be committed',
]

const all = { ...simulatedBank({}), SVC_SANDBOX_PAYOUT_DELAY: '0', ...world.settings }

test('workers are killed while they scan: every deposit is credited once', async () => {
  await api.stop()
  await killScanners({ ...world, network: 'SOLANA', settings: all })
})

test('a worker is killed at each step, the next one heals its payout and is killed at the next step', async () => {
  await api.stop()
  const paid: (Transaction & { to: string })[] = []
  for (const point of points) {
    paid.push(await pay())
    const { died } = startMortal(api, { settings: all, dieAt: { point, times: 1 } })
    expect(await died, point).toBe('SIGKILL')
  }
  const worker = await api.app.startWorker()
  for (const each of paid) await complete(each)
  for (const each of paid) await expectPaidOnce(each)
  await worker.stop()
})
