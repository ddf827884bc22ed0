import { expect, test } from 'vitest'
import { checksumEvmAddress } from '../lib/addresses/evm-address.ts'
import { readSolanaAddress } from '../lib/addresses/solana-address.ts'
import {
  assetOf,
  assets,
  chainOf,
  currencyOf,
  currencyOn,
  fiatCurrencies,
  fiatRails,
  isAsset,
  labelOf,
  networks,
  scaleOf,
  tokenAssets,
  tokenContracts,
  tokens,
} from './currencies.ts'
import { paymentMethods } from './payment-methods.ts'

// biome-ignore format: a table is read by column
test.each([
  // label   on                  is
  ['USD',    undefined,           'USD'],
  ['USD',    'ACH',               'USD'],
  ['USD',    'WIRE',              'USD'],
  ['EUR',    'SEPA',              'EUR'],
  ['CAD',    'CA_INTERAC',        'CAD'],
  ['INR',    'IN_NEFT_RTGS_IMPS', 'INR'],
  ['USD',    'SEPA',              undefined],
  ['EUR',    'ACH',               undefined],
  ['USD',    'BASE',              undefined],
  ['GBP',    undefined,           undefined],
  ['USDC',   'BASE',              'USDC/BASE'],
  ['USDC',   'SOLANA',            'USDC/SOLANA'],
  ['USDC',   undefined,           undefined],
  ['USDC',   'ACH',               undefined],
  ['EURC',   'ETHEREUM',          'EURC/ETHEREUM'],
  ['EURC',   'POLYGON',           undefined],
  ['EURC',   'ARBITRUM',          undefined],
  ['usdc',   'BASE',              undefined],
  ['USDC',   'base',              undefined],
  ['toString', undefined,         undefined],
] as const)('%s on %s is the asset %s', (label, method, asset) => {
  expect(assetOf(label, method)).toBe(asset)
  expect(currencyOn('production', label, method)?.label).toBe(asset && label)
})

test('fiat shows only its label, a token also its network, decimals and contract', () => {
  expect(currencyOf('production', 'USD')).toEqual({ label: 'USD' })
  expect(currencyOn('production', 'USDC', 'BASE')).toEqual({
    label: 'USDC',
    chain: 'BASE',
    currencyDecimals: 6,
    contractAddress: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  })
})

test('the sandbox shows the contracts of its own chains, and test contracts where it has none', () => {
  const local = { 'USDC/BASE': '0x5FbDB2315678afecb367f032d93F642f64180aa3' }
  expect(currencyOn('sandbox', 'USDC', 'BASE', local)).toMatchObject({ contractAddress: local['USDC/BASE'] })
  expect(currencyOn('sandbox', 'USDC', 'ETHEREUM', local)).toMatchObject({
    contractAddress: tokens['USDC/ETHEREUM'].testContract,
  })
  expect(currencyOn('production', 'USDC', 'BASE', local)).toMatchObject({
    contractAddress: tokens['USDC/BASE'].contract,
  })
  expect(tokenContracts(local)).toContain(local['USDC/BASE'])
})

test.each(tokenAssets)('the contracts of %s are well formed', (asset) => {
  for (const contract of [tokens[asset].contract, tokens[asset].testContract]) {
    if (chainOf(asset) === 'SOLANA') expect(readSolanaAddress(contract)).toHaveLength(32)
    else expect(contract).toBe(checksumEvmAddress(contract))
  }
})

test('the currencies and the payment methods agree', () => {
  for (const method of [...networks, ...fiatRails]) {
    const { currencies } = paymentMethods[method]
    const listed = assets.filter((asset) => assetOf(labelOf(asset), method) === asset)
    expect([method, listed.map(labelOf).sort()]).toEqual([method, [...currencies].sort()])
  }
})

test('every asset has a scale, a label and a place of its own', () => {
  expect(networks).toEqual(['ARBITRUM', 'BASE', 'ETHEREUM', 'OPTIMISM', 'POLYGON', 'SOLANA'])
  expect(new Set(assets).size).toBe(Object.keys(fiatCurrencies).length + tokenAssets.length)
  for (const asset of assets) {
    expect(isAsset(asset)).toBe(true)
    expect(assetOf(labelOf(asset), chainOf(asset))).toBe(asset)
    expect(scaleOf(asset)).toBe(chainOf(asset) ? 6 : 2)
  }
  for (const text of ['USDC', 'USD/ACH', 'USDC/POLYGON/1', '', 'constructor']) expect(isAsset(text)).toBe(false)
})
