import type { EvmNetwork } from '../../../catalog/chain-ids.ts'
import type { BlockRef, BlockTag, ChainNode, ContractCall, LogFilter } from '../../../chains/node.ts'
import { type Hex, NodeError } from '../../../lib/chains/node-error.ts'
import type { OutboundHttp } from '../../outbound-http.ts'
import { createEndpoint, type Endpoint } from '../json-rpc.ts'
import { agree, askAll, type Nodes } from '../quorum.ts'
import { readList } from '../raw-answers.ts'
import { type Header, readEventLog, readFeeHistory, readHeader, readHex, readQuantity, readReceipt } from './answers.ts'
import { findKnown, readReceipts } from './batches.ts'
import { createEvmBroadcaster } from './send.ts'
import { hasNoTransfer, readTransfers } from './transfers.ts'

export type EvmNodeOptions = {
  network: EvmNetwork
  chainId: number
  /** In order of preference. */
  rpcUrls: readonly string[]
  quorum: number
  timeoutMs: number
}

/** Asks the nodes of one EVM network over JSON-RPC. */
export function createEvmNode(http: OutboundHttp, options: EvmNodeOptions): ChainNode {
  const { network, chainId, rpcUrls, quorum, timeoutMs } = options
  const identity = { method: 'eth_chainId', what: 'chain id', expected: quantity(BigInt(chainId)) }
  const endpoints = rpcUrls.map((url, at) =>
    createEndpoint(http, { name: `node ${at + 1} of ${network}`, url, lane: network, timeoutMs, identity }),
  )
  const nodes: Nodes = { endpoints, quorum, hedgeMs: Math.min(1_000, timeoutMs / 2) }
  const request = <Answer>(method: string, params: readonly unknown[], read: (answer: unknown) => Answer) =>
    agree(nodes, async (endpoint) => read(await endpoint.request(method, params)))
  const headers = createHeaderCache()
  const block = async (number: bigint): Promise<BlockRef | undefined> => {
    const header = await request('eth_getBlockByNumber', [quantity(number), false], readHeader)
    return header && headers.keep(requireNumber(header, number))
  }
  const findHeader = async ({ hash }: BlockRef): Promise<Header> => {
    const header = headers.find(hash) ?? (await request('eth_getBlockByHash', [hash, false], readHeader))
    if (header?.hash !== hash) throw new NodeError('incomplete', `the nodes do not have block ${hash}`)
    headers.keep(header)
    return header
  }
  return {
    network,
    chainId,
    head: async (tag) => (await readHeads(nodes, [tag], block))[0] as BlockRef,
    heads: async (tag) => {
      const [latest, final] = await readHeads(nodes, ['latest', tag], block)
      return { latest: latest as BlockRef, final: final as BlockRef }
    },
    block,
    blocks: async (from, count) => (await agree(nodes, (each) => readBlocks(each, from, count))).map(headers.keep),
    transfersIn: async (asked) => {
      const header = await findHeader(asked)
      if (hasNoTransfer(header)) return []
      return request('eth_getBlockReceipts', [header.hash], (answer) => readTransfers(header, answer))
    },
    call: (call, { hash }) => request('eth_call', [callOf(call), atHash(hash)], (answer) => readHex(answer, 'result')),
    calls: (calls, { hash }) =>
      agree(nodes, async (endpoint) => {
        const asked = calls.map((call) => ({ method: 'eth_call', params: [callOf(call), atHash(hash)] }))
        return (await endpoint.batch(asked)).map((answer) => readHex(answer, 'result'))
      }),
    codeAt: (address, { hash }) =>
      request('eth_getCode', [address, atHash(hash)], (answer) => readHex(answer, 'contract code')),
    balanceAt: (address, { hash }) =>
      request('eth_getBalance', [address, atHash(hash)], (answer) => readQuantity(answer)),
    receipt: (transactionHash) => request('eth_getTransactionReceipt', [transactionHash], readReceipt),
    receipts: (hashes) => readReceipts(nodes, hashes),
    transactionCountAt: (address, { hash }) =>
      request('eth_getTransactionCount', [address, atHash(hash)], (answer) => readQuantity(answer)),
    known: (hashes) => findKnown(nodes, hashes),
    logs: (filter) =>
      request('eth_getLogs', [filterOf(filter)], (answer) => readList(answer, 'list of logs').map(readEventLog)),
    transactionCount: (address, at) =>
      highest(nodes, (each) =>
        each.request('eth_getTransactionCount', [address, at]).then((answer) => readQuantity(answer)),
      ),
    // Prices differ between nodes, and no money depends on their agreement.
    feeHistory: (blocks, percentile) =>
      agree({ ...nodes, quorum: 1 }, async (each) =>
        readFeeHistory(await each.request('eth_feeHistory', [quantity(BigInt(blocks)), 'latest', [percentile]])),
      ),
    estimateGas: (call) =>
      agree({ ...nodes, quorum: 1 }, async (each) =>
        readQuantity(await each.request('eth_estimateGas', [callOf(call)])),
      ),
    sendRaw: createEvmBroadcaster(endpoints),
  }
}

