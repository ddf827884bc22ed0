import { nativeScaleOf } from './native-coins.ts'
import { type PaymentMethod, paymentMethods } from './payment-methods.ts'

/** A currency as every answer shows it. Fiat has only a label. */
export type Currency = { label: string } | TokenCurrency
export type TokenCurrency = { label: string; chain: Network; contractAddress: string; currencyDecimals: number }

/** The content of a ledger account, such as USD or USDC/BASE. The same token on two networks is two assets. */
export type Asset = FiatLabel | TokenAsset

type FiatFacts = { scale: number; rails: readonly FiatRail[] }

/** The fiat currencies. `scale` is the number of minor-unit digits of ISO 4217. */
// biome-ignore format: a table is read by column
export const fiatCurrencies = {
  USD: { scale: 2, rails: ['ACH', 'WIRE'] },
  EUR: { scale: 2, rails: ['SEPA'] },
  CAD: { scale: 2, rails: ['CA_INTERAC'] },
  INR: { scale: 2, rails: ['IN_NEFT_RTGS_IMPS'] },
} as const satisfies Record<string, FiatFacts>

export type FiatLabel = keyof typeof fiatCurrencies
export const fiatLabels = Object.keys(fiatCurrencies) as readonly FiatLabel[]

type MethodOf<Kind> = { [Name in PaymentMethod]: (typeof paymentMethods)[Name]['kind'] extends Kind ? Name : never }
export type Network = MethodOf<'crypto'>[PaymentMethod]
export type FiatRail = MethodOf<'fiat'>[PaymentMethod]

const namesOf = (kind: 'fiat' | 'crypto') =>
  (Object.keys(paymentMethods) as PaymentMethod[]).filter((name) => paymentMethods[name].kind === kind)
export const networks = namesOf('crypto') as readonly Network[]
export const fiatRails = namesOf('fiat') as readonly FiatRail[]

type TokenFacts = { scale: number; contract: string; testContract: string }

/**
 * The issuer's own tokens, never bridged ones. Source: Circle, "USDC Contract Addresses" and "EURC Contract Addresses",
 * developers.circle.com/stablecoins, read on 15 November 2026, and compared with the lists of other publishers on the 17th.
 * The test contracts are those of Sepolia, OP Sepolia,
 * Arbitrum Sepolia, Base Sepolia, Polygon Amoy and Solana Devnet; EURC has the same mint on both Solana networks.
 */
// biome-ignore format: a table is read by column
export const tokens = {
  'USDC/ARBITRUM': { scale: 6, contract: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',   testContract: '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d' },
  'USDC/BASE':     { scale: 6, contract: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',   testContract: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' },
  'USDC/ETHEREUM': { scale: 6, contract: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',   testContract: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238' },
  'USDC/OPTIMISM': { scale: 6, contract: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',   testContract: '0x5fd84259d66Cd46123540766Be93DFE6D43130D7' },
  'USDC/POLYGON':  { scale: 6, contract: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',   testContract: '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582' },
  'USDC/SOLANA':   { scale: 6, contract: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', testContract: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU' },
  'EURC/BASE':     { scale: 6, contract: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',   testContract: '0x808456652fdb597867f38412077A9182bf77359F' },
  'EURC/ETHEREUM': { scale: 6, contract: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c',   testContract: '0x08210F9170F89Ab7658F0B5E3fF39b0E03C594D4' },
  'EURC/SOLANA':   { scale: 6, contract: 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr', testContract: 'HzwqbKZw8HxMN6bF2yFZNrht3c2iXXzpKcFu7uBEDKtr' },
} as const satisfies Record<string, TokenFacts>

export type TokenAsset = keyof typeof tokens
export const tokenAssets = Object.keys(tokens) as readonly TokenAsset[]
export const assets: readonly Asset[] = [...fiatLabels, ...tokenAssets]

export type Environment = 'sandbox' | 'production'
/** Token contracts on the sandbox's own chains. A token that is not listed has its public test contract. */
export type SandboxContracts = Partial<Record<TokenAsset, string>>

/**
 * Finds the currency of a label on a rail or network; undefined for a pair that does not exist, such as EURC on Polygon
 * or USD over SEPA. Fiat needs no rail, a token needs a network.
 */
export function currencyOn(
  environment: Environment,
  label: string,
  method?: string,
  sandboxContracts: SandboxContracts = {},
): Currency | undefined {
  const asset = assetOf(label, method)
  return asset && currencyOf(environment, asset, sandboxContracts)
}

export function currencyOf(environment: Environment, asset: Asset, sandboxContracts: SandboxContracts = {}): Currency {
  if (isFiat(asset)) return { label: asset }
  const { label, chain } = splitToken(asset)
  const { scale, contract, testContract } = tokens[asset]
  const contractAddress = environment === 'production' ? contract : (sandboxContracts[asset] ?? testContract)
  return { label, chain, contractAddress, currencyDecimals: scale }
}

/** Finds the asset of a label on a rail or network. */
export function assetOf(label: string, method?: string): Asset | undefined {
  if (isFiat(label)) {
    const rails: readonly string[] = fiatCurrencies[label].rails
    return method === undefined || rails.includes(method) ? label : undefined
  }
  const asset = `${label}/${method}`
  return isTokenAsset(asset) ? asset : undefined
}

/** The rails or the network of an asset. */
export function methodsOf(asset: Asset): readonly PaymentMethod[] {
  return isFiat(asset) ? fiatCurrencies[asset].rails : [splitToken(asset).chain]
}

export function isAsset(text: string): text is Asset {
  return isFiat(text) || isTokenAsset(text)
}

export function isFiat(text: string): text is FiatLabel {
  return Object.hasOwn(fiatCurrencies, text)
}

export function isTokenAsset(text: string): text is TokenAsset {
  return Object.hasOwn(tokens, text)
}

export function isFiatRail(text: string): text is FiatRail {
  return (fiatRails as readonly string[]).includes(text)
}

export function isNetwork(text: string): text is Network {
  return (networks as readonly string[]).includes(text)
}

/** The number of decimals of an asset's amounts. The ledger also has the coins that networks take for gas. */
export function scaleOf(asset: Asset): number {
  if (isFiat(asset)) return fiatCurrencies[asset].scale
  return isTokenAsset(asset) ? tokens[asset].scale : nativeScaleOf(asset)
}

export function labelOf(asset: Asset): string {
  return isFiat(asset) ? asset : splitToken(asset).label
}

export function chainOf(asset: Asset): Network | undefined {
  return isFiat(asset) ? undefined : splitToken(asset).chain
}

function splitToken(asset: TokenAsset): { label: string; chain: Network } {
  const [label, chain] = asset.split('/')
  return { label: label as string, chain: chain as Network }
}

/** Lists every known token contract, real and test. No customer's wallet has one of these addresses. */
export function tokenContracts(sandboxContracts: SandboxContracts = {}): string[] {
  const published = tokenAssets.flatMap((asset) => [tokens[asset].contract, tokens[asset].testContract])
  return [...new Set([...published, ...Object.values(sandboxContracts)])]
}
