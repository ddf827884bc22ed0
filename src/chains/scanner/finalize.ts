import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import type { Database } from '../../db/database.ts'
import type { ChainNode } from '../node.ts'
import { type RecordDeps, recordBlock } from './record.ts'
import type { BlockId, ReadBlock, Scan } from './scan.ts'
import * as store from './store.ts'

export type FinalizeDeps = RecordDeps & { database: Database; node: ChainNode }

// Bounds one database transaction; the rest follows in the next turn.
const mostBlocks = 32

/**
 * Reports the transfers of blocks that have become final once more, from a second reading of the blocks. Returns the
 * moved scan; the final block stays behind when there is more than one turn can record, or when a node contradicts the
 * first reading.
 */
export async function finalize(
  deps: FinalizeDeps,
  held: store.Held & { network: EvmNetwork },
  scan: Scan,
  final: BlockId,
): Promise<Scan> {
  const { database, node, deposits } = deps
  if (final.number === scan.final.number) return scan
  const range = { states: ['SEEN'], above: -1n, upTo: final.number } as const
  const seen = await database.inTx((tx) => deposits.listInBlocks(tx, held.network, range))
  const byNumber = new Map(seen.map(({ blockNumber, blockHash }) => [blockNumber, blockHash]))
  const numbers = [...byNumber.keys()].toSorted((a, b) => (a < b ? -1 : 1))
  const blocks: ReadBlock[] = []
  for (const number of numbers.slice(0, mostBlocks)) {
    const block = await node.block(number)
    // The chain changed since the walk: the next turn finds the fork.
    if (!block || block.hash !== byNumber.get(number)) return scan
    blocks.push({ ...block, transfers: await node.transfersIn(block) })
  }
  const isAll = blocks.length === numbers.length
  const moved = { ...scan, final: isAll ? final : scan.final }
  await database.inTx(async (tx) => {
    await store.moveScan(tx, held, moved)
    for (const block of blocks) await recordBlock(deps, tx, held.network, block, 'FINAL')
  })
  return moved
}
