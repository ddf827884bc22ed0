import {
  authorizationCanceledTopic,
  authorizationUsedTopic,
  transferTopic,
  writeStateQuestion,
} from '../../lib/evm/authorization.ts'
import { addressWord, fromHex, numberWord, selectorOf, toHex } from '../../lib/evm/words.ts'
import { type BlockRef, type ChainNode, type Hex, NodeError, type TransactionReceipt } from '../node.ts'
import type { SignedTransfer } from './authorization.ts'

/** How an authorization ended, proven by the token's own events in a final block. */
export type Ending =
  | { state: 'PAID'; transactionHash: string; block: { number: bigint; hash: string } }
  | { state: 'CANCELLED'; transactionHash: string }

/** The most blocks in one question for events: many nodes refuse more. */
const mostBlocks = 1_000n

/** Asks the token whether the authorization's nonce was used or cancelled, in the state of one block. */
export async function isNonceUsed(node: ChainNode, transfer: SignedTransfer, block: BlockRef): Promise<boolean> {
  const { contract, from, nonce } = transfer
  const answer = await node.call({ to: contract, data: writeStateQuestion(from, nonce) }, block)
  if (fromHex(answer).length !== 32) throw new NodeError('incomplete', 'the token did not tell the state of a nonce')
  return BigInt(answer) !== 0n
}

/** True when these events of a transaction have used the authorization and moved exactly its amount. */
export function hasPaid(
  { contract, from, to, value, nonce }: SignedTransfer,
  { isSuccessful, logs }: Pick<TransactionReceipt, 'isSuccessful' | 'logs'>,
): boolean {
  if (!isSuccessful) return false
  const own = logs.filter((log) => isSame(log.contract, contract))
  const used = own.some(
    ({ topics }) =>
      topics[0] === authorizationUsedTopic && isSame(topics[1], topicOfAddress(from)) && isSame(topics[2], nonce),
  )
  const moved = own.some(
    ({ topics, data }) =>
      topics[0] === transferTopic &&
      isSame(topics[1], topicOfAddress(from)) &&
      isSame(topics[2], topicOfAddress(to)) &&
      isSame(data, toHex(numberWord(value))),
  )
  return used && moved
}

/** Finds the event that ended a used nonce, in blocks after `afterBlock`. Anyone may have submitted it. */
export async function findEnding(
  node: ChainNode,
  transfer: SignedTransfer,
  { afterBlock, final }: { afterBlock: bigint; final: BlockRef },
): Promise<Ending | undefined> {
  const { contract, from, nonce } = transfer
  for (let fromBlock = afterBlock + 1n; fromBlock <= final.number; fromBlock += mostBlocks) {
    const left = final.number - fromBlock
    const toBlock = fromBlock + (left < mostBlocks ? left : mostBlocks - 1n)
    const topics = [null, topicOfAddress(from), nonce.toLowerCase() as Hex]
    const events = await node.logs({ contract: contract.toLowerCase(), topics, fromBlock, toBlock })
    for (const { topics: found, transactionHash, block } of events) {
      if (found[0] === authorizationCanceledTopic) return { state: 'CANCELLED', transactionHash }
      if (found[0] !== authorizationUsedTopic) continue
      const receipt = await node.receipt(transactionHash)
      if (receipt && receipt.block.hash === block.hash && hasPaid(transfer, receipt)) {
        return { state: 'PAID', transactionHash, block }
      }
    }
  }
  return undefined
}

const blacklistSelector = selectorOf('isBlacklisted(address)')

/** Asks the token whether it refuses an address for good. A token without such a list refuses none. */
export async function isBlacklisted(
  node: ChainNode,
  contract: string,
  address: string,
  block: BlockRef,
): Promise<boolean> {
  try {
    const data = toHex(Buffer.concat([blacklistSelector, addressWord(address)]))
    return BigInt(await node.call({ to: contract, data }, block)) === 1n
  } catch (error) {
    if (error instanceof NodeError && error.kind === 'reverted') return false
    throw error
  }
}

/** Reads the text of a revert: Error(string) of Solidity. */
export function readRevert(data: Hex | undefined): string {
  const bytes = data === undefined ? Buffer.alloc(0) : fromHex(data)
  if (bytes.length < 68 || toHex(bytes.subarray(0, 4)) !== '0x08c379a0') return 'reverted'
  const length = Number(BigInt(toHex(bytes.subarray(36, 68))) & 0xffffn)
  return bytes.subarray(68, 68 + Math.min(length, 200)).toString('utf8') || 'reverted'
}

function topicOfAddress(address: string): Hex {
  return toHex(addressWord(address))
}

function isSame(a: string | undefined, b: string): boolean {
  return a?.toLowerCase() === b.toLowerCase()
}