/**
 * Finds the newest block that as many nodes as the quorum demands have: the quorum-th highest of all. A node that is
 * behind delays nothing while others are not.
 */
async function readHeads(
  nodes: Nodes,
  tags: readonly BlockTag[],
  read: (number: bigint) => Promise<BlockRef | undefined>,
): Promise<BlockRef[]> {
  const calls = tags.map((tag) => ({ method: 'eth_getBlockByNumber', params: [tag, false] }))
  const found = await askAll(nodes, async (endpoint) =>
    (await endpoint.batch(calls)).map((answer, at) => {
      const header = readHeader(answer)
      if (!header) throw new NodeError('unavailable', `${endpoint.name}: no ${tags[at]} block`)
      return header
    }),
  )
  const heads = tags.map(async (_, at) => {
    const sorted = found.map((each) => each[at] as Header).toSorted((a, b) => (a.number < b.number ? 1 : -1))
    const head = sorted[nodes.quorum - 1] as Header
    if (nodes.quorum === 1) return refOf(head)
    const agreed = await read(head.number)
    if (!agreed) throw new NodeError('unavailable', `the nodes do not have block ${head.number} any more`)
    return agreed
  })
  return Promise.all(heads)
}

async function readBlocks(endpoint: Endpoint, from: bigint, count: number): Promise<Header[]> {
  const numbers = Array.from({ length: count }, (_, at) => from + BigInt(at))
  const calls = numbers.map((number) => ({ method: 'eth_getBlockByNumber', params: [quantity(number), false] }))
  const answers = await endpoint.batch(calls)
  return numbers.map((number, at) => {
    const header = readHeader(answers[at])
    if (!header) throw new NodeError('unavailable', `${endpoint.name}: does not have block ${number}`)
    return requireNumber(header, number)
  })
}

function requireNumber(header: Header, number: bigint): Header {
  if (header.number !== number) throw new NodeError('incomplete', `asked for block ${number}, got ${header.number}`)
  return header
}

/** Finds the highest number that as many nodes as the quorum demands have reached: a single wrong node cannot raise it. */
async function highest(nodes: Nodes, ask: (endpoint: Endpoint) => Promise<bigint>): Promise<bigint> {
  const answers = await askAll(nodes, ask)
  return answers.toSorted((a, b) => (a < b ? 1 : -1))[nodes.quorum - 1] as bigint
}

/** Keeps the headers of recent blocks, so that their transfers need no second request for them. */
function createHeaderCache() {
  const byHash = new Map<string, Header>()
  return {
    find: (hash: string): Header | undefined => byHash.get(hash),
    keep: (header: Header): BlockRef => {
      byHash.delete(header.hash)
      byHash.set(header.hash, header)
      const [oldest] = byHash.keys()
      if (byHash.size > mostHeaders && oldest !== undefined) byHash.delete(oldest)
      return refOf(header)
    },
  }
}

const mostHeaders = 256

function refOf({ number, hash, parentHash, timestamp }: Header): BlockRef {
  return { number, hash, parentHash, timestamp }
}

function quantity(number: bigint): Hex {
  return `0x${number.toString(16)}`
}

/** EIP-1898: the state of exactly this block, and an error when it is not part of the node's chain. */
function atHash(blockHash: string) {
  return { blockHash, requireCanonical: true }
}

function callOf({ to, data, from }: ContractCall) {
  return { to, data, ...(from === undefined ? {} : { from }) }
}

function filterOf({ contract, topics, fromBlock, toBlock }: LogFilter) {
  return { address: contract, topics, fromBlock: quantity(fromBlock), toBlock: quantity(toBlock) }
}
