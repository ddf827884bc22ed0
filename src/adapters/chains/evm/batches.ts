import type { TransactionReceipt } from '../../../chains/node.ts'
import { NodeError } from '../../../lib/chains/node-error.ts'
import type { Endpoint } from '../json-rpc.ts'
import { agree, askAll, type Nodes } from '../quorum.ts'
import { readReceipt } from './answers.ts'

/**
 * Reads receipts with one request to each node that is asked. The nodes agree on each receipt by itself: while one of
 * them is a block behind, only the receipts of that block wait.
 */
export function readReceipts(nodes: Nodes, hashes: readonly string[]): Promise<(TransactionReceipt | undefined)[]> {
  const requests = new Map<Endpoint, Promise<unknown[]>>()
  const ask = (endpoint: Endpoint): Promise<unknown[]> => {
    const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
    const request = requests.get(endpoint) ?? endpoint.batch(calls)
    requests.set(endpoint, request)
    return request
  }
  const read = async (at: number): Promise<TransactionReceipt | undefined> => {
    try {
      // Wrapped, because none is an answer of its own here: most transactions wait, and a node that hangs must not too.
      const { receipt } = await agree(nodes, async (endpoint) => ({ receipt: readReceipt((await ask(endpoint))[at]) }))
      return receipt
    } catch (error) {
      if (error instanceof NodeError && error.kind === 'disagreement') return undefined
      throw error
    }
  }
  return Promise.all(hashes.map((_, at) => read(at)))
}

/** One node that knows a transaction is enough: those that wait are not the same at every node. */
export async function findKnown(nodes: Nodes, hashes: readonly string[]): Promise<ReadonlySet<string>> {
  if (hashes.length === 0) return new Set()
  const calls = hashes.map((hash) => ({ method: 'eth_getTransactionByHash', params: [hash] }))
  const answers = await askAll({ ...nodes, quorum: 1 }, (endpoint) => endpoint.batch(calls))
  return new Set(hashes.filter((_, at) => answers.some((answer) => answer[at] !== null)))
}
