import type { Faults } from '../../faults.ts'
import { RpcError } from '../../rpc-error.ts'
import type { SolanaChain } from '../chain.ts'
import { accountMethods } from './accounts.ts'
import { blockMethods, clusterMethods } from './blocks.ts'
import { sendingMethods } from './sending.ts'
import { transactionMethods } from './transactions.ts'
import { View } from './view.ts'

const staleSlots = 20

/** Answers the JSON-RPC methods of a node. */
export function createSolanaNode(
  chain: SolanaChain,
  faults: Faults,
): (method: string, params: unknown[]) => Promise<unknown> {
  const steady = new Map(Object.entries({ ...clusterMethods(faults), ...sendingMethods(faults) }))
  const readers = new Map(Object.entries({ ...accountMethods, ...blockMethods, ...transactionMethods }))
  const nullAnswers = new Map<string, (params: unknown[]) => unknown>([
    ['getTransaction', () => null],
    ['getSignatureStatuses', (params) => emptyStatuses(chain, params)],
  ])
  return async (method, params) => {
    await chain.settled()
    const answer = steady.get(method)
    if (answer) return answer(new View(chain), params)
    const read = readers.get(method)
    if (!read) throw new RpcError('Method not found', -32_601)
    const empty = nullAnswers.get(method)
    if (empty && faults.takes('null_receipt')) return empty(params)
    if (method === 'getSignaturesForAddress' && faults.takes('empty_signatures')) return []
    return read(new View(chain, faults.takes('stale_head') ? staleSlots : 0), params)
  }
}

function emptyStatuses(chain: SolanaChain, [signatures]: unknown[]) {
  const view = new View(chain)
  const value = Array.isArray(signatures) ? signatures.map(() => null) : []
  return { context: view.context(view.slot('processed')), value }
}
