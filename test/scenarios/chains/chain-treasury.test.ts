import { encodeFunctionData, type Hex, parseAbi, parseSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'
import { chainIds } from '../../../src/catalog/chain-ids.ts'
import { sumPromised } from '../../../src/chains/payouts/authorization-store.ts'
import { readClock } from '../../../src/db/business-clock.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { openEntropy } from '../../../src/signer/seed.ts'
import { resumeSigning, stopSigning } from '../../../src/signer/signing/service.ts'
import { registerReserve } from '../../../src/signer/store.ts'
import type { Rail } from '../../../src/transactions/payouts/rail.ts'
import { createObligations } from '../../support/chains/obligations.ts'
import { contractOf } from '../../support/chains/outside-wallet.ts'
import { startPaying } from '../../support/chains/paying-world.ts'
import { tellPayouts } from '../../support/chains/payout-stories.ts'
import { bankAccountOf, bankAccounts, createAccount } from '../../support/money/payment-accounts.ts'
import {
  advance,
  availableIn,
  createTransaction,
  expectVerified,
  sendDeposit,
  type Transaction,
  transferReference,
  waitForTransaction,
} from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { entropyOf, importServiceSeed, knownPhrases } from '../../support/money/wallets.ts'
import { first } from '../../support/runner/first.ts'
import { makeSigner } from '../../support/secrets/signer.ts'

/** Our own money on a real chain: fees, the reserve, the switches of the signer, and a treasury of another seed. */
const network = 'BASE'
const asset = 'USDC/BASE'
const world = await startPaying()
const { api, chains, rows, until, balanceOf, customerId, organizationId, makeExternal } = world
const { control } = chains
const { pay, from, wallet, relaysOf, stranger, transfersTo, expectPaidOnce } = await tellPayouts(world, network)
const { paymentAccountId: bank } = await createAccount(api, bankAccountOf(customerId, bankAccounts.ACH()))
const operator = openDatabase({ ...api.database.signer, connections: 1 })
const treasury = (await api.app.custody.findServiceAddress('EVM', 'TREASURY')) ?? ''

const complete = (transaction: Pick<Transaction, 'transactionId'>) =>
  waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })
const units = (amount: string) => BigInt(amount.replace('.', ''))
const payoutsOf = (purpose: string) =>
  rows<{ status: string; amount: string; sender: string | null; to: string | null }>(
    `select payout.status, payout.amount::text, request.from_address as sender, request.to_address as "to"
       from svc.payouts as payout left join svc.transfer_authorizations as request using (payout_id)
      where payout.purpose = $1 order by payout.payout_id`,
    [purpose],
  )

const readReserve = async () =>
  first(await rows<{ address: string }>(`select address from svc.reserve_addresses where kind = 'EVM'`)).address

/** Buys tokens with dollars: our treasury pays. */
async function buy(): Promise<Transaction & { to: string }> {
  const { external, address: to } = await makeExternal(network)
  const wish = { customerId, from: [bank, 'USD', 'ACH', '50.00'], to: [external, 'USDC', network] } as const
  const transaction = await createTransaction(api, { ...wish, from: [...wish.from], to: [...wish.to] })
  const reference = transferReference(transaction)
  await sendDeposit(api, bank, { amount: '50.00', currency: 'USD', rail: 'ACH', reference })
  return { ...(await complete(transaction)), to }
}

test('fees that lie at a wallet are swept to the treasury as an obligation', async () => {
  const paid = await complete(await pay())
  const fee = 10_000_000n - units(paid.destination.destinationAmount)
  expect(fee).toBeGreaterThan(0n)
  const before = await balanceOf(network, treasury)
  expect(await api.app.collections.collect(organizationId)).toMatchObject([{ purpose: 'SWEEP', amount: String(fee) }])
  await until(async () =>
    expect(await payoutsOf('SWEEP')).toEqual([
      { status: 'CONFIRMED', amount: String(fee), sender: from, to: treasury },
    ]),
  )
  expect((await balanceOf(network, treasury)) - before).toBe(fee)
  expect(await balanceOf(network, from)).toBe(units(await availableIn(api, wallet, 'USDC', network)))
  expect(await api.app.collections.collect(organizationId)).toEqual([])
})

