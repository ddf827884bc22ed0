import type { Database } from '../../db/database.ts'
import type { Finality } from '../../lib/settings/chains.ts'
import { type BlockRef, type ChainNode, NodeError } from '../node.ts'
import type { BlockId, ReadBlock, Scan } from './scan.ts'
import { readCheckpoints, readRemembered, rememberedBlocks } from './store.ts'

export type WalkDeps = { database: Database; node: ChainNode; finality: Finality }

/** The newest block, and the newest final one. */
export type Heads = { latest: BlockRef; final: BlockRef }

/** The next blocks, from the one after `parent`. A parent below the cursor means that the blocks above it are gone. */
export type Window = { parent: BlockId; blocks: readonly ReadBlock[] }

/** The nodes have another block where ours is final. */
export class FinalityConflict extends Error {
  constructor({ number, hash }: BlockId) {
    super(`block ${number} was final with the hash ${hash}, and the nodes have another one now`)
    this.name = 'FinalityConflict'
  }
}

/** The most blocks in one window, which one database transaction records. A reorganization of this depth is one step. */
export const windowBlocks = 128
const concurrentReads = 8

export async function readHeads({ node, finality }: WalkDeps): Promise<Heads> {
  if (typeof finality === 'string') return node.heads(finality)
  const { latest } = await node.heads('latest')
  const wanted = latest.number - BigInt(finality.blocks)
  const final = await node.block(wanted < 0n ? 0n : wanted)
  if (!final) throw new NodeError('unavailable', `the nodes do not have block ${wanted}`)
  return { latest, final }
}

/**
 * Reads the blocks after the cursor, or after the fork when the chain was reorganized; undefined when there is nothing
 * to record. A head below the cursor that is part of our chain is that of a node that is behind.
 */
export async function readWindow(deps: WalkDeps, scan: Scan, { latest }: Heads): Promise<Window | undefined> {
  const { cursor } = scan
  if (latest.number <= cursor.number) {
    const known = latest.number === cursor.number ? cursor : await findRemembered(deps, latest.number)
    const isBehind = known ? known.hash === latest.hash : await isFarBehind(deps, scan, latest)
    if (isBehind) return undefined
    return readFrom(deps, await findFork(deps, scan, latest), latest)
  }
  const window = await readFrom(deps, cursor, latest)
  if (window) return window
  return readFrom(deps, await findFork(deps, scan, latest), latest)
}

/**
 * Tells about a head below all remembered blocks: true when the nodes have our highest checkpoint below it, so they are
 * only behind. Nodes of another chain do not have it.
 */
async function isFarBehind(deps: WalkDeps, { final, mayAdopt }: Scan, latest: BlockRef): Promise<boolean> {
  const [checkpoint] = await readCheckpoints(deps.database, deps.node.network, latest.number)
  if (!checkpoint) return true
  const theirs = await deps.node.block(checkpoint.number)
  if (!theirs) throw new NodeError('unavailable', `the nodes do not have block ${checkpoint.number}`)
  if (theirs.hash === checkpoint.hash) return true
  if (!mayAdopt && checkpoint.number <= final.number) throw new FinalityConflict(checkpoint)
  return false
}

async function findRemembered({ database, node }: WalkDeps, number: bigint): Promise<BlockId | undefined> {
  const [found] = await readRemembered(database, node.network, { from: number, to: number })
  return found
}

/** Reads linked blocks after a parent; undefined when they do not follow it. */
async function readFrom({ node }: WalkDeps, parent: BlockId, latest: BlockRef): Promise<Window | undefined> {
  const count = Number(latest.number - parent.number)
  if (count <= 0) return { parent, blocks: [] }
  const refs = await node.blocks(parent.number + 1n, Math.min(count, windowBlocks))
  let previous = parent
  for (const ref of refs) {
    if (ref.parentHash !== previous.hash) {
      // The first block tells of a reorganization; a later one changed while it was read.
      if (previous === parent) return undefined
      throw new NodeError('disagreement', `block ${ref.number} does not follow block ${previous.number}`)
    }
    previous = ref
  }
  const blocks: ReadBlock[] = []
  for (let at = 0; at < refs.length; at += concurrentReads) {
    const some = refs.slice(at, at + concurrentReads)
    const transfers = await Promise.all(some.map((ref) => node.transfersIn(ref)))
    blocks.push(...some.map((ref, index) => ({ ...ref, transfers: transfers[index] ?? [] })))
  }
  return { parent, blocks }
}

/**
 * Finds the highest block that our record and the nodes share. It is not below our final block: such a conflict halts
 * the network, unless an operator has decided to adopt the nodes' chain.
 */
async function findFork({ database, node }: WalkDeps, scan: Scan, latest: BlockRef): Promise<BlockId> {
  const { cursor, final, mayAdopt } = scan
  const oldest = cursor.number - BigInt(rememberedBlocks)
  const floor = mayAdopt || oldest > final.number ? oldest : final.number
  const isShorter = latest.number < cursor.number
  const top = isShorter ? latest.number : cursor.number
  const ours = await readRemembered(database, node.network, { from: floor < 0n ? 0n : floor, to: top })
  for (let at = 0; at < ours.length; at += windowBlocks) {
    const some = ours.slice(at, at + windowBlocks)
    const lowest = some.at(-1) as BlockId
    const theirs = await node.blocks(lowest.number, Number((some[0] as BlockId).number - lowest.number) + 1)
    const hashes = new Map(theirs.map(({ number, hash }) => [number, hash]))
    const fork = some.find(({ number, hash }) => hashes.get(number) === hash)
    if (fork) return fork
  }
  const checkpoint = mayAdopt ? await findCheckpoint({ database, node }, top) : undefined
  if (checkpoint) return checkpoint
  const theirs = await node.block(final.number)
  if (!theirs) throw new NodeError('unavailable', `the nodes do not have block ${final.number}`)
  if (theirs.hash !== final.hash) throw new FinalityConflict(final)
  return final
}

/** Finds the highest checkpoint that the nodes have: all below it are in their chain, and none above. */
async function findCheckpoint(deps: Pick<WalkDeps, 'database' | 'node'>, upTo: bigint): Promise<BlockId | undefined> {
  const ours = await readCheckpoints(deps.database, deps.node.network, upTo)
  let [low, high] = [0, ours.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await isShared(deps, ours[middle] as BlockId)) high = middle
    else low = middle + 1
  }
  return ours[low]
}

/** True when the nodes have this block of ours. */
export async function isShared({ node }: Pick<WalkDeps, 'node'>, { number, hash }: BlockId): Promise<boolean> {
  return (await node.block(number))?.hash === hash
}

/**
 * Tells which block of ours is final now: the nodes' final one, or the cursor when the scanner is behind it. Undefined
 * when the final block is not part of our chain: the next turn finds the fork.
 */
export async function findFinal(deps: WalkDeps, { cursor, final }: Scan, heads: Heads): Promise<BlockId | undefined> {
  const { number, hash } = heads.final
  if (number <= final.number) return final
  if (number >= cursor.number) {
    const theirs = number === cursor.number ? heads.final : await deps.node.block(cursor.number)
    return theirs?.hash === cursor.hash ? cursor : undefined
  }
  const ours = await findRemembered(deps, number)
  if (ours) return ours.hash === hash ? { number, hash } : undefined
  // Older than what is remembered: the cursor must follow from the nodes' chain.
  const theirs = await deps.node.block(cursor.number)
  return theirs?.hash === cursor.hash ? { number, hash } : undefined
}
