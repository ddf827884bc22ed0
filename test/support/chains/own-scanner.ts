import { createEvmNode } from '../../../src/adapters/chains/evm/evm-node.ts'
import { createOutboundHttp } from '../../../src/adapters/outbound-http.ts'
import { chainIds, type EvmNetwork } from '../../../src/catalog/chain-ids.ts'
import { tokenDomainOf } from '../../../src/catalog/token-domains.ts'
import type { ChainNode } from '../../../src/chains/node.ts'
import { createScanner, type ScannerDeps } from '../../../src/chains/scanner/service.ts'
import type { Finality } from '../../../src/lib/settings/chains.ts'
import type { ScannedWorld } from './scanned-world.ts'

type Changes = Partial<ScannerDeps> & {
  /** Takes every block for final, as no service may. */
  isEveryBlockFinal?: boolean
  /** The nodes, all of which must agree; by default the local chain. */
  rpcUrls?: string[]
  node?: Partial<ChainNode>
  finality?: Finality
}

const ignore = () => {}

/** A scanner whose turns the test takes itself, on a network that the service of the world does not scan. */
export function makeScanner({ api, chains }: ScannedWorld, network: EvmNetwork, changes: Changes = {}) {
  const {
    finality = 'finalized',
    isEveryBlockFinal,
    rpcUrls = [chains.rpcUrls[network]],
    node: nodeChanges,
    ...deps
  } = changes
  const { database, custody, deposits, ledger } = api.app
  const options = { quorum: rpcUrls.length, timeoutMs: 5_000, chainId: chainIds.sandbox[network] }
  const node = createEvmNode(createOutboundHttp(), { network, rpcUrls, ...options })
  const shared = { database, custody, deposits, ledger, leaseMs: 30_000, rejudgePayouts: async () => {} }
  return createScanner(
    { ...shared, onProblem: ignore, onHalted: ignore, onPoint: ignore, ...deps },
    {
      node: { ...node, ...(isEveryBlockFinal ? { heads: () => node.heads('latest') } : {}), ...nodeChanges },
      finality,
      tokens: [{ asset: `USDC/${network}`, decimals: 6, domain: tokenDomainOf('sandbox', `USDC/${network}`) }],
    },
  )
}