test('tokens of the treasury go to our reserve, and the source of a sale fills the treasury', async () => {
  const reserve = makeEvmAddress()
  await operator.inTx((tx) => registerReserve(tx, 'EVM', reserve, 'ada'))
  await buy()
  const before = await balanceOf(network, treasury)
  await api.app.treasury.send({ organizationId, asset, amount: '40', reason: 'To the vault' })
  await until(async () => expect(await payoutsOf('REBALANCE')).toMatchObject([{ status: 'CONFIRMED', to: reserve }]))
  expect(await balanceOf(network, reserve)).toBe(40_000_000n)
  const wish = { customerId, from: [wallet, 'USDC', network, '15'], to: [bank, 'USD', 'ACH'] } as const
  await complete(await createTransaction(api, { ...wish, from: [...wish.from], to: [...wish.to] }))
  await until(async () =>
    expect(await payoutsOf('COLLECT')).toMatchObject([{ status: 'CONFIRMED', sender: from, to: treasury }]),
  )
  expect((await balanceOf(network, treasury)) - before).toBe(-25_000_000n)
})

test('the kill switch stops a payout before it is signed, and resuming lets it leave, once', async () => {
  onTestFinished(async () => void (await resumeSigning(operator, 'ada')))
  await stopSigning(operator, 'a drill', 'ada')
  const paid = await pay()
  await until(async () => {
    const [payout] = await rows<{ status: string; asks: number }>(
      'select status, asks from svc.payouts where transaction_id = $1',
      [paid.transactionId],
    )
    expect(payout).toMatchObject({ status: 'WAITING', asks: expect.any(Number) })
    expect(payout?.asks).toBeGreaterThan(0)
  })
  expect([await relaysOf(paid), await transfersTo(paid.to)]).toEqual([[], []])
  await resumeSigning(operator, 'ada')
  await advance(api, 'PT2M')
  await complete(paid)
  await expectPaidOnce(paid)
})

test.each(['HOUR', 'DAY'])(
  'a budget of gas per %s stops relays and is reported; a higher one lets them leave',
  async (span) => {
    await api.signer.stop()
    const bounded = makeSigner(api.database, { [`SVC_BASE_GAS_PER_${span}`]: '1' })
    // As if the transactions so far had used it up.
    const owner = openDatabase({ connection: api.database.owner })
    await owner.query({ text: `update svc.relay_transactions set gas_limit = 1000000000 where raw is not null` })
    bounded.start()
    const paid = await pay()
    await until(() => expect(bounded.problems.join('\n')).toContain(`is not signed: GAS_PER_${span}`))
    expect(await transfersTo(paid.to)).toEqual([])
    await bounded.stop()
    api.signer.start()
    await owner.query({
      text: 'update svc.relay_transactions set retry_at = clock_timestamp() where retry_at is not null',
    })
    await owner.close()
    await complete(paid)
    await expectPaidOnce(paid)
  },
)

