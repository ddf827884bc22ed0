/** Chain ids of EIP-155. Source: chainid.network, read on 15 November 2026. */
export const chainIds = {
  production: { ETHEREUM: 1, OPTIMISM: 10, POLYGON: 137, BASE: 8_453, ARBITRUM: 42_161 },
  // Sepolia, OP Sepolia, Polygon Amoy, Base Sepolia, Arbitrum Sepolia
  sandbox: { ETHEREUM: 11_155_111, OPTIMISM: 11_155_420, POLYGON: 80_002, BASE: 84_532, ARBITRUM: 421_614 },
} as const

/** The networks that run the EVM. */
export type EvmNetwork = keyof (typeof chainIds)['production']
export const evmNetworks: readonly EvmNetwork[] = ['ARBITRUM', 'BASE', 'ETHEREUM', 'OPTIMISM', 'POLYGON']
