import { address as toAddress } from '@solana/kit'
import { expect, test } from 'vitest'
import { connectSolana, usdcMint } from '../../support/chains/solana-client.ts'
import { startSolana } from '../../support/chains/solana-world.ts'
import { availableIn } from '../../support/money/transactions.ts'
import { makeSolanaAddress } from '../../support/money/wallet-addresses.ts'

/** The sandbox's own operations on SOLANA, watched by a client that knows only a node's address. */
const { api, solana, until, makeWallet, seenAt } = await startSolana()
const { rpc, wallet, tokensOf } = await connectSolana(solana.rpcUrls.SOLANA)
const chain = async () => (await api.get('/sandbox/chains')).body.chains.find(({ network }) => network === 'SOLANA')
const gift = { address: String(wallet.address), currency: 'USDC', amount: '7.5' }

test('a newcomer finds the node and the mints', async () => {
  const listed = await chain()
  expect(listed).toMatchObject({ rpcUrl: solana.rpcUrls.SOLANA, genesisHash: await rpc.getGenesisHash().send() })
  expect(listed?.chainId).toBeUndefined()
  for (const { contractAddress } of listed?.currencies ?? []) {
    const { value } = await rpc.getAccountInfo(toAddress(String(contractAddress)), { encoding: 'jsonParsed' }).send()
    expect(value?.data).toMatchObject({ program: 'spl-token', parsed: { type: 'mint', info: { decimals: 6 } } })
  }
  expect(listed?.currencies.map(({ contractAddress }) => contractAddress)).toContain(usdcMint)
})

test('the faucet pays external wallets once per request, in tokens and in coins', async () => {
  const once = { headers: { 'x-idempotency-key': 'one gift' } }
  const [first, again] = [
    await api.post('/sandbox/chains/SOLANA/faucet', gift, once),
    await api.post('/sandbox/chains/SOLANA/faucet', gift, once),
  ]
  expect(first).toMatchObject({ status: 200, body: { isMined: true, amount: '7.5' } })
  expect(again.body).toEqual(first.body)
  await api.post('/sandbox/chains/SOLANA/faucet', { ...gift, currency: 'NATIVE', amount: '0.5' })
  const { value } = await rpc.getBalance(wallet.address, { commitment: 'processed' }).send()
  expect([await tokensOf(wallet.address), value]).toEqual([7_500_000n, 500_000_000n])
  // biome-ignore format: a table is read by column
  const refusals = [
    ['faucet', { ...gift, currency: 'EUR' },                'currency must be NATIVE or a token of SOLANA'],
    ['faucet', { ...gift, amount: '9'.repeat(13) },         'amount must be greater than zero, with at most 18 digits'],
    ['faucet', { ...gift, currency: 'NATIVE', amount: '0.0000000001' }, 'amount must have at most 9 decimals'],
    ['faucet', { ...gift, address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' }, 'address must be an address of SOLANA'],
    ['fault',  { kind: 'nonce_too_low', calls: 1 },         expect.stringMatching(/^kind must be one of drop_transaction, .* for SOLANA$/)],
  ] as const
  for (const [verb, body, message] of refusals) {
    const refused = await api.post(`/sandbox/chains/SOLANA/${verb}`, body)
    expect(refused.body).toMatchObject({ error: 'BAD_REQUEST', message })
  }
})

test('a simulated deposit is a transfer on the chain, once per request, and names its sender', async () => {
  const [{ wallet: account, address }, from] = [await makeWallet(), makeSolanaAddress()]
  const path = `/sandbox/payment-accounts/${account}/deposits` as const
  const once = { headers: { 'x-idempotency-key': 'one deposit' } }
  const wish = { amount: '25.00', currency: 'USDC', chain: 'SOLANA', senderAddress: from }
  const sent = await api.post(path, wish, once)
  expect(sent).toMatchObject({ status: 200, body: { sightingStatus: 'RECORDED', paymentMethod: 'SOLANA' } })
  expect((await api.post(path, wish, once)).body).toEqual(sent.body)
  await until(async () => expect(await availableIn(api, account, 'USDC', 'SOLANA')).toBe('25.000000'))
  expect(await tokensOf(toAddress(address), 'finalized')).toBe(25_000_000n)
  const { referenceId: externalId } = sent.body
  expect(await seenAt(address)).toMatchObject([{ externalId, from, state: 'FINAL', amount: '25000000' }])
  const own = await api.post(path, { ...wish, senderAddress: (await makeWallet()).address })
  expect(own).toMatchObject({ status: 400, body: { details: [{ field: 'senderAddress' }] } })
})

test('slots, forks, fees and faults follow requests', async () => {
  await api.post('/sandbox/chains/SOLANA/pause')
  const before = await tokensOf(wallet.address)
  expect((await api.post('/sandbox/chains/SOLANA/faucet', gift)).body.isMined).toBe(false)
  const mined = await api.post('/sandbox/chains/SOLANA/mine', { blocks: 1 })
  expect(mined.body).toMatchObject({ paused: true, pendingTransactions: 0 })
  expect(await tokensOf(wallet.address)).toBe(before + 7_500_000n)
  const forked = await api.post('/sandbox/chains/SOLANA/reorg', { depth: 1, drop: true })
  expect(forked.body.latestBlock).toBe(Number(mined.body.latestBlock) + 1)
  expect(await tokensOf(wallet.address)).toBe(before)
  const refused = await api.post('/sandbox/chains/SOLANA/reorg', { depth: 900 })
  expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining('is final') } })
  await api.post('/sandbox/chains/SOLANA/fees', { multiplier: 50 })
  expect((await rpc.getRecentPrioritizationFees().send()).at(-1)?.prioritizationFee).toBe(50_000n)
  const faulty = await api.post('/sandbox/chains/SOLANA/fault', { kind: 'node_behind', calls: 1 })
  expect(faulty.body.faults).toEqual([{ kind: 'node_behind', calls: 1 }])
  await expect(rpc.getHealth().send()).rejects.toThrow()
  expect((await api.post('/sandbox/chains/SOLANA/resume')).body).toMatchObject({ paused: false, faults: [] })
})

test('blocks follow the clock of the sandbox', async () => {
  const { body } = await api.post('/sandbox/clock', { advance: 'PT2H' })
  await api.post('/sandbox/chains/SOLANA/mine', { blocks: 3 })
  const slot = await rpc.getSlot({ commitment: 'finalized' }).send()
  const time = Number(await rpc.getBlockTime(slot).send())
  expect(time).toBeGreaterThanOrEqual(Math.floor(Date.parse(body.now) / 1_000))
})
