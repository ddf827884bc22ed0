import type { EvmNetwork } from './chain-ids.ts'

/** The coin with which a network is paid for gas, as an asset of the ledger. It is no currency of the API. */
export function nativeAssetOf(network: EvmNetwork): string {
  return `${network === 'POLYGON' ? 'POL' : 'ETH'}/${network}`
}

/** Decimals of the native coin of every EVM network. */
export const nativeScale = 18
