import { createPublicClient, http } from 'viem'
import { expect, test } from 'vitest'
import { tokenAbi, usdcOn } from '../../support/chains/evm-client.ts'
import { startScanned } from '../../support/chains/scanned-world.ts'
import { availableIn } from '../../support/money/transactions.ts'

/** The sandbox's own operations on the local chains, watched by a client that knows only a node's address. */
const { api, chains, until, makeWallet } = await startScanned()
const client = createPublicClient({ transport: http(chains.rpcUrls.BASE), cacheTime: 0 })
const balanceOf = (account: string) =>
  client.readContract({
    address: usdcOn('BASE'),
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [account as `0x${string}`],
  })
const money = { amount: '25.00', currency: 'USDC', chain: 'BASE' }

test('a newcomer finds the nodes and the tokens', async () => {
  const { body } = await api.get('/sandbox/chains')
  expect(body.chains.map(({ network }) => network)).toEqual(['ARBITRUM', 'BASE', 'ETHEREUM', 'OPTIMISM', 'POLYGON'])
  const base = body.chains.find(({ network }) => network === 'BASE')
  expect(base).toMatchObject({ rpcUrl: chains.rpcUrls.BASE, chainId: await client.getChainId(), paused: false })
  const token = base?.currencies.find(({ label }) => label === 'USDC')
  expect((await client.getCode({ address: token?.contractAddress as `0x${string}` }))?.length).toBeGreaterThan(2)
})

test('a simulated deposit does not come from a wallet whose balance the ledger keeps', async () => {
  const [{ wallet }, { address: senderAddress }] = [await makeWallet(), await makeWallet()]
  const refused = await api.post(`/sandbox/payment-accounts/${wallet}/deposits`, { ...money, senderAddress })
  expect(refused).toMatchObject({ status: 400, body: { details: [{ field: 'senderAddress' }] } })
})

test('a simulated deposit is a transfer on the chain, once per request', async () => {
  const { wallet, address } = await makeWallet()
  const path = `/sandbox/payment-accounts/${wallet}/deposits` as const
  const once = { headers: { 'x-idempotency-key': 'one deposit' } }
  const senderAddress = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  const sent = await api.post(path, { ...money, senderAddress }, once)
  expect(sent).toMatchObject({
    status: 200,
    body: { sightingStatus: 'RECORDED', amount: '25.00', paymentMethod: 'BASE' },
  })
  expect((await api.post(path, { ...money, senderAddress }, once)).body).toEqual(sent.body)
  const [hash = '', position] = sent.body.referenceId.split(':')
  const { logs } = await client.getTransactionReceipt({ hash: hash as `0x${string}` })
  const [, from, to] = logs[Number(position)]?.topics ?? []
  expect([from?.slice(-40), to?.slice(-40)]).toEqual(
    [senderAddress, address].map((each) => each.slice(2).toLowerCase()),
  )
  await until(async () => expect(await availableIn(api, wallet, 'USDC', 'BASE')).toBe('25.000000'))
  expect(await balanceOf(address)).toBe(25_000_000n)
  const named = { ...money, entryReference: 'the same entry' }
  const [first, second] = [await api.post(path, named), await api.post(path, named)]
  expect([first.body.sightingStatus, second.body.sightingStatus]).toEqual(['RECORDED', 'REPEATED'])
  expect(second.body.referenceId).toBe(first.body.referenceId)
  expect(await balanceOf(address)).toBe(50_000_000n)
})

test('a paused network keeps a deposit from becoming final, and a dropped block takes it away', async () => {
  const { wallet, address } = await makeWallet()
  await api.post('/sandbox/chains/BASE/pause')
  await api.post(`/sandbox/payment-accounts/${wallet}/deposits`, money)
  expect(await balanceOf(address)).toBe(0n)
  await api.post('/sandbox/chains/BASE/mine', { blocks: 1 })
  expect(await balanceOf(address)).toBe(25_000_000n)
  const reorganized = await api.post('/sandbox/chains/BASE/reorg', { depth: 1, drop: true })
  expect(reorganized.status).toBe(200)
  expect(await balanceOf(address)).toBe(0n)
  const refused = await api.post('/sandbox/chains/BASE/reorg', { depth: 900 })
  expect(refused).toMatchObject({ status: 409, body: { message: expect.stringContaining('is final') } })
  expect((await api.post('/sandbox/chains/BASE/resume')).body).toMatchObject({ paused: false })
  await until(async () => expect((await api.get('/sandbox/chains')).body.chains[1]?.pendingTransactions).toBe(0))
  expect(await availableIn(api, wallet, 'USDC', 'BASE')).toBe('0.000000')
})

test('the faucet pays external wallets, and repeated requests mine and pay once', async () => {
  const address = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
  const gift = { address, currency: 'USDC', amount: '7.5' }
  const once = { headers: { 'x-idempotency-key': 'one gift' } }
  const [first, again] = [
    await api.post('/sandbox/chains/BASE/faucet', gift, once),
    await api.post('/sandbox/chains/BASE/faucet', gift, once),
  ]
  expect(first).toMatchObject({ status: 200, body: { isMined: true, amount: '7.5' } })
  expect(again.body).toEqual(first.body)
  expect(await balanceOf(address)).toBe(7_500_000n)
  await api.post('/sandbox/chains/BASE/faucet', { ...gift, currency: 'NATIVE', amount: '0.5' })
  expect(await client.getBalance({ address })).toBe(500_000_000_000_000_000n)
  // biome-ignore format: a table is read by column
  const refusals = [
    [{ ...gift, currency: 'EUR' },   'currency must be NATIVE or a token of BASE'],
    [{ ...gift, amount: '0' },       'amount must be greater than zero, with at most 30 digits'],
    [{ ...gift, amount: '1.1234567' }, 'amount must have at most 6 decimals'],
    [{ ...gift, address: 'x' },      'address must be an address of BASE'],
  ] as const
  for (const [body, message] of refusals) {
    expect((await api.post('/sandbox/chains/BASE/faucet', body)).body).toMatchObject({ error: 'BAD_REQUEST', message })
  }
  const audited = await api.app.database.query<{ action: string }>({
    text: `select action from svc.audit where action like 'sandbox.chain_%' group by action order by action`,
    values: [],
  })
  expect(audited.map(({ action }) => action.slice(14))).toEqual(['faucet', 'mine', 'pause', 'reorg', 'resume'])
})

test('blocks follow the clock of the sandbox', async () => {
  const { body } = await api.post('/sandbox/clock', { advance: 'PT2H' })
  const later = BigInt(Math.floor(Date.parse(body.now) / 1_000))
  await until(async () =>
    expect((await client.getBlock({ blockTag: 'finalized' })).timestamp).toBeGreaterThanOrEqual(later),
  )
})
