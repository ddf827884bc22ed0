import type { PaymentMethod } from './payment-methods.ts'

/** The coin with which a network is paid for gas, as an asset of the ledger. It is no currency of the API. */
export function nativeAssetOf(network: PaymentMethod): string {
  if (network === 'SOLANA') return 'SOL/SOLANA'
  return `${network === 'POLYGON' ? 'POL' : 'ETH'}/${network}`
}

/** Decimals of a network's own coin. */
export function nativeScaleOf(asset: string): number {
  return asset === 'SOL/SOLANA' ? 9 : 18
}
