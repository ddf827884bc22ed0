import { createSolanaNode } from '../../adapters/chains/solana/solana-node.ts'
import { createOutboundHttp } from '../../adapters/outbound-http.ts'
import { genesisHashes } from '../../catalog/chain-ids.ts'
import type { Environment } from '../../catalog/currencies.ts'
import type { SolanaNode } from '../../chains/solana/node.ts'
import type { Config } from '../../config.ts'

/** Creates the signer's own connection to Solana, which tells it whether an earlier transaction of a payout is over. */
export function createSignerNodes({ chains }: Pick<Config, 'chains'>, environment: Environment) {
  const { quorum, timeoutMs, networks } = chains
  const { rpcUrls } = networks.SOLANA
  const http = createOutboundHttp()
  const genesisHash = genesisHashes[environment]
  const options = { genesisHash, rpcUrls, quorum, timeoutMs, isRealTime: environment === 'production' }
  const node = rpcUrls.length > 0 ? createSolanaNode(http, options) : undefined
  return {
    isOver: node && ((transaction: Parameters<SolanaNode['findDeath']>[0]) => isOver(node, transaction)),
    close: () => http.close(),
  }
}

/** True for a transaction that failed in a final block, or that no block will ever have. */
async function isOver(node: SolanaNode, transaction: Parameters<SolanaNode['findDeath']>[0]): Promise<boolean> {
  return (await node.hasFailed(transaction.signature)) || (await node.findDeath(transaction)) !== undefined
}
