import { type FiatLabel, fiatCurrencies, fiatLabels, isNetwork } from '../../catalog/currencies.ts'
import { kindOf, type NetworkKind } from '../../catalog/network-kinds.ts'

/** The accounts that money can take a rail or network to, as their answers show it. */
export type AccountReach = {
  /** External accounts have one rail or network. */
  rail: string
  /** Service wallets of this kind list the network among their `chains`. */
  walletType: NetworkKind | null
  /** Auto fiat accounts in this currency have coordinates for every rail of it. */
  currency: FiatLabel | null
}

/** Tells which accounts a rail or network reaches. Svc's own accounts show only what the deployment offers. */
export function reachOf(rail: string, isOffered: (method: string) => boolean): AccountReach {
  if (!isOffered(rail)) return { rail, walletType: null, currency: null }
  if (isNetwork(rail)) return { rail, walletType: kindOf(rail), currency: null }
  const currency = fiatLabels.find((label) => (fiatCurrencies[label].rails as readonly string[]).includes(rail))
  return { rail, walletType: null, currency: currency ?? null }
}
