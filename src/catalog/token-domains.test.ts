import { expect, test } from 'vitest'
import { domainSeparatorOf } from '../lib/evm/authorization.ts'
import { toHex } from '../lib/evm/words.ts'
import { tokenDomainOf } from './token-domains.ts'

// biome-ignore format: a table is read by column
test.each([
  // token           the answer of DOMAIN_SEPARATOR() on the network
  ['USDC/ARBITRUM', '0x08d11903f8419e68b1b8721bcbe2e9fc68569122a77ef18c216f10b3b5112c78'],
  ['USDC/BASE',     '0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f'],
  ['USDC/ETHEREUM', '0x06c37168a7db5138defc7866392bb87a741f9b3d104deb5094588ce041cae335'],
  ['USDC/OPTIMISM', '0x26d9c34bb1a1c312f69c53b2d93b8be20faafba63af2438c6811713c9b1f933f'],
  ['USDC/POLYGON',  '0xcaa2ce1a5703ccbe253a34eb3166df60a705c561b44b192061e28f2a985be2ca'],
  ['EURC/BASE',     '0xec4dcbded0afd42599589b79220899bbe000bb5ea66d6f1bc176e78d094203bb'],
  ['EURC/ETHEREUM', '0x99f188f447f0c6eaf68589359cd2ead8c2faaaaee984ab926fdb734d0040073b'],
] as const)('%s: our signatures are bound to the domain of its contract', (asset, separator) => {
  expect(toHex(domainSeparatorOf(tokenDomainOf('production', asset)))).toBe(separator)
})
