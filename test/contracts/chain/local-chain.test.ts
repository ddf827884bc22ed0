import { describe, expect, test } from 'vitest'
import { type EvmNetwork, evmNetworks } from '../../../src/catalog/chain-ids.ts'
import { signAuthorization } from '../../support/chains/authorizations.ts'
import { askNode, connectEvm, type EvmClient, newAccount, tokenAbi, usdcOn } from '../../support/chains/evm-client.ts'
import { startLocalChains } from '../../support/chains/local-chains.ts'

const { control, rpcUrls } = await startLocalChains()
const ether = String(10n ** 18n)
const receiver = newAccount().address

/** A client whose account has gas and 100 USDC. */
async function fundedClient(network: EvmNetwork): Promise<EvmClient> {
  const client = connectEvm(network, rpcUrls[network])
  const { address } = client.account
  await control.faucet(network, { key: `gas ${address}`, address, currency: 'NATIVE', amount: ether })
  await control.faucet(network, { key: `tokens ${address}`, address, currency: 'USDC', amount: '100000000' })
  return client
}

const balanceOf = (client: EvmClient, network: EvmNetwork, account = receiver) =>
  client.readContract({ address: usdcOn(network), abi: tokenAbi, functionName: 'balanceOf', args: [account] })

describe('tokens', () => {
  test.each(evmNetworks)('%s moves them by transfer and by authorization, once', async (network) => {
    const client = await fundedClient(network)
    const token = { address: usdcOn(network), abi: tokenAbi } as const
    const sent = await client.writeContract({ ...token, functionName: 'transfer', args: [receiver, 1_000_000n] })
    const { blockHash, blockNumber } = await client.waitForTransactionReceipt({ hash: sent })
    const logs = await client.getContractEvents({ ...token, blockHash, eventName: 'Transfer' })
    expect(logs.map(({ args }) => args)).toEqual([{ from: client.account.address, to: receiver, value: 1_000_000n }])
    const args = await signAuthorization(client, network, { to: receiver, value: 7n })
    const relayed = await client.writeContract({ ...token, functionName: 'transferWithAuthorization', args })
    await client.waitForTransactionReceipt({ hash: relayed })
    expect(await balanceOf(client, network)).toBe(1_000_007n)
    const again = client.simulateContract({ ...token, functionName: 'transferWithAuthorization', args })
    await expect(again).rejects.toThrow('authorization is used or canceled')
    await expect
      .poll(async () => (await client.getBlock({ blockTag: 'finalized' })).number)
      .toBeGreaterThan(blockNumber)
  })

  test.each([
    ['not yet valid', { validAfter: 1n << 40n }, 'authorization is not yet valid'],
    ['expired', { validBefore: 1n }, 'authorization is expired'],
    ['of another token', { version: '1' }, 'invalid signature'],
    ['of more than there is', { value: 10n ** 12n }, 'transfer amount exceeds balance'],
  ])('an authorization that is %s reverts', async (_what, changes, words) => {
    const client = await fundedClient('POLYGON')
    const args = await signAuthorization(client, 'POLYGON', { to: receiver, value: 7n, ...changes })
    const token = { address: usdcOn('POLYGON'), abi: tokenAbi } as const
    const call = client.simulateContract({ ...token, functionName: 'transferWithAuthorization', args })
    await expect(call).rejects.toThrow(words)
  })

  test('a frozen account neither sends nor receives', async () => {
    const client = await fundedClient('POLYGON')
    const [token, account] = [usdcOn('POLYGON'), newAccount().address]
    await control.administer('POLYGON', { key: 'freeze', currency: 'USDC', act: 'blacklist', account })
    const transfer = { address: token, abi: tokenAbi, functionName: 'transfer', args: [account, 1n] } as const
    await expect(client.simulateContract(transfer)).rejects.toThrow('account is blacklisted')
    await control.administer('POLYGON', { key: 'thaw', currency: 'USDC', act: 'unBlacklist', account })
    expect((await client.simulateContract(transfer)).result).toBe(true)
  })

  test('the faucet serves a key once, also when asked at the same time', async () => {
    const client = connectEvm('BASE', rpcUrls.BASE)
    const gift = { key: 'the same key', address: client.account.address, currency: 'USDC', amount: '5' }
    const receipts = await Promise.all([control.faucet('BASE', gift), control.faucet('BASE', gift)])
    const again = await control.faucet('BASE', gift)
    expect(again).toMatchObject({ isRepeated: true })
    const hashes = [...receipts, again].map(({ transactionHash }) => transactionHash)
    expect(new Set(hashes).size).toBe(1)
    expect(await balanceOf(client, 'BASE', gift.address as `0x${string}`)).toBe(5n)
  })
})

