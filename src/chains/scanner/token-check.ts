import { domainSeparatorOf, type TokenDomain } from '../../lib/evm/authorization.ts'
import { toHex } from '../../lib/evm/words.ts'
import type { BlockRef, ChainNode, Hex } from '../node.ts'
import { NodeError } from '../node.ts'
import { WrongToken } from './scan.ts'

// The first four bytes of the hash of each function.
const selectors = { decimals: '0x313ce567', separator: '0x3644e515' } as const

/**
 * Checks that a contract is a token with these decimals, whose signatures are bound to the domain with which our signer
 * signs (EIP-712): an authorization for it is valid there, and nowhere else.
 */
export async function checkToken(
  node: ChainNode,
  { domain, decimals }: { domain: TokenDomain; decimals: number },
  block: BlockRef,
): Promise<void> {
  const { contract } = domain
  const refuse = (problem: string): never => {
    throw new WrongToken(contract, problem)
  }
  if ((await node.codeAt(contract, block)) === '0x') refuse('has no code')
  const read = (selector: Hex) =>
    node.call({ to: contract, data: selector }, block).catch((error: unknown) => {
      if (error instanceof NodeError && error.kind === 'reverted') return refuse('has not the functions of the token')
      throw error
    })
  const [answered, separator] = await Promise.all([read(selectors.decimals), read(selectors.separator)])
  if (answered.length !== 66 || BigInt(answered) !== BigInt(decimals)) refuse(`has not ${decimals} decimals`)
  const expected = toHex(domainSeparatorOf(domain))
  if (separator !== expected) refuse(`has not the domain ${domain.name}, version ${domain.version}, of this chain`)
}