test('a cancelled authorization fails the transaction, and the money stays with the customer', async () => {
  const before = await availableIn(api, wallet, 'USDC', network)
  await control.pause(network)
  await control.fault(network, { kind: 'drop_transaction', calls: 1 })
  const paid = await pay()
  await until(async () => expect(first(await relaysOf(paid)).sends).toBeGreaterThan(0))
  const signed = first(
    await rows<{ nonce: Hex; index: number }>(
      `select nonce, address_index as index from svc.transfer_authorizations
         join svc.payouts using (payout_id) join svc.wallet_addresses as pool on pool.address = from_address
        where transaction_id = $1`,
      [paid.transactionId],
    ),
  )
  const { privateKey } = openEntropy(entropyOf(knownPhrases.WALLETS)).keyAt('EVM', signed.index)
  const owner = privateKeyToAccount(`0x${Buffer.from(privateKey).toString('hex')}`)
  const signature = parseSignature(
    await owner.signTypedData({
      domain: {
        name: 'USDC',
        version: '2',
        chainId: chainIds.sandbox[network],
        verifyingContract: contractOf(network),
      },
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: { authorizer: from as Hex, nonce: signed.nonce },
    }),
  )
  const abi = parseAbi([
    'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  ])
  const args = [from as Hex, signed.nonce, Number(signature.v), signature.r, signature.s] as const
  const hash = await stranger.send(
    contractOf(network),
    encodeFunctionData({ abi, functionName: 'cancelAuthorization', args }),
  )
  await control.mine(network, { blocks: 4 })
  expect((await stranger.receipt(hash)).status).toBe('success')
  await control.resume(network)
  await waitForTransaction(api, paid, { transactionStatus: 'FAILED', failureReason: 'destination_refused_funds' })
  expect(await transfersTo(paid.to)).toEqual([])
  expect(await availableIn(api, wallet, 'USDC', network)).toBe(before)
  await until(async () => expect((await relaysOf(paid)).at(-1)?.state).toBe('MINED'))
})

test('after another seed was imported, the former treasury pays until it is drained, then the new one', async () => {
  await expectVerified(api)
  await importServiceSeed(api)
  const successor = (await api.app.custody.findServiceAddress('EVM', 'TREASURY')) ?? ''
  expect(successor).not.toBe(treasury)
  const senderOf = async ({ transactionId }: Transaction) =>
    first(
      await rows<{ sender: string }>(
        `select from_address as sender from svc.transfer_authorizations join svc.payouts using (payout_id)
          where transaction_id = $1 and purpose = 'PAYOUT'`,
        [transactionId],
      ),
    ).sender
  const early = await buy()
  expect(await senderOf(early)).toBe(treasury)
  await expectPaidOnce(early)
  const left = await balanceOf(network, treasury)
  const burn = { key: newId(), currency: 'USDC', act: 'burn', account: treasury, amount: String(left - 1n) } as const
  await control.administer(network, burn)
  await control.faucet(network, { key: newId(), address: successor, currency: 'USDC', amount: String(left - 1n) })
  const late = await buy()
  expect(await senderOf(late)).toBe(successor)
  await expectPaidOnce(late)
  expect(await balanceOf(network, treasury)).toBe(1n)
})

test('two batches at the same time promise the tokens of a former treasury once', async () => {
  const owner = openDatabase({ connection: api.database.owner })
  const amount = 600_000n
  const rail = api.app.chainPayouts.rails.find(({ methods }) => methods.includes(network)) as Rail
  const worker = createObligations({ owner, sealAll: api.signer.sealAll, network, amount }).workerOf(rail)
  const successor = (await api.app.custody.findServiceAddress('EVM', 'TREASURY')) ?? ''
  const drained = String((await balanceOf(network, successor)) - amount + 1n)
  const burn = { key: newId(), currency: 'USDC', act: 'burn', account: successor, amount: drained } as const
  await control.administer(network, burn)
  await control.faucet(network, { key: newId(), address: treasury, currency: 'USDC', amount: '1000000' })
  await control.mine(network, { blocks: 3 })
  const prepare = async () => {
    const facts = { purpose: 'REBALANCE', method: network, asset, amount, from: { type: 'TREASURY' } } as const
    const order = { ...facts, reference: newId(), shortReference: 'none', attempt: 1, memo: '' }
    const notAfter = new Date((await readClock(api.app.database)).now.getTime() + 3_600_000)
    const destination = { type: 'ADDRESS', address: await readReserve() } as const
    const originator = { customerId: null, name: '' }
    await worker.prepare([{ ...order, notAfter, destination, originator }], { signal: new AbortController().signal })
    return order.reference
  }
  const references = await Promise.all([prepare(), prepare()])
  const senders = await rows<{ sender: string }>(
    `select treasury_address as sender from svc.transfer_authorizations
      where payout_id = any($1) and problem is null`,
    [references],
  )
  expect(senders.map(({ sender }) => sender).toSorted()).toEqual([treasury, successor].toSorted())
  const promised = await rows<{ end: string }>(
    `select valid_before::text as end from svc.transfer_authorizations
      where payout_id = any($1) and treasury_address = $2 and problem is null`,
    [references, treasury],
  )
  const end = BigInt(first(promised).end)
  const promisedAt = (timestamp: bigint) => {
    const final = { number: 10n ** 9n, hash: '', parentHash: '', timestamp }
    return api.app.database.inTx((tx) => sumPromised(tx, { asset, addresses: [treasury], final }))
  }
  // By the time of the final block, not by our clock: until then the chain may execute it.
  expect([await promisedAt(end - 1n), await promisedAt(end)]).toEqual([[amount], [0n]])
  await owner.close()
  await operator.close()
})
