import type { Network } from './currencies.ts'

/** One EVM address serves every EVM network; Solana has keys of another curve. */
export const networkKinds = ['EVM', 'SOLANA'] as const
export type NetworkKind = (typeof networkKinds)[number]

export function kindOf(network: Network): NetworkKind {
  return network === 'SOLANA' ? 'SOLANA' : 'EVM'
}

/** The service's own addresses: the treasury pays out, the relayer pays for gas. Their order is their index: append only. */
export const serviceRoles = ['TREASURY', 'RELAYER'] as const
export type ServiceRole = (typeof serviceRoles)[number]
