import type { Faults } from '../faults.ts'
import { RpcError } from '../rpc-error.ts'
import type { LocalChain } from './chain.ts'

export type NodeMethod = (params: unknown[]) => Promise<unknown>
type Block = { hash: string; transactions: string[] }

const staleBlocks = 3

/** The place of the block tag among the parameters of each method that the engine answers. */
const tagPlaces: Readonly<Record<string, number>> = {
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBlockByNumber: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getTransactionByBlockNumberAndIndex: 0,
  eth_feeHistory: 1,
  eth_getTransactionCount: 1,
}

const plainMethods = [
  'eth_getBlockByHash',
  'eth_getBlockTransactionCountByHash',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByHash',
  'net_version',
  'net_listening',
  'net_peerCount',
  'eth_syncing',
  'web3_sha3',
]

/** Answers the JSON-RPC methods of a node. Only methods of public nodes exist; the engine's own levers stay inside. */
export function createNode(chain: LocalChain, faults: Faults): (method: string, params: unknown[]) => Promise<unknown> {
  const methods = new Map<string, NodeMethod>([
    ...plainMethods.map((name) => [name, (params: unknown[]) => chain.engine(name, ...params)] as const),
    ...Object.entries(tagPlaces).map(([name, place]) => [name, withTag(chain, faults, name, place)] as const),
    ...Object.entries(ownMethods(chain, faults)),
  ])
  const readCount = methods.get('eth_getTransactionCount')
  methods.set('eth_getTransactionCount', async (params) =>
    params[1] === 'pending' ? toHex(await chain.pool.nextNonce(String(params[0]))) : readCount?.(params),
  )
  return async (method, params) => {
    const answer = methods.get(method)
    if (!answer) throw new RpcError(`the method ${method} does not exist/is not available`, -32_601)
    await chain.settled()
    return answer(params)
  }
}

function withTag(chain: LocalChain, faults: Faults, method: string, place: number): NodeMethod {
  return async (params) => {
    const tag = toNumberTag(chain, faults, params[place])
    if (tag === undefined) {
      if (method.startsWith('eth_getBlock') || method.startsWith('eth_getTransactionBy')) return null
      throw new RpcError('header not found')
    }
    const given = [...params]
    given[place] = tag
    if (method === 'eth_feeHistory') return feeHistory(chain, given)
    return chain.engine(method, ...given)
  }
}

/** Turns a block tag into a block number; undefined for a block that does not exist yet. */
function toNumberTag(chain: LocalChain, faults: Faults, tag: unknown): unknown {
  if (typeof tag === 'object' && tag !== null) return tag
  switch (tag) {
    case undefined:
    case null:
    case 'latest':
    case 'pending':
      return toHex(headOf(chain, faults))
    case 'safe':
    case 'finalized':
      return toHex(chain.finalized)
    case 'earliest':
      return '0x0'
    default:
      return typeof tag === 'string' && BigInt(tag) > BigInt(chain.head.number) ? undefined : tag
  }
}

function headOf(chain: LocalChain, faults: Faults): number {
  return faults.takes('stale_head') ? Math.max(chain.head.number - staleBlocks, 0) : chain.head.number
}

function ownMethods(chain: LocalChain, faults: Faults): Record<string, NodeMethod> {
  return {
    eth_chainId: async () => toHex(faults.takes('wrong_chain_id') ? chain.chainId + 1 : chain.chainId),
    eth_blockNumber: async () => toHex(headOf(chain, faults)),
    eth_accounts: async () => [],
    web3_clientVersion: async () => `svc-sandbox/${chain.network.toLowerCase()}`,
    eth_gasPrice: async () => toHex(chain.baseFee + chain.tip),
    eth_maxPriorityFeePerGas: async () => toHex(chain.tip),
    eth_sendRawTransaction: async ([raw]) => sendRaw(chain, faults, raw),
    eth_getTransactionReceipt: async ([hash]) =>
      faults.takes('null_receipt') ? null : chain.engine('eth_getTransactionReceipt', hash),
    eth_getBlockReceipts: async ([block]) => blockReceipts(chain, faults, block),
    eth_getLogs: async ([filter]) => getLogs(chain, faults, filter),
    txpool_status: async () => {
      const { pending, queued } = await chain.pool.count()
      return { pending: toHex(pending), queued: toHex(queued) }
    },
  }
}

async function sendRaw(chain: LocalChain, faults: Faults, raw: unknown): Promise<string> {
  if (typeof raw !== 'string' || !/^0x(?:[0-9a-f]{2})+$/i.test(raw)) throw new RpcError('typed transaction too short')
  if (faults.takes('nonce_too_low')) throw new RpcError('nonce too low')
  if (faults.takes('drop_transaction')) return chain.accept(raw)
  const hash = await chain.send(raw)
  if (faults.takes('already_known')) throw new RpcError('already known')
  return hash
}

async function blockReceipts(chain: LocalChain, faults: Faults, block: unknown): Promise<unknown> {
  const found = isHash(block)
    ? await chain.engine<Block | null>('eth_getBlockByHash', block, false)
    : await readByTag(chain, faults, block)
  if (!found) return null
  return Promise.all(found.transactions.map((hash) => chain.engine('eth_getTransactionReceipt', hash)))
}

async function readByTag(chain: LocalChain, faults: Faults, tag: unknown): Promise<Block | null> {
  const number = toNumberTag(chain, faults, tag)
  return number === undefined ? null : chain.engine<Block | null>('eth_getBlockByNumber', number, false)
}

type LogFilter = { fromBlock?: unknown; toBlock?: unknown; blockHash?: unknown }

async function getLogs(chain: LocalChain, faults: Faults, given: unknown): Promise<unknown> {
  const filter = (given ?? {}) as LogFilter
  if (faults.takes('empty_logs')) return []
  if (filter.blockHash !== undefined) return chain.engine('eth_getLogs', filter)
  const fromBlock = toNumberTag(chain, faults, filter.fromBlock)
  const toBlock = toNumberTag(chain, faults, filter.toBlock)
  if (fromBlock === undefined || toBlock === undefined) {
    throw new RpcError('block range extends beyond current head block')
  }
  if (BigInt(String(fromBlock)) > BigInt(String(toBlock))) throw new RpcError('invalid block range params', -32_602)
  return chain.engine('eth_getLogs', { ...filter, fromBlock, toBlock })
}

type FeeHistory = { baseFeePerGas: string[]; reward?: string[][] }

/** The engine expects the base fee to fall after empty blocks; here it changes only when asked to. */
async function feeHistory(chain: LocalChain, params: unknown[]): Promise<FeeHistory> {
  const history = await chain.engine<FeeHistory>('eth_feeHistory', ...params)
  const baseFeePerGas = [...history.baseFeePerGas.slice(0, -1), toHex(chain.baseFee)]
  const reward = history.reward?.map((row) => row.map(() => toHex(chain.tip)))
  return { ...history, baseFeePerGas, ...(reward ? { reward } : {}) }
}

function isHash(text: unknown): text is string {
  return typeof text === 'string' && /^0x[0-9a-f]{64}$/i.test(text)
}

function toHex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}