describe('the pool', () => {
  const network = 'ARBITRUM'
  const rpcUrl = rpcUrls[network]
  const gwei = 10n ** 9n
  const sign = (client: EvmClient, nonce: number, maxFeePerGas = gwei, value = 1n) =>
    client.account.signTransaction({
      chainId: client.chain.id,
      to: receiver,
      gas: 21_000n,
      maxPriorityFeePerGas: maxFeePerGas / 10n,
      type: 'eip1559',
      nonce,
      maxFeePerGas,
      value,
    })
  const send = async (raw: string) => askNode(rpcUrl, 'eth_sendRawTransaction', raw)

  test('speaks the words of geth, replaces, and mines in the order of nonces', async () => {
    const client = await fundedClient(network)
    await control.pause(network)
    const first = await sign(client, 0)
    const { result: firstHash } = await send(first)
    expect(await send(first)).toMatchObject({ error: { code: -32_000, message: 'already known' } })
    const underpriced = await send(await sign(client, 0, gwei + 1n, 2n))
    expect(underpriced).toMatchObject({ error: { message: 'replacement transaction underpriced' } })
    const { result: replacement } = await send(await sign(client, 0, gwei * 2n, 2n))
    const { result: gapped } = await send(await sign(client, 2))
    expect((await askNode(rpcUrl, 'txpool_status')).result).toEqual({ pending: '0x1', queued: '0x1' })
    const count = (blockTag: 'latest' | 'pending') => client.getTransactionCount({ ...client.account, blockTag })
    expect([await count('latest'), await count('pending')]).toEqual([0, 1])
    await control.resume(network)
    await client.waitForTransactionReceipt({ hash: replacement as `0x${string}` })
    expect((await askNode(rpcUrl, 'eth_getTransactionByHash', firstHash)).result).toBeNull()
    expect((await askNode(rpcUrl, 'eth_getTransactionReceipt', gapped)).result).toBeNull()
    expect(await send(first)).toMatchObject({ error: { message: 'nonce too low' } })
    await send(await sign(client, 1))
    await client.waitForTransactionReceipt({ hash: gapped as `0x${string}` })
    expect(await count('latest')).toBe(3)
  })

  test('a transaction below the base fee waits until fees fall', async () => {
    const client = await fundedClient(network)
    await control.fees(network, { multiplier: 50 })
    const { result: hash } = await send(await sign(client, 0))
    expect(await client.getTransactionCount({ ...client.account, blockTag: 'pending' })).toBe(1)
    await control.mine(network, { blocks: 2 })
    expect((await client.getBlock()).baseFeePerGas).toBe(gwei * 5n)
    expect((await askNode(rpcUrl, 'eth_getTransactionReceipt', hash)).result).toBeNull()
    await control.fees(network, { multiplier: 1 })
    expect((await client.waitForTransactionReceipt({ hash: hash as `0x${string}` })).status).toBe('success')
  })

  test('a burst of transactions goes into few blocks', async () => {
    const client = await fundedClient(network)
    const before = await client.getBlockNumber()
    const raws = await Promise.all(Array.from({ length: 100 }, (_, nonce) => sign(client, nonce)))
    await Promise.all(raws.map(send))
    await expect.poll(() => client.getTransactionCount(client.account)).toBe(100)
    expect((await client.getBlockNumber()) - before).toBeLessThan(50n)
  })
})

