import { domainSeparator, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { chainIds, type EvmNetwork, evmNetworks } from '../../../src/catalog/chain-ids.ts'
import { askNode, connectEvm, newAccount, tokenAbi, usdcOn } from '../../support/chains/evm-client.ts'
import { startLocalChains } from '../../support/chains/local-chains.ts'

/** Nodes to check instead of the local ones, such as a node of a public test network: SVC_TEST_BASE_RPC_URL=https://… */
const outside = evmNetworks.flatMap((network): [EvmNetwork, string][] => {
  const url = process.env[`SVC_TEST_${network}_RPC_URL`]
  return url === undefined ? [] : [[network, url]]
})
const nodes = outside.length > 0 ? outside : await startSome()

async function startSome(): Promise<[EvmNetwork, string][]> {
  const { control, rpcUrls } = await startLocalChains()
  const some = ['ETHEREUM', 'BASE'] as const
  for (const network of some) {
    await control.faucet(network, { key: 'one', address: newAccount().address, currency: 'USDC', amount: '1' })
    await control.mine(network, { blocks: 3 })
  }
  return some.map((network) => [network, rpcUrls[network]])
}

const unknownHash: Hex = `0x${'ab'.repeat(32)}`

describe.each(nodes)('a node of %s', (network, rpcUrl) => {
  const client = connectEvm(network, rpcUrl)
  const token = usdcOn(network)
  const read = (functionName: 'decimals' | 'DOMAIN_SEPARATOR') =>
    client.readContract({ address: token, abi: tokenAbi, functionName })

  test('has the chain id and the token of the catalog', async () => {
    expect(await client.getChainId()).toBe(chainIds.sandbox[network])
    expect((await client.getCode({ address: token }))?.length).toBeGreaterThan(100)
    expect(await read('decimals')).toBe(6)
    const domain = { name: 'USDC', version: '2', chainId: BigInt(client.chain.id), verifyingContract: token }
    expect(await read('DOMAIN_SEPARATOR')).toBe(domainSeparator({ domain }))
  })

  test('links each block to its parent, and orders its tags', async () => {
    const latest = await client.getBlock()
    const [safe, finalized] = [
      await client.getBlock({ blockTag: 'safe' }),
      await client.getBlock({ blockTag: 'finalized' }),
    ]
    expect(finalized.number).toBeLessThanOrEqual(safe.number)
    expect(safe.number).toBeLessThanOrEqual(latest.number)
    const parent = await client.getBlock({ blockNumber: latest.number - 1n })
    expect(latest.parentHash).toBe(parent.hash)
    expect(latest.timestamp).toBeGreaterThanOrEqual(parent.timestamp)
    expect(await client.getBlock({ blockHash: parent.hash })).toEqual(parent)
  })

  test('gives a receipt for each transaction of a block, and logs in their order', async () => {
    const { hash, number } = await client.getBlock({ blockTag: 'finalized' })
    const block = await client.getBlock({ blockHash: hash })
    const { result } = await askNode(rpcUrl, 'eth_getBlockReceipts', `0x${number.toString(16)}`)
    const receipts = result as { transactionHash: Hex; blockHash: Hex; logs: { logIndex: Hex }[] }[]
    expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(block.transactions)
    expect(receipts.every(({ blockHash }) => blockHash === hash)).toBe(true)
    const logs = await client.getLogs({ blockHash: hash })
    expect(logs.map(({ logIndex }) => logIndex)).toEqual(
      receipts.flatMap((receipt) => receipt.logs.map(({ logIndex }) => Number(logIndex))),
    )
  })

  // biome-ignore format: a table is read by column
  test.each([
    ['a transaction',         'eth_getTransactionByHash',  [unknownHash]],
    ['a receipt',             'eth_getTransactionReceipt', [unknownHash]],
    ['a block by its hash',   'eth_getBlockByHash',        [unknownHash, false]],
    ['a block of the future', 'eth_getBlockByNumber',      ['0xfffffffffff', false]],
  ] as const)('answers null for %s that it does not have', async (_what, method, params) => {
    expect(await askNode(rpcUrl, method, ...params)).toMatchObject({ result: null })
  })

  // biome-ignore format: a table is read by column
  test.each([
    ['logs of an unknown block',       'eth_getLogs',            [{ blockHash: unknownHash }],          /unknown block|not found/i],
    ['a call in a block of the future','eth_call',               [{ to: usdcOn(network), data: '0x313ce567' }, '0xfffffffffff'], /not found|unknown block/i],
    ['bytes that are no transaction',  'eth_sendRawTransaction', ['0x1234'],                            /./],
    ['a method of no public node',     'evm_mine',               [],                                    /not exist|not available|not supported|not found/i],
  ] as const)('refuses %s', async (_what, method, params, words) => {
    const { error } = await askNode(rpcUrl, method, ...params)
    expect(error?.message).toMatch(words)
    expect(error?.code).toBeLessThan(0)
  })

  test('refuses a transaction of another chain, and one without funds', async () => {
    const { account } = client
    const call = {
      to: account.address,
      gas: 21_000n,
      maxFeePerGas: 10n ** 12n,
      maxPriorityFeePerGas: 1n,
      nonce: 0,
      value: 1n,
    }
    const sign = (chainId: number) => account.signTransaction({ ...call, chainId, type: 'eip1559' })
    const send = async (chainId: number) => askNode(rpcUrl, 'eth_sendRawTransaction', await sign(chainId))
    expect((await send(client.chain.id)).error?.message).toMatch(/^insufficient funds/)
    expect((await send(1)).error?.message).toMatch(/chain id|sender/i)
  })

  test('answers a revert with code 3, its reason and its data', async () => {
    const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [token, 10n ** 30n] })
    const call = { from: client.account.address, to: token, data }
    for (const method of ['eth_call', 'eth_estimateGas']) {
      const { error } = await askNode(rpcUrl, method, call, 'latest')
      expect(error).toMatchObject({ code: 3, message: 'execution reverted: ERC20: transfer amount exceeds balance' })
      expect(error?.data).toMatch(/^0x08c379a0/)
    }
  })

  test('tells fees that a transaction can rely on', async () => {
    const { baseFeePerGas, reward } = await client.getFeeHistory({ blockCount: 2, rewardPercentiles: [50] })
    expect(baseFeePerGas).toHaveLength(3)
    expect(reward).toHaveLength(2)
    const { maxFeePerGas } = await client.estimateFeesPerGas()
    expect(maxFeePerGas).toBeGreaterThanOrEqual(baseFeePerGas.at(-1) ?? 0n)
  })
})
