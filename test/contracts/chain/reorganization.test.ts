import { appendFile, readdir, stat, truncate } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { EvmNetwork } from '../../../src/catalog/chain-ids.ts'
import { connectEvm, newAccount, tokenAbi, usdcOn } from '../../support/chains/evm-client.ts'
import { startLocalChains } from '../../support/chains/local-chains.ts'

const chains = await startLocalChains({ finalityBlocks: 65 })
const { control, rpcUrls } = chains
// Blocks come only when a test mines them, so none becomes final by itself.
for (const { network } of await control.status()) await control.pause(network)

let gifts = 0
/** Pays tokens to a new address, in the next block that a test mines. */
async function payStranger(network: EvmNetwork, amount = '5') {
  const { address } = newAccount()
  const gift = { key: `gift ${++gifts}`, address, currency: 'USDC', amount, from: newAccount().address }
  const { transactionHash } = await control.faucet(network, gift)
  return { address, gift, hash: transactionHash as `0x${string}` }
}

const statusOf = async (network: EvmNetwork) => {
  const found = (await control.status()).find((each) => each.network === network)
  if (!found) throw new Error(`no ${network}`)
  return found
}

const balanceOf = (network: EvmNetwork, address: `0x${string}`) =>
  connectEvm(network, rpcUrls[network]).readContract({
    address: usdcOn(network),
    abi: tokenAbi,
    functionName: 'balanceOf',
    args: [address],
  })

test.each([1, 2, 15, 16, 17, 33, 64])(
  'a reorganization of depth %i moves a transfer to another block',
  async (depth) => {
    const client = connectEvm('ETHEREUM', rpcUrls.ETHEREUM)
    const { address, hash } = await payStranger('ETHEREUM')
    await control.mine('ETHEREUM', { blocks: depth })
    const before = await client.getTransactionReceipt({ hash })
    const head = await client.getBlock()
    await control.reorg('ETHEREUM', { depth, place: depth % 2 === 0 ? 'last' : 'first' })
    const after = await client.getTransactionReceipt({ hash })
    expect(after.blockHash).not.toBe(before.blockHash)
    expect(await client.getBlockNumber()).toBe(head.number + 1n)
    await expect(client.getBlock({ blockHash: head.hash })).rejects.toThrow()
    // The log moved in its block, and kept its place in its transaction.
    expect(after.logs.map(({ logIndex }) => logIndex)).toEqual(before.logs.map(({ logIndex }) => logIndex + 1))
    expect(await balanceOf('ETHEREUM', address)).toBe(5n)
    let { parentHash, number } = await client.getBlock()
    for (let left = depth + 1; left > 0; left--) {
      const parent = await client.getBlock({ blockNumber: number - 1n })
      expect(parent.hash).toBe(parentHash)
      ;({ parentHash, number } = parent)
    }
  },
)

test('a dropped transfer is gone, and the faucet serves its key again', async () => {
  const client = connectEvm('BASE', rpcUrls.BASE)
  const [dropped, kept] = [await payStranger('BASE'), await payStranger('BASE')]
  await control.mine('BASE', { blocks: 3 })
  const logs = () =>
    client.getContractEvents({
      address: usdcOn('BASE'),
      abi: tokenAbi,
      args: { to: dropped.address },
      fromBlock: 0n,
      eventName: 'Transfer',
    })
  expect(await logs()).toHaveLength(1)
  await control.reorg('BASE', { depth: 3, drop: true })
  await expect(client.getTransactionReceipt({ hash: dropped.hash })).rejects.toThrow('could not be found')
  expect(await logs()).toEqual([])
  expect(await balanceOf('BASE', dropped.address)).toBe(0n)
  for (const { gift } of [dropped, kept]) await control.faucet('BASE', gift)
  await control.mine('BASE', { blocks: 1 })
  expect([await balanceOf('BASE', dropped.address), await balanceOf('BASE', kept.address)]).toEqual([5n, 5n])
})

test('final blocks stay, unless a test forces a failure that no healthy network has', async () => {
  await control.mine('POLYGON', { blocks: 70 })
  const { head, finalized } = await statusOf('POLYGON')
  expect(finalized).toBe(head.number - 65)
  await expect(control.reorg('POLYGON', { depth: 66 })).rejects.toThrow('is final: depth must be at most 65')
  await control.reorg('POLYGON', { depth: 65 })
  const client = connectEvm('POLYGON', rpcUrls.POLYGON)
  const final = await client.getBlock({ blockTag: 'finalized' })
  await control.reorg('POLYGON', { depth: 67, force: true })
  const other = await client.getBlock({ blockNumber: final.number })
  expect(other.hash).not.toBe(final.hash)
  expect((await client.getBlock({ blockTag: 'finalized' })).number).toBeGreaterThanOrEqual(final.number)
})

test('a repeated request to mine or reorganize takes effect once', async () => {
  const first = await control.mine('OPTIMISM', { blocks: 5, key: 'five' })
  expect((await control.mine('OPTIMISM', { blocks: 5, key: 'five' })).head).toEqual(first.head)
  const second = await control.reorg('OPTIMISM', { depth: 2, key: 'two' })
  expect((await control.reorg('OPTIMISM', { depth: 2, key: 'two' })).head).toEqual(second.head)
})

test('blocks carry business time, and never go back', async () => {
  const client = connectEvm('ARBITRUM', rpcUrls.ARBITRUM)
  await control.resume('ARBITRUM')
  const inAnHour = Math.floor(Date.now() / 1_000) + 3_600
  await control.setClock({ frozenAtMs: inAnHour * 1_000 })
  const finalTime = async () => (await client.getBlock({ blockTag: 'finalized' })).timestamp
  await expect.poll(finalTime).toBeGreaterThanOrEqual(inAnHour)
  await control.setClock({ offsetMs: 0 })
  const before = await client.getBlock()
  await control.mine('ARBITRUM', { blocks: 1 })
  expect((await client.getBlock()).timestamp).toBeGreaterThan(before.timestamp)
  await control.pause('ARBITRUM')
})

test('after kill -9 and a torn journal every chain has the same head, and continues', async () => {
  const heads = (await control.status()).map(({ network, head, finalized }) => ({ network, head, finalized }))
  await chains.kill('SIGKILL')
  for (const file of await readdir(path.join(chains.folder, 'chains'))) {
    await appendFile(path.join(chains.folder, 'chains', file), '0badc0de {"kind":"block","blo')
  }
  await expect.poll(() => control.status().catch(() => undefined)).toBeDefined()
  const again = (await control.status()).map(({ network, head, finalized }) => ({ network, head, finalized }))
  expect(again).toEqual(heads)
  expect((await control.mine('OPTIMISM', { blocks: 5, key: 'five' })).head).toEqual(
    heads.find(({ network }) => network === 'OPTIMISM')?.head,
  )
  for (const { network } of heads) await control.pause(network)
  const { address } = await payStranger('BASE')
  await control.mine('BASE', { blocks: 1 })
  expect(await balanceOf('BASE', address)).toBe(5n)
  await control.reorg('BASE', { depth: 3 })
  expect(await balanceOf('BASE', address)).toBe(5n)
})

test('a journal that lost blocks in its middle ends where the loss begins', async () => {
  const file = path.join(chains.folder, 'chains', 'ethereum.journal')
  const { head } = await statusOf('ETHEREUM')
  await chains.kill('SIGKILL')
  await truncate(file, Math.floor((await stat(file)).size / 2))
  await expect.poll(() => control.status().catch(() => undefined)).toBeDefined()
  expect((await statusOf('ETHEREUM')).head.number).toBeLessThan(head.number)
})