describe('faults', () => {
  const network = 'OPTIMISM'
  const rpcUrl = rpcUrls[network]
  const transfer = async (client: EvmClient) => {
    const nonce = await client.getTransactionCount(client.account)
    const call = { to: receiver, value: 1n, nonce, gas: 21_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
    return client.account.signTransaction({ ...call, chainId: client.chain.id, type: 'eip1559' })
  }
  const failWith = (kind: Parameters<typeof control.fault>[1]['kind'], calls = 1) =>
    control.fault(network, { kind, calls, milliseconds: 5 })

  test.each([
    ['already_known', 'already known', true],
    ['nonce_too_low', 'nonce too low', false],
    ['drop_transaction', undefined, false],
  ] as const)('%s', async (kind, words, isMined) => {
    const client = await fundedClient(network)
    const raw = await transfer(client)
    await failWith(kind)
    expect((await askNode(rpcUrl, 'eth_sendRawTransaction', raw)).error?.message).toBe(words)
    await control.mine(network, { blocks: 1 })
    expect(await client.getTransactionCount(client.account)).toBe(isMined ? 1 : 0)
    if (!isMined) expect((await askNode(rpcUrl, 'eth_sendRawTransaction', raw)).error).toBeUndefined()
  })

  test('reads: null receipt, stale head, empty logs, wrong chain id, each for as many calls as asked', async () => {
    const { transactionHash } = await control.faucet(network, {
      key: 'r',
      address: receiver,
      currency: 'USDC',
      amount: '1',
    })
    await control.mine(network, { blocks: 4 })
    const { blockHash } = await connectEvm(network, rpcUrl).getTransactionReceipt({
      hash: transactionHash as `0x${string}`,
    })
    const read = async (method: string, ...params: unknown[]) => (await askNode(rpcUrl, method, ...params)).result
    const cases = [
      ['null_receipt', 'eth_getTransactionReceipt', transactionHash],
      ['stale_head', 'eth_blockNumber'],
      ['empty_logs', 'eth_getLogs', { blockHash }],
      ['wrong_chain_id', 'eth_chainId'],
    ] as const
    for (const [kind, method, ...params] of cases) {
      const right = await read(method, ...params)
      await failWith(kind, 2)
      const answers = [await read(method, ...params), await read(method, ...params), await read(method, ...params)]
      expect(answers.map((answer) => JSON.stringify(answer) === JSON.stringify(right))).toEqual([false, false, true])
    }
  })

  test('the transport: 429, a closed connection, a slow answer', async () => {
    const ask = () => fetch(rpcUrl, { method: 'POST', body: '{"id":1,"method":"eth_chainId"}' })
    await failWith('rate_limited')
    expect((await ask()).status).toBe(429)
    await failWith('down')
    await expect(ask()).rejects.toThrow()
    await failWith('slow')
    expect((await ask()).status).toBe(200)
    expect((await control.status()).find((each) => each.network === network)?.faults).toEqual([])
  })
})

describe('the front', () => {
  const post = (headers: Record<string, string>, body: string, path = '/base') =>
    fetch(new URL(path, rpcUrls.BASE), { method: 'POST', headers, body })

  test('serves only this machine, under its own names', async () => {
    expect((await post({ origin: 'https://example.com' }, '{}')).status).toBe(403)
    expect((await post({ origin: 'http://localhost:3000' }, '{}')).status).toBe(200)
    expect((await post({}, '{}', '/solana')).status).toBe(404)
    expect((await post({}, ' '.repeat(6_000_000))).status).toBe(413)
  })

  test('answers batches in order, and malformed requests with errors', async () => {
    const requests = ['eth_chainId', 'evm_mine', 'net_version'].map((method, id) => ({ jsonrpc: '2.0', id, method }))
    const answers = (await (await post({}, JSON.stringify(requests))).json()) as { id: number; error?: unknown }[]
    expect(answers.map(({ id, error }) => [id, error === undefined])).toEqual([
      [0, true],
      [1, false],
      [2, true],
    ])
    expect(await (await post({}, '{')).json()).toMatchObject({ error: { code: -32_700 } })
    expect(await (await post({}, '[]')).json()).toMatchObject({ error: { code: -32_600 } })
    expect(await (await post({}, '{"id":1,"params":3}')).json()).toMatchObject({ error: { code: -32_600 } })
  })
})
