import { type Asset, assetOf, isNetwork, type Network } from '../../catalog/currencies.ts'
import type { FieldProblem } from '../../lib/refusal.ts'
import { readWalletAddress } from './wallet-address.ts'

type Tree = Readonly<Record<string, unknown>>
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value)

export type ExternalWallet = { chain: Network; currency: string; asset: Asset; address: string }

/** Reads an external wallet. `address` is a string beside `chain`, or an object as in answers: `{ address, chain }`. */
export function readExternalWallet(
  sent: unknown,
  tokenContracts: readonly string[],
): { wallet: ExternalWallet | undefined; problems: FieldProblem[] } {
  if (!isTree(sent)) return { wallet: undefined, problems: [] }
  const inside = isTree(sent.address) ? sent.address : {}
  const text = isTree(sent.address) ? sent.address.address : sent.address
  const field = isTree(sent.address) ? 'address.address' : 'address'
  const chain = sent.chain ?? inside.chain
  const problems: FieldProblem[] = []
  if (chain === undefined) problems.push({ field: 'chain', message: 'is required' })
  if (sent.chain !== undefined && inside.chain !== undefined && sent.chain !== inside.chain) {
    problems.push({ field: 'address.chain', message: 'must be the same as chain' })
  }
  if (typeof chain !== 'string' || !isNetwork(chain)) return { wallet: undefined, problems }
  const currency = typeof sent.currency === 'string' ? sent.currency : undefined
  const asset = currency === undefined ? undefined : assetOf(currency, chain)
  if (currency !== undefined && !asset) problems.push({ field: 'currency', message: `must be a currency on ${chain}` })
  const read = typeof text === 'string' ? readWalletAddress(chain, text, tokenContracts) : undefined
  if (read && !read.ok) problems.push({ field, message: read.problem })
  if (problems.length > 0 || !asset || !currency || !read?.ok) return { wallet: undefined, problems }
  return { wallet: { chain, currency, asset, address: read.address }, problems: [] }
}
