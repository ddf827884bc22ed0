import { expect, test } from 'vitest'
import { createEvmNode } from '../../../src/adapters/chains/evm/evm-node.ts'
import { createOutboundHttp } from '../../../src/adapters/outbound-http.ts'
import { chainIds } from '../../../src/catalog/chain-ids.ts'
import type { BlockRef } from '../../../src/chains/node.ts'
import { startLocalChains } from '../../support/chains/local-chains.ts'
import { about, startLyingNode } from '../../support/chains/lying-node.ts'
import { openOutsideWallet } from '../../support/chains/outside-wallet.ts'
import { makeEvmAddress } from '../../support/money/wallet-addresses.ts'

/** The port to nodes, over JSON-RPC, with nodes that hang, fail, lag or lie. */
const chains = await startLocalChains()
const real = chains.rpcUrls.BASE
const first = await startLyingNode(real)
const second = await startLyingNode(real)
const http = createOutboundHttp()
const chainId = chainIds.sandbox.BASE
const open = (rpcUrls: string[], more: { quorum?: number; chainId?: number } = {}) =>
  createEvmNode(http, { network: 'BASE', chainId, rpcUrls, quorum: 1, timeoutMs: 2_000, ...more })
const tellTheTruth = () => {
  first.lies()
  second.lies()
}

const stranger = await openOutsideWallet(chains, 'BASE')
const receiver = makeEvmAddress()
const paid = await stranger.receipt(await stranger.transfer(receiver, 7_000_000n))
const block = (await open([real]).block(paid.blockNumber)) as BlockRef
const otherHash = `0x${'1'.repeat(64)}`
const transfer = {
  transactionHash: paid.transactionHash,
  position: 0,
  contract: stranger.token.toLowerCase(),
  from: stranger.address.toLowerCase(),
  to: receiver.toLowerCase(),
  value: 7_000_000n,
}

test('a node tells blocks, transfers and balances', async () => {
  const node = open([real])
  const { latest, final } = await node.heads('finalized')
  expect(latest.number).toBeGreaterThanOrEqual(final.number)
  expect(block).toMatchObject({ number: paid.blockNumber, hash: paid.blockHash })
  expect(await node.blocks(block.number - 1n, 2)).toMatchObject([{ hash: block.parentHash }, { hash: block.hash }])
  expect(await node.block(latest.number + 100n)).toBeUndefined()
  await expect(node.blocks(latest.number, 2)).rejects.toMatchObject({ kind: 'unavailable' })
  expect(await node.transfersIn(block)).toEqual([transfer])
  expect(await node.balanceAt(stranger.address, block)).toBeGreaterThan(0n)
  expect(await node.codeAt(receiver, block)).toBe('0x')
  expect(await node.receipt(paid.transactionHash)).toMatchObject({ isSuccessful: true, block: { hash: block.hash } })
  expect(await node.receipt(otherHash)).toBeUndefined()
  expect(await node.known([paid.transactionHash, otherHash])).toEqual(new Set([paid.transactionHash]))
  await expect(node.call({ to: stranger.token, data: '0xa9059cbb' }, block)).rejects.toMatchObject({ kind: 'reverted' })
})

test('many questions reach a node in requests that it takes', async () => {
  const node = open([first.url])
  const hashes = [...Array.from({ length: 149 }, () => otherHash), paid.transactionHash]
  expect((await node.receipts(hashes)).map((receipt) => receipt?.isSuccessful).filter(Boolean)).toEqual([true])
  expect(await node.known(hashes)).toEqual(new Set([paid.transactionHash]))
})

const isEmpty = () => []
const withoutLast = (list: unknown[]) => list.slice(0, -1)
const withoutLogs = (receipts: object[]) => receipts.map((receipt) => ({ ...receipt, logs: [] }))
const twice = (receipts: { logs: object[] }[]) =>
  receipts.map((each) => ({ ...each, logs: [...each.logs, ...each.logs] }))
const ofAnotherBlock = (receipts: object[]) =>
  receipts.map((receipt) => ({ ...receipt, blockHash: `0x${'2'.repeat(64)}` }))

// biome-ignore format: a table is read by column
test.each([
  ['empty',               about('eth_getBlockReceipts', isEmpty)],
  ['cut short',           about('eth_getBlockReceipts', withoutLast)],
  ['without logs',        about('eth_getBlockReceipts', withoutLogs)],
  ['of another block',    about('eth_getBlockReceipts', ofAnotherBlock)],
  ['with a log twice',    about('eth_getBlockReceipts', twice)],
  ['null',                about('eth_getBlockReceipts', () => null)],
])('receipts that are %s are not taken for the truth, and the next node is asked', async (_, lie) => {
  tellTheTruth()
  first.lies(lie)
  await expect(open([first.url]).transfersIn(block)).rejects.toMatchObject({ kind: 'incomplete' })
  expect(await open([first.url, second.url]).transfersIn(block)).toEqual([transfer])
})

