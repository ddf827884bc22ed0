import type { Network } from './currencies.ts'

/** One EVM address serves every EVM network. Solana uses keys of another curve. */
export const networkKinds = ['EVM', 'SOLANA'] as const
export type NetworkKind = (typeof networkKinds)[number]

export function kindOf(network: Network): NetworkKind {
  return network === 'SOLANA' ? 'SOLANA' : 'EVM'
}

/** The service's own addresses: the treasury pays out, the relayer pays gas. Append only: the order is the key index. */
export const serviceRoles = ['TREASURY', 'RELAYER'] as const
export type ServiceRole = (typeof serviceRoles)[number]
