import { createEvmNode } from '../../adapters/chains/evm/evm-node.ts'
import { createOutboundHttp } from '../../adapters/outbound-http.ts'
import { chainIds, type EvmNetwork, evmNetworks } from '../../catalog/chain-ids.ts'
import { chainOf, currencyOf, tokenAssets } from '../../catalog/currencies.ts'
import { tokenDomainOf } from '../../catalog/token-domains.ts'
import type { ChainNode } from '../../chains/node.ts'
import { scanJob } from '../../chains/scanner/jobs.ts'
import { createScanOperator } from '../../chains/scanner/operator.ts'
import { createScanner, type ScannedNetwork } from '../../chains/scanner/service.ts'
import type { CustodyService } from '../../custody/service.ts'
import { commandActor } from '../../db/audit/audit.ts'
import type { Job } from '../../db/work.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { DepositService } from '../../transactions/deposits/service.ts'
import type { Deps } from '../deps.ts'

type Needed = { custody: CustodyService; deposits: DepositService; ledger: LedgerService; chainNodes: ChainNodes }

export type ChainServices = ReturnType<typeof createChainServices>

const longestIdleMs = 2_000

export type ChainNodes = ReturnType<typeof createChainNodes>

/** Creates the nodes of the networks that have addresses in the settings. */
export function createChainNodes({ config }: Deps) {
  const { quorum, timeoutMs, networks } = config.chains
  const http = createOutboundHttp()
  const configured = evmNetworks.filter((network) => networks[network].rpcUrls.length > 0)
  const nodes: ReadonlyMap<EvmNetwork, ChainNode> = new Map(
    configured.map((network) => {
      const { rpcUrls } = networks[network]
      const chainId = chainIds[config.environment][network]
      return [network, createEvmNode(http, { network, chainId, rpcUrls, quorum, timeoutMs })]
    }),
  )
  return { nodes, configured, close: () => http.close() }
}

/** Creates the scanners of the networks that have nodes. */
export function createChainServices(deps: Deps, { custody, deposits, ledger, chainNodes }: Needed) {
  const { config, log, database, audit, metrics, onPoint } = deps
  const { networks } = config.chains
  const { nodes, configured } = chainNodes
  const scannerDeps = {
    database,
    custody,
    deposits,
    ledger,
    onPoint,
    leaseMs: config.leaseMs,
    onProblem: (network: EvmNetwork, problem: string, error: Error) => {
      metrics.countJobFailure(`scan ${network}`)
      log.error({ network, problem, err: error }, 'a network cannot be scanned and is polled until it can')
    },
    onHalted: (network: EvmNetwork, error: Error) =>
      log.error({ network, err: error }, 'a network is halted: it dropped a final block. See svc networks show'),
  }
  let wakeCalls = 0
  const scannedNetwork = (network: EvmNetwork): ScannedNetwork => ({
    node: nodes.get(network) as ChainNode,
    finality: networks[network].finality,
    tokens: tokensOf(config.environment, network),
  })
  return {
    chains: {
      /** The nodes of each network that has some. */
      nodes,
      ...createScanOperator({ database, audit, actor: commandActor(config.operator), nodes }),
      /** Lets the scanners of this process look at once: the sandbox has just made a block. */
      wake: () => {
        wakeCalls += 1
      },
      createJobs: (): Job[] => {
        const waiting = evmNetworks.filter((name) => config.paymentMethods.includes(name) && !nodes.has(name))
        if (config.environment === 'production' && waiting.length > 0) {
          log.warn({ networks: waiting }, 'networks without nodes wait: set SVC_<NETWORK>_RPC_URLS')
        }
        return configured.map((network) =>
          scanJob(createScanner(scannerDeps, scannedNetwork(network)), longestIdleMs, () => wakeCalls),
        )
      },
    },
    closeChains: chainNodes.close,
  }
}

function tokensOf(environment: Deps['config']['environment'], network: EvmNetwork): ScannedNetwork['tokens'] {
  return tokenAssets
    .filter((asset) => chainOf(asset) === network)
    .flatMap((asset) => {
      const currency = currencyOf(environment, asset)
      if (!('contractAddress' in currency)) return []
      return [{ asset, decimals: currency.currencyDecimals, domain: tokenDomainOf(environment, asset) }]
    })
}
