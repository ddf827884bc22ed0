import { createEvmNode } from '../../adapters/chains/evm/evm-node.ts'
import { createSolanaNode } from '../../adapters/chains/solana/solana-node.ts'
import { createOutboundHttp } from '../../adapters/outbound-http.ts'
import { chainIds, type EvmNetwork, evmNetworks, genesisHashes } from '../../catalog/chain-ids.ts'
import { networks as allNetworks, chainOf, currencyOf, type Network, tokenAssets } from '../../catalog/currencies.ts'
import { tokenDomainOf } from '../../catalog/token-domains.ts'
import type { ChainNode } from '../../chains/node.ts'
import { scanJob } from '../../chains/scanner/jobs.ts'
import { createScanOperator } from '../../chains/scanner/operator.ts'
import { createScanner, type ScannedNetwork } from '../../chains/scanner/service.ts'
import { withHistory } from '../../chains/solana/scanner/history.ts'
import { createSolanaScanner, type SolanaToken } from '../../chains/solana/scanner/service.ts'
import type { CustodyService } from '../../custody/service.ts'
import { commandActor } from '../../db/audit/audit.ts'
import type { Job } from '../../db/work.ts'
import type { LedgerService } from '../../ledger/service.ts'
import type { DepositService } from '../../transactions/deposits/service.ts'
import type { PayoutService } from '../../transactions/payouts/service.ts'
import type { Deps } from '../deps.ts'
import { createRejudgement } from './rejudgement.ts'

type Needed = {
  custody: CustodyService
  deposits: DepositService
  payouts: PayoutService
  ledger: LedgerService
  chainNodes: ChainNodes
}

export type ChainServices = ReturnType<typeof createChainServices>

/** The longest pause between two looks at a quiet network. Local chains of this process tell of their changes. */
const longestIdleMs = { telling: 15_000, local: 4_000, other: 2_000 }

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
  const { rpcUrls } = networks.SOLANA
  const genesisHash = genesisHashes[config.environment]
  const isRealTime = config.environment === 'production'
  const solana =
    rpcUrls.length > 0 ? createSolanaNode(http, { genesisHash, rpcUrls, quorum, timeoutMs, isRealTime }) : undefined
  return { nodes, configured, solana, close: () => http.close() }
}

/** Creates the scanners of the networks that have nodes. */
export function createChainServices(deps: Deps, { custody, deposits, payouts, ledger, chainNodes }: Needed) {
  const { config, log, database, audit, metrics, onPoint } = deps
  const { networks } = config.chains
  const { nodes, configured, solana } = chainNodes
  const scannerDeps = {
    database,
    custody,
    deposits,
    ledger,
    onPoint,
    rejudgePayouts: createRejudgement(deps, { payouts, ledger }),
    leaseMs: config.leaseMs,
    onProblem: (network: Network, problem: string, error: Error) => {
      metrics.countJobFailure(`scan ${network}`)
      log.error({ network, problem, err: error }, 'a network cannot be scanned and is polled until it can')
    },
    onHalted: (network: EvmNetwork, error: Error) =>
      log.error({ network, err: error }, 'a network is halted: it dropped a final block. See svc networks show'),
  }
  const listeners = new Map<string, () => void>()
  const scannedNetwork = (network: EvmNetwork): ScannedNetwork => ({
    node: nodes.get(network) as ChainNode,
    finality: networks[network].finality,
    tokens: tokensOf(config.environment, network),
  })
  return {
    chains: {
      /** The nodes of each network that has some. */
      nodes,
      solana,
      ...createScanOperator({
        database,
        audit,
        actor: commandActor(config.operator),
        nodes,
        solana: solana && withHistory(solana),
        doChainsRest: deps.localChains !== undefined,
      }),
      /** Lets the scanners of this process look at once: a network may have a new block. */
      wake: () => {
        for (const look of listeners.values()) look()
      },
      createJobs: (): Job[] => {
        const isServed = (name: Network) => networks[name].rpcUrls.length > 0
        const waiting = allNetworks.filter((name) => config.paymentMethods.includes(name) && !isServed(name))
        if (config.environment === 'production' && waiting.length > 0) {
          log.warn({ networks: waiting }, 'networks without nodes wait: set SVC_<NETWORK>_RPC_URLS')
        }
        const scanners = configured.map((network) => createScanner(scannerDeps, scannedNetwork(network)))
        if (solana) {
          const pauses = config.environment === 'production' ? productionPauses : sandboxPauses
          const tokens = solanaTokens(config.environment)
          scanners.push(createSolanaScanner({ ...scannerDeps, pauses, frozenMs }, { node: solana, tokens }))
        }
        deps.onChainNews?.((network) => listeners.get(network)?.())
        const longest = deps.onChainNews ? 'telling' : deps.localChains ? 'local' : 'other'
        return scanners.map((scanner) =>
          scanJob(scanner, {
            longestIdleMs: longestIdleMs[longest],
            onNews: (look) => listeners.set(scanner.network, look),
          }),
        )
      },
    },
    closeChains: chainNodes.close,
  }
}

/** The time without a new final slot after which the nodes of Solana are frozen. */
const frozenMs = 120_000

/** Seconds between two looks at the transactions of an account whose balance has not changed. */
const productionPauses = { first: 60, longest: 3_600 }
const sandboxPauses = { first: 2, longest: 600 }

/** The tokens on Solana with their mints. */
export function solanaTokens(environment: Deps['config']['environment']): SolanaToken[] {
  return tokenAssets
    .filter((asset) => chainOf(asset) === 'SOLANA')
    .flatMap((asset) => {
      const currency = currencyOf(environment, asset)
      if (!('contractAddress' in currency)) return []
      return [{ asset, mint: currency.contractAddress, decimals: currency.currencyDecimals }]
    })
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
