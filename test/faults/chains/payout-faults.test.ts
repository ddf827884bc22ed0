import { encodeFunctionData, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { chainIds } from '../../../src/catalog/chain-ids.ts'
import { nonceOf } from '../../../src/lib/evm/authorization.ts'
import { newId } from '../../../src/lib/ids.ts'
import type { FaultKind } from '../../../src/sandbox/chains/faults.ts'
import { openEntropy } from '../../../src/signer/seed.ts'
import { contractOf } from '../../support/chains/outside-wallet.ts'
import { startPaying } from '../../support/chains/paying-world.ts'
import { tellPayouts } from '../../support/chains/payout-stories.ts'
import { advance, expectVerified, waitForTransaction } from '../../support/money/transactions.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'
import { entropyOf, knownPhrases } from '../../support/money/wallets.ts'
import { first } from '../../support/runner/first.ts'

/** The receiver gets exactly one transfer, regardless of what the nodes of a network do. */
const world = await startPaying({ settings: { SVC_RPC_TIMEOUT_MS: '1000' } })
const { api, chains, rows, until, clientOf } = world
const { control } = chains
const network = 'BASE'
const story = await tellPayouts(world, network)
const { pay, expectPaidOnce, relaysOf, stranger, transfersTo } = story

afterEach(async () => {
  await control.clearFaults(network)
  await control.fees(network, { multiplier: 1 })
  await control.resume(network)
  await expectVerified(api)
})

const complete = (transaction: { transactionId: string }) =>
  waitForTransaction(api, transaction, { transactionStatus: 'COMPLETED' })

// biome-ignore format: a table is read by column
test.each<[FaultKind, number]>([
  ['drop_transaction', 1],
  ['stale_head',       6],
  ['null_receipt',     6],
  ['already_known',    1],
  ['nonce_too_low',    1],
  ['rate_limited',     8],
  ['down',             8],
  ['slow',             3],
])('%s: one transfer', async (kind, calls) => {
  await control.fault(network, { kind, calls, milliseconds: 2_000 })
  const paid = await pay()
  await complete(paid)
  await control.clearFaults(network)
  await expectPaidOnce(paid)
  const nonces = new Set((await relaysOf(paid)).map(({ nonce }) => nonce))
  expect(nonces.size).toBe(1)
})

test('fees rise fifty times while a transaction waits: a replacement pays, once', async () => {
  await control.pause(network)
  const paid = await pay()
  await until(async () => expect(first(await relaysOf(paid)).sends).toBeGreaterThan(0))
  await control.fees(network, { multiplier: 50 })
  await control.resume(network)
  await complete(paid)
  await expectPaidOnce(paid)
  expect((await relaysOf(paid)).map(({ version }) => version)).toEqual([1, 2])
})

test('fees above the cap: the payout waits until they have fallen', async () => {
  await control.fees(network, { multiplier: 1_000_000 })
  const paid = await pay()
  await until(async () => {
    const [payout] = await rows<{ status: string; asks: number }>(
      'select status, asks from svc.payouts where transaction_id = $1',
      [paid.transactionId],
    )
    // The worker may have read the fees before they rose: then what it signed or sent waits.
    expect(payout?.status).toMatch(/^(WAITING|SENDING|SENT)$/)
    expect(payout?.asks).toBeGreaterThan(0)
  })
  await control.fees(network, { multiplier: 1 })
  await advance(api, 'PT2M')
  await complete(paid)
  await expectPaidOnce(paid)
})

type Signed = {
  from: `0x${string}`
  to: `0x${string}`
  value: string
  validBefore: string
  nonce: `0x${string}`
  signature: string
}

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

function callOf({ from, to, value, validBefore, nonce, signature }: Signed): `0x${string}` {
  const [r, s, v] = [signature.slice(0, 64), signature.slice(64, 128), Number.parseInt(signature.slice(128), 16)]
  const args = [from, to, BigInt(value), 0n, BigInt(validBefore), nonce, v, `0x${r}`, `0x${s}`] as const
  return encodeFunctionData({ abi, functionName: 'transferWithAuthorization', args })
}

test('another sender submits our authorization: the payout is confirmed with that transaction', async () => {
  await control.pause(network)
  await control.fault(network, { kind: 'drop_transaction', calls: 1 })
  const paid = await pay()
  await until(async () => expect(first(await relaysOf(paid)).sends).toBeGreaterThan(0))
  const signed = first(
    await rows<Signed>(
      `select from_address as "from", to_address as "to", value::text, valid_before::text as "validBefore", nonce,
              encode(signature, 'hex') as signature
         from svc.transfer_authorizations join svc.payouts using (payout_id)
        where transaction_id = $1`,
      [paid.transactionId],
    ),
  )
  const hash = await stranger.send(contractOf(network), callOf(signed))
  await control.mine(network, { blocks: 4 })
  expect((await stranger.receipt(hash)).status).toBe('success')
  await control.resume(network)
  const { destination } = await complete(paid)
  expect(destination.destinationReferenceId).toBe(hash)
  await expectPaidOnce(paid)
  // Our own transaction comes too late and reverts, or is replaced. Its nonce ends all the same.
  await until(async () => {
    expect((await relaysOf(paid)).at(-1)).toMatchObject({ state: 'MINED', isSuccessful: false })
  })
})

test('another program used the nonce of our relayer: the authorization gets the next one', async () => {
  const key = openEntropy(entropyOf(knownPhrases.SERVICE)).keyAt('EVM', 1)
  const relayer = privateKeyToAccount(`0x${Buffer.from(key.privateKey).toString('hex')}`)
  const client = clientOf(network)
  const nonce = await client.getTransactionCount({ address: relayer.address })
  await control.pause(network)
  await control.fault(network, { kind: 'drop_transaction', calls: 1 })
  const paid = await pay()
  await until(async () => expect(first(await relaysOf(paid)).sends).toBeGreaterThan(0))
  const raw = await relayer.signTransaction({
    type: 'eip1559',
    chainId: chainIds.sandbox[network],
    nonce,
    to: relayer.address,
    value: 0n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 12n,
    maxPriorityFeePerGas: 10n ** 9n,
  })
  await client.sendRawTransaction({ serializedTransaction: raw })
  await control.resume(network)
  await complete(paid)
  await expectPaidOnce(paid)
  const states = (await relaysOf(paid)).map(({ state, isSuccessful }) => [state, isSuccessful])
  expect(states).toEqual([
    ['TAKEN', null],
    ['MINED', true],
  ])
})

test('a nonce whose transaction the signer refuses is filled, and later payouts pass', async () => {
  const [relayer] = await rows<{ address: string; nonce: string }>(
    `update svc.relayers set next_nonce = next_nonce + 1 where network = $1
     returning address, (next_nonce - 1)::text as nonce`,
    [network],
  )
  const authorizationId = newId()
  const [payout] = await rows<{ organizationId: string; payoutId: string }>(
    `select organization_id as "organizationId", payout_id as "payoutId" from svc.payouts limit 1`,
  )
  const { database } = api.app
  await database.query({
    text: `insert into svc.transfer_authorizations
                  (authorization_id, payout_organization_id, payout_id, attempt, valid_before, after_block)
           values ($1, $2, $3, 99, 1, 0)`,
    values: [authorizationId, payout?.organizationId, payout?.payoutId],
  })
  await database.query({
    text: 'insert into svc.relay_nonces (network, relayer, nonce, authorization_id) values ($1, $2, $3, $4)',
    values: [network, relayer?.address, relayer?.nonce, authorizationId],
  })
  await database.query({
    text: `insert into svc.relay_transactions
                  (network, relayer, nonce, version, authorization_id, gas_limit, max_fee, tip)
           values ($1, $2, $3, 1, $4, 200000, 1000000000, 0)`,
    values: [network, relayer?.address, relayer?.nonce, authorizationId],
  })
  const paid = await pay()
  await complete(paid)
  await expectPaidOnce(paid)
  const nonces = await rows<{ state: string; problem: string | null }>(
    `select state, problem from svc.relay_nonces join svc.relay_transactions using (network, relayer, nonce)
      where nonce = $1 and network = $2 order by version`,
    [relayer?.nonce, network],
  )
  expect(nonces).toEqual([
    { state: 'MINED', problem: 'its authorization is not signed' },
    { state: 'MINED', problem: null },
  ])
})

test('control: two authorizations of one obligation pay once, with two nonces they would pay twice', async () => {
  const owner = stranger.wallet.account
  const to = makeEvmAddress() as `0x${string}`
  const signAndSend = async (nonce: `0x${string}`, validBefore: bigint) => {
    const message = { from: owner.address, to, value: 5n, validAfter: 0n, validBefore, nonce }
    const signature = await owner.signTypedData({
      domain: {
        name: 'USDC',
        version: '2',
        chainId: chainIds.sandbox[network],
        verifyingContract: contractOf(network),
      },
      types: {
        TransferWithAuthorization: [
          { name: 'from', type: 'address' },
          { name: 'to', type: 'address' },
          { name: 'value', type: 'uint256' },
          { name: 'validAfter', type: 'uint256' },
          { name: 'validBefore', type: 'uint256' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'TransferWithAuthorization',
      message,
    })
    const call = callOf({ ...message, value: '5', validBefore: String(validBefore), signature: signature.slice(2) })
    await stranger.receipt(await stranger.send(contractOf(network), call))
  }
  const obligation = newId()
  await signAndSend(nonceOf(obligation), 1n << 40n)
  await signAndSend(nonceOf(obligation), (1n << 40n) + 1n)
  expect(await transfersTo(to)).toEqual([5n])
  await signAndSend(nonceOf(`${obligation} 2`), 1n << 40n)
  expect(await transfersTo(to)).toEqual([5n, 5n])
})

test('a revert is no outcome: the attempt waits until it is dead, then the next one pays', async () => {
  await control.administer(network, { key: newId(), currency: 'USDC', act: 'pause' })
  const paid = await pay()
  await until(async () => expect(await relaysOf(paid)).toMatchObject([{ state: 'MINED', isSuccessful: false }]))
  expect(await transfersTo(paid.to)).toEqual([])
  await control.administer(network, { key: newId(), currency: 'USDC', act: 'unpause' })
  await advance(api, 'PT30M')
  expect((await api.get(`/transactions/${paid.transactionId}`)).body.transactionStatus).toBe('PROCESSING')
  await advance(api, 'PT31M')
  await complete(paid)
  await expectPaidOnce(paid)
})

test('a receiver whom the token refuses for good fails the transaction once the attempt is dead', async () => {
  await control.pause(network)
  const paid = await pay()
  await control.administer(network, { key: newId(), currency: 'USDC', act: 'blacklist', account: paid.to })
  await control.resume(network)
  await until(async () => expect(await relaysOf(paid)).toMatchObject([{ state: 'MINED', isSuccessful: false }]))
  expect((await api.get(`/transactions/${paid.transactionId}`)).body.transactionStatus).toBe('PROCESSING')
  await advance(api, 'PT61M')
  await waitForTransaction(api, paid, { transactionStatus: 'FAILED', failureReason: 'destination_refused_funds' })
  expect(await transfersTo(paid.to)).toEqual([])
})
