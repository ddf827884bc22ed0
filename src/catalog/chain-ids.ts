/** Chain ids of EIP-155. Source: chainid.network, read on 15 November 2026. */
export const chainIds = {
  production: { ETHEREUM: 1, OPTIMISM: 10, POLYGON: 137, BASE: 8_453, ARBITRUM: 42_161 },
  // Sepolia, OP Sepolia, Polygon Amoy, Base Sepolia, Arbitrum Sepolia
  sandbox: { ETHEREUM: 11_155_111, OPTIMISM: 11_155_420, POLYGON: 80_002, BASE: 84_532, ARBITRUM: 421_614 },
} as const

/** The networks that run the EVM. */
export type EvmNetwork = keyof (typeof chainIds)['production']
export const evmNetworks: readonly EvmNetwork[] = ['ARBITRUM', 'BASE', 'ETHEREUM', 'OPTIMISM', 'POLYGON']

/**
 * The genesis hash tells Solana's clusters apart: mainnet and devnet. The sandbox's own chain has the hash of devnet, whose
 * tokens it has too. Source: docs.anza.xyz, "Solana clusters", and `getGenesisHash` of each cluster.
 */
export const genesisHashes = {
  production: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  sandbox: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
} as const
