import type { BlockRef, TokenTransfer, TransactionReceipt } from '../../../chains/node.ts'
import { type Hex, NodeError } from '../../../lib/chains/node-error.ts'
import { readList } from '../raw-answers.ts'
import { type Header, readReceipt } from './answers.ts'
import { areEntriesComplete, bloomContains } from './bloom.ts'

/** keccak256("Transfer(address,address,uint256)"): EIP-20. */
export const transferTopic: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** True when the header alone proves that the block has no `Transfer` event. */
export function hasNoTransfer({ bloom }: Header): boolean {
  return !bloomContains(bloom, transferTopic)
}

/**
 * Reads the transfers of a block from its receipts, after comparing them with the header: as many receipts as
 * transactions, all of this block, and logs that explain every bit of the bloom filter. An empty or partial answer
 * fails, so that the next node is asked.
 */
export function readTransfers(header: Header, answer: unknown): TokenTransfer[] {
  if (answer === null) throw incomplete(header, 'the node does not have its receipts')
  const receipts = readList(answer, 'list of receipts').map((each) => readReceipt(each))
  const known = receipts.filter((receipt) => receipt !== undefined)
  if (known.length < header.transactionCount) {
    throw incomplete(header, `${known.length} receipts of ${header.transactionCount} transactions`)
  }
  if (known.some(({ block }) => block.hash !== header.hash)) throw incomplete(header, 'a receipt of another block')
  const entries = known.flatMap(({ logs }) => logs.flatMap(({ contract, topics }) => [contract, ...topics]))
  if (!areEntriesComplete(header.bloom, entries)) throw incomplete(header, 'its bloom filter shows more logs')
  return known.flatMap((receipt) => (receipt.isSuccessful ? transfersOf(header, receipt) : []))
}

function transfersOf({ bloom }: Header, { transactionHash, logs }: TransactionReceipt): TokenTransfer[] {
  return logs.flatMap(({ contract, topics, data }, position): TokenTransfer[] => {
    const [kind, from, to] = topics
    if (kind !== transferTopic || from === undefined || to === undefined) return []
    // A log that the header does not vouch for, such as one of a Polygon system transaction, is no proof of money.
    if (![contract, kind, from, to].every((entry) => bloomContains(bloom, entry))) return []
    const addresses = [from, to].map((topic) => ({
      isAddress: /^0x0{24}/.test(topic),
      address: `0x${topic.slice(26)}`,
    }))
    const isPlain = topics.length === 3 && data.length === 66 && addresses.every(({ isAddress }) => isAddress)
    const [sender, receiver] = addresses.map(({ address }) => address)
    return [
      {
        transactionHash,
        position,
        contract,
        from: sender ?? '',
        to: receiver ?? '',
        value: isPlain ? BigInt(data) : undefined,
      },
    ]
  })
}

function incomplete({ number }: BlockRef, why: string): NodeError {
  return new NodeError('incomplete', `block ${number}: ${why}`)
}
