import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import type { Database } from '../../db/database.ts'
import type { PlacedSighting } from '../../transactions/deposits/sightings/sighting.ts'
import type { ChainNode } from '../node.ts'
import { type RecordDeps, recordBlock } from './record.ts'
import type { BlockId, ReadBlock, Scan } from './scan.ts'
import * as store from './store.ts'
import type { Heads } from './walk.ts'

export type FinalizeDeps = RecordDeps & { database: Database; node: ChainNode }

// Bounds one database transaction; the rest follows in the next turn.
const mostBlocks = 32

/**
 * Reports the transfers of blocks that have become final once more, from a second reading of the blocks. Returns the
 * moved scan; the final block stays behind when there is more than one turn can record, or when a node contradicts our
 * record of the blocks.
 */
export async function finalize(
  deps: FinalizeDeps,
  held: store.Held & { network: EvmNetwork },
  scan: Scan,
  final: BlockId,
  { latest }: Pick<Heads, 'latest'>,
): Promise<Scan> {
  const { database, node, deposits } = deps
  if (final.number === scan.final.number) return scan
  const range = { states: ['SEEN'], above: -1n, upTo: final.number } as const
  const isBehind = scan.cursor.number < latest.number
  const listed = await database.inTx((tx) => deposits.listInBlocks(tx, held.network, range))
  const seen = isBehind ? await leaveOutMoved(deps, held, listed) : listed
  const numbers = [...new Set(seen.map(({ blockNumber }) => blockNumber))].toSorted((a, b) => (a < b ? -1 : 1))
  const blocks: ReadBlock[] = []
  for (const number of numbers.slice(0, mostBlocks)) {
    const block = await node.block(number)
    const [ours] = await store.readRemembered(database, held.network, { from: number, to: number })
    // The chain changed since the walk: the next turn finds the fork.
    if (!block || (ours && ours.hash !== block.hash)) return scan
    blocks.push({ ...block, transfers: await node.transfersIn(block) })
  }
  const hashes = new Map(blocks.map(({ number, hash }) => [number, hash]))
  const gone = seen.filter(({ blockNumber, blockHash }) => (hashes.get(blockNumber) ?? blockHash) !== blockHash)
  const isAll = blocks.length === numbers.length
  const moved = { ...scan, final: isAll ? final : scan.final }
  await database.inTx(async (tx) => {
    await store.moveScan(tx, held, moved)
    for (const block of blocks) await recordBlock(deps, tx, held.network, block, 'FINAL')
    // A transfer in no block of the final chain must not hold up the others. One that only moved is recorded above, and
    // a deposit may have moved to a block that the scanner has not reached yet.
    for (const sighting of gone) {
      if (isBehind && sighting.hasDeposit) continue
      await deposits.orphanSighting(tx, sighting)
    }
  })
  return moved
}

/**
 * Leaves out deposits that our record of the last blocks does not have, while the scanner is behind: after an adoption
 * they may be in later blocks. They keep no other transfer from becoming final.
 */
async function leaveOutMoved(
  { database }: FinalizeDeps,
  { network }: store.Held,
  seen: readonly PlacedSighting[],
): Promise<readonly PlacedSighting[]> {
  const [lowest, highest] = [seen[0]?.blockNumber, seen.at(-1)?.blockNumber]
  if (lowest === undefined || highest === undefined || !seen.some(({ hasDeposit }) => hasDeposit)) return seen
  const ours = await store.readRemembered(database, network, { from: lowest, to: highest })
  const hashes = new Set(ours.map(({ hash }) => hash))
  return seen.filter(({ hasDeposit, blockHash }) => !hasDeposit || hashes.has(blockHash))
}
