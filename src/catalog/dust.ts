import { parseAmount } from '../lib/money.ts'
import { type Asset, isFiat, scaleOf, type TokenAsset } from './currencies.ts'

type DustLimit = { below: string; asOf: string; source: string }

const cent: DustLimit = {
  below: '0.01',
  asOf: '2026-11-16',
  source: 'Our own choice: less than a cent pays for no transfer, and mostly advertises or imitates an address',
}

/** Token transfers below the limit wait until those of one address reach it together. Money at a bank has no limit. */
export const dustLimits: Readonly<Record<TokenAsset, DustLimit>> = {
  'USDC/ARBITRUM': cent,
  'USDC/BASE': cent,
  'USDC/ETHEREUM': cent,
  'USDC/OPTIMISM': cent,
  'USDC/POLYGON': cent,
  'USDC/SOLANA': cent,
  'EURC/BASE': cent,
  'EURC/ETHEREUM': cent,
  'EURC/SOLANA': cent,
}

/** The limit in smallest units; 0 for money at a bank. */
export function dustLimitOf(asset: Asset): bigint {
  if (isFiat(asset)) return 0n
  const limit = parseAmount(dustLimits[asset].below, scaleOf(asset))
  if (!limit.ok) throw new Error(`the dust limit of ${asset} ${limit.problem}`)
  return limit.units
}