test('logs that the header of the block does not vouch for are no transfers', async () => {
  tellTheTruth()
  const topic = (address: string) => `0x${address.slice(2).padStart(64, '0').toLowerCase()}`
  const invented = makeEvmAddress()
  first.lies(
    about('eth_getBlockReceipts', (receipts: { logs: { logIndex: string; topics: string[] }[] }[]) =>
      receipts.map((receipt) => ({
        ...receipt,
        logs: receipt.logs.flatMap((log) => {
          const [event, from] = log.topics
          return [
            log,
            {
              ...log,
              logIndex: `0x${(BigInt(log.logIndex) + 1n).toString(16)}`,
              topics: [event, from, topic(invented)],
            },
          ]
        }),
      })),
    ),
  )
  expect(await open([first.url]).transfersIn(block)).toEqual([transfer])
})

test('a node that hangs delays no answer for long, and is asked last from then on', async () => {
  tellTheTruth()
  const node = open([first.url, second.url])
  await node.block(block.number)
  first.hangs()
  expect(await node.block(block.number)).toEqual(block)
  expect((await node.heads('finalized')).latest.number).toBeGreaterThanOrEqual(block.number)
  // The time-out of the first request marks the node; then only the other one is asked.
  await expect(open([first.url]).block(block.number)).rejects.toMatchObject({ kind: 'unavailable' })
  await node.head('latest')
  const calls = first.calls()
  expect(await node.block(block.number)).toEqual(block)
  expect(first.calls()).toBe(calls)
})

test.each([429, 500, 503])('a node that answers with HTTP status %i makes room for the next', async (status) => {
  tellTheTruth()
  first.fails(status)
  expect(await open([first.url, second.url]).transfersIn(block)).toEqual([transfer])
  await expect(open([first.url]).transfersIn(block)).rejects.toMatchObject({ kind: 'unavailable' })
})

test('the newest head counts when a node is behind', async () => {
  tellTheTruth()
  const { number } = await open([real]).head('latest')
  const answer = await fetch(real, rpc('eth_getBlockByNumber', ['0x0', false]))
  const genesis = (await answer.json()) as { result: unknown }
  first.lies((call, answer) =>
    call.method === 'eth_getBlockByNumber' && call.params[0] === 'latest' ? { result: genesis.result } : answer,
  )
  expect((await open([first.url, second.url]).head('latest')).number).toBe(number)
  // Two nodes that must agree agree on what both have.
  expect((await open([first.url, second.url], { quorum: 2 }).head('latest')).number).toBe(0n)
})

test('a node of another network is not believed', async () => {
  tellTheTruth()
  await expect(open([real], { chainId: 1 }).block(block.number)).rejects.toMatchObject({ kind: 'wrong chain' })
  first.lies(about('eth_chainId', () => '0x1'))
  expect(await open([first.url, second.url]).transfersIn(block)).toEqual([transfer])
})

test('with a quorum of two, no answer counts that only one node gives', async () => {
  tellTheTruth()
  const node = open([first.url, second.url], { quorum: 2 })
  expect(await node.transfersIn(block)).toEqual([transfer])
  first.lies(
    about('eth_getBlockReceipts', (receipts: { logs: object[] }[]) =>
      receipts.map((receipt) => ({
        ...receipt,
        logs: receipt.logs.map((log) => ({ ...log, data: `0x${'f'.repeat(64)}` })),
      })),
    ),
  )
  await expect(node.transfersIn(block)).rejects.toMatchObject({ kind: 'disagreement' })
  first.hangs()
  await expect(node.transfersIn(block)).rejects.toMatchObject({ kind: 'unavailable' })
  // A third node settles it.
  expect(await open([first.url, second.url, real], { quorum: 2 }).transfersIn(block)).toEqual([transfer])
})

