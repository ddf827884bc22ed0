import type { TokenDomain } from '../lib/evm/authorization.ts'
import { chainIds, type EvmNetwork } from './chain-ids.ts'
import { chainOf, currencyOf, type Environment, labelOf, type SandboxContracts, type TokenAsset } from './currencies.ts'

/**
 * Names in the EIP-712 domains of the issuer's contracts, where they differ from the label. Verified on 17 November 2026:
 * the separator that we compute for each token equals the one that public projects report to have read from its contract
 * (the table is in token-domains.test.ts). Svc compares it with the contract itself when it starts, and pays nothing on a
 * network where the two differ.
 */
const productionNames: Partial<Record<TokenAsset, string>> = {
  'USDC/ARBITRUM': 'USD Coin',
  'USDC/BASE': 'USD Coin',
  'USDC/ETHEREUM': 'USD Coin',
  'USDC/OPTIMISM': 'USD Coin',
  'USDC/POLYGON': 'USD Coin',
  'EURC/ETHEREUM': 'Euro Coin',
}

/** The EIP-712 domain of a token on an EVM network. */
export function tokenDomainOf(
  environment: Environment,
  asset: TokenAsset,
  sandboxContracts: SandboxContracts = {},
): TokenDomain {
  const currency = currencyOf(environment, asset, sandboxContracts)
  const chainId = chainIds[environment][chainOf(asset) as EvmNetwork]
  if (chainId === undefined || !('contractAddress' in currency)) throw new Error(`${asset} is on no EVM network`)
  const name = (environment === 'production' ? productionNames[asset] : undefined) ?? labelOf(asset)
  return { name, version: '2', chainId, contract: currency.contractAddress }
}
