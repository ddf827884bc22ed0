import type { Finality } from '../../lib/settings/chains.ts'
import { type BlockRef, type ChainNode, NodeError } from '../node.ts'

/** Reads the newest block that the network's rule of finality calls final. */
export async function readFinalHead(node: ChainNode, finality: Finality): Promise<BlockRef> {
  if (typeof finality === 'string') return node.head(finality)
  const latest = await node.head('latest')
  const number = latest.number - BigInt(finality.blocks)
  const block = await node.block(number < 0n ? 0n : number)
  if (!block) throw new NodeError('unavailable', `the nodes do not have block ${number}`)
  return block
}
