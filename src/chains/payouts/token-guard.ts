import { chainOf, type Environment, scaleOf, type TokenAsset, tokenAssets } from '../../catalog/currencies.ts'
import { tokenDomainOf } from '../../catalog/token-domains.ts'
import type { BlockRef, ChainNode } from '../node.ts'
import { WrongToken } from '../scanner/scan.ts'
import { checkToken } from '../scanner/token-check.ts'

/**
 * Compares the tokens of a network with the domains that our signer signs for, until they are right once. The reason to
 * wait is undefined when they are: else a signature would be valid nowhere, or for another contract.
 */
export function createTokenGuard(node: ChainNode, environment: Environment, readFinal: () => Promise<BlockRef>) {
  const assets = tokenAssets.filter((asset) => chainOf(asset) === node.network)
  let isChecked = false
  return async (): Promise<string | undefined> => {
    if (isChecked) return undefined
    const block = await readFinal()
    try {
      for (const asset of assets) await checkToken(node, expectedOf(environment, asset), block)
    } catch (error) {
      if (error instanceof WrongToken) return error.message
      throw error
    }
    isChecked = true
    return undefined
  }
}

function expectedOf(environment: Environment, asset: TokenAsset) {
  return { domain: tokenDomainOf(environment, asset), decimals: scaleOf(asset) }
}
