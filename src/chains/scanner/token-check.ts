import { keccak_256 } from '@noble/hashes/sha3.js'
import type { BlockRef, ChainNode, Hex } from '../node.ts'
import { NodeError } from '../node.ts'

/** A contract that is not the token that we expect at its address. */
export class WrongToken extends Error {
  constructor(contract: string, problem: string) {
    super(`the contract ${contract} ${problem}`)
    this.name = 'WrongToken'
  }
}

export type TokenDomain = { name: string; version: string; separator: Hex }

// The first four bytes of the hash of each function.
const selectors = {
  decimals: '0x313ce567',
  name: '0x06fdde03',
  version: '0x54fd4d50',
  separator: '0x3644e515',
} as const

/**
 * Checks that a contract is a token with these decimals, whose signatures are bound to this chain and this contract
 * (EIP-712): an authorization for it is valid nowhere else.
 */
export async function checkToken(
  node: ChainNode,
  { contract, decimals }: { contract: string; decimals: number },
  block: BlockRef,
): Promise<TokenDomain> {
  const refuse = (problem: string): never => {
    throw new WrongToken(contract, problem)
  }
  if ((await node.codeAt(contract, block)) === '0x') refuse('has no code')
  const read = (selector: Hex) =>
    node.call({ to: contract, data: selector }, block).catch((error: unknown) => {
      if (error instanceof NodeError && error.kind === 'reverted') return refuse('has not the functions of the token')
      throw error
    })
  const [answered, name, version, separator] = await Promise.all([
    read(selectors.decimals),
    read(selectors.name).then(readText),
    read(selectors.version).then(readText),
    read(selectors.separator),
  ])
  if (answered.length !== 66 || BigInt(answered) !== BigInt(decimals)) refuse(`has not ${decimals} decimals`)
  const expected = separatorOf({ name, version, chainId: node.chainId, contract })
  if (separator !== expected) refuse('signs for another chain or contract')
  return { name, version, separator: expected }
}

/** EIP-712: the hash that binds a signature to a token on a chain. */
export function separatorOf(domain: { name: string; version: string; chainId: number; contract: string }): Hex {
  const words = [
    keccak(Buffer.from('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)')),
    keccak(Buffer.from(domain.name)),
    keccak(Buffer.from(domain.version)),
    Buffer.from(domain.chainId.toString(16).padStart(64, '0'), 'hex'),
    Buffer.from(domain.contract.slice(2).toLowerCase().padStart(64, '0'), 'hex'),
  ]
  return `0x${keccak(Buffer.concat(words)).toString('hex')}`
}

function keccak(bytes: Uint8Array): Buffer {
  return Buffer.from(keccak_256(bytes))
}

/** Reads a text as Solidity returns it: an offset, a length, and the bytes. */
function readText(answer: Hex): string {
  const bytes = Buffer.from(answer.slice(2), 'hex')
  if (bytes.length < 64) return ''
  const length = bytes.readUInt32BE(60)
  return bytes.subarray(64, 64 + length).toString('utf8')
}