test('with a quorum of two, receipts and counts are agreed on one by one', async () => {
  tellTheTruth()
  const node = open([first.url, second.url], { quorum: 2 })
  const before = await stranger.receipt(await stranger.transfer(receiver, 1_000_000n))
  const hashes = [paid.transactionHash, before.transactionHash, otherHash] as string[]
  const blocks = async () => (await node.receipts(hashes)).map((receipt) => receipt?.block.hash)
  expect(await blocks()).toEqual([paid.blockHash, before.blockHash, undefined])
  const count = await node.transactionCount(stranger.address, 'latest')
  // One node is behind, and has not got the second receipt.
  first.lies((call, answer) => {
    if (call.method === 'eth_getTransactionReceipt' && call.params[0] === before.transactionHash)
      return { result: null }
    return call.method === 'eth_getTransactionCount' ? { result: '0xff' } : answer
  })
  expect(await blocks()).toEqual([paid.blockHash, undefined, undefined])
  expect(await node.transactionCount(stranger.address, 'latest')).toBe(count)
})

test('a transaction that a node refuses is refused by name, and one that it knows is accepted', async () => {
  tellTheTruth()
  const node = open([first.url, second.url])
  const refuse = (message: string) => {
    const lie = (call: { method: string }, answer: object) =>
      call.method === 'eth_sendRawTransaction' ? { error: { code: -32_000, message } } : answer
    first.lies(lie)
    second.lies(lie)
  }
  refuse('nonce too low')
  expect(await node.sendRaw('0x02')).toMatchObject({ outcome: 'REFUSED', reason: 'NONCE_TOO_LOW' })
  refuse('replacement transaction underpriced')
  expect(await node.sendRaw('0x02')).toMatchObject({ outcome: 'REFUSED', reason: 'UNDERPRICED' })
  refuse('already known')
  expect(await node.sendRaw('0x02')).toEqual({ outcome: 'ACCEPTED' })
  refuse('nonce too low')
  second.hangs()
  expect(await node.sendRaw('0x02')).toMatchObject({ outcome: 'UNKNOWN' })
})

test('each of many transactions that go together has its own outcome', async () => {
  tellTheTruth()
  const sent: unknown[] = []
  first.lies((call, answer) => {
    if (call.method !== 'eth_sendRawTransaction') return answer
    sent.push(call.params[0])
    const place = Number(call.params[0])
    if (place % 4 === 1) return { result: otherHash }
    const message = ['nonce too low', '', 'already known', 'busy'][place % 4] as string
    return { error: { code: -32_000, message } }
  })
  const node = open([first.url])
  const bytes = Array.from({ length: 50 }, (_, place) => `0x${(place + 16).toString(16)}` as const)
  const before = first.calls()
  const outcomes = await Promise.all(bytes.map((each) => node.sendRaw(each)))
  // The node is asked for its chain, too. It gets the transactions in their order.
  expect(first.calls() - before).toBe(1 + 3)
  expect(sent).toEqual(bytes)
  const expected = [
    { outcome: 'REFUSED', reason: 'NONCE_TOO_LOW' },
    { outcome: 'ACCEPTED' },
    { outcome: 'ACCEPTED' },
    { outcome: 'REFUSED', reason: 'OTHER' },
  ]
  expect(outcomes).toMatchObject(bytes.map((_, place) => expected[place % 4]))
})

test('a node that takes one transaction in a request gets them one by one', async () => {
  tellTheTruth()
  first.lies((call, answer) => (call.method === 'eth_sendRawTransaction' ? { result: otherHash } : answer))
  first.refusesBatches()
  const outcomes = await Promise.all((['0x01', '0x02', '0x03'] as const).map(open([first.url]).sendRaw))
  expect(outcomes).toEqual(outcomes.map(() => ({ outcome: 'ACCEPTED' })))
})

test('what a node got before it hung is unknown, and another node that has it outweighs that', async () => {
  tellTheTruth()
  first.hangs()
  second.lies((call, answer) =>
    call.method !== 'eth_sendRawTransaction'
      ? answer
      : call.params[0] === '0x01'
        ? { result: otherHash }
        : { error: { code: -32_000, message: 'nonce too low' } },
  )
  const outcomes = await Promise.all((['0x01', '0x02'] as const).map(open([first.url, second.url]).sendRaw))
  expect(outcomes).toMatchObject([{ outcome: 'ACCEPTED' }, { outcome: 'UNKNOWN' }])
})

test('a node that hangs gets one request, and all transactions of that moment are unknown', async () => {
  tellTheTruth()
  const node = open([first.url])
  await node.head('latest')
  first.hangs()
  const before = first.calls()
  const bytes = Array.from({ length: 50 }, (_, place) => `0x${(place + 16).toString(16)}` as const)
  const outcomes = await Promise.all(bytes.map((each) => node.sendRaw(each)))
  expect(outcomes).toMatchObject(bytes.map(() => ({ outcome: 'UNKNOWN' })))
  expect(first.calls() - before).toBe(1)
})

function rpc(method: string, params: unknown[]) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body }
}
