import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import { kindOf } from '../../catalog/network-kinds.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { Tx } from '../../db/database.ts'
import { checksumEvmAddress } from '../../lib/addresses/evm-address.ts'
import type { DepositService } from '../../transactions/deposits/service.ts'
import type { BlockId, ReadBlock, Scan, TransferFacts } from './scan.ts'
import { judgeTransfer } from './scan.ts'
import * as store from './store.ts'
import type { Window } from './walk.ts'

export type RecordDeps = {
  custody: Pick<CustodyService, 'findReceivers'>
  deposits: Pick<DepositService, 'recordSighting' | 'orphanSighting' | 'listInBlocks' | 'doubtSightings'>
  contracts: TransferFacts['contracts']
  /** Judges anew what was paid in blocks above this one that do not stand, because the network has replaced them. */
  rejudgePayouts(tx: Tx, network: EvmNetwork, dropped: DroppedBlocks): Promise<void>
}

/** The blocks above a fork that are gone: all but those known to stand. */
export type DroppedBlocks = { above: bigint; standing: readonly string[] }

// A flood of worthless tokens in one block must not become a flood of rows.
const mostOddities = 50

/**
 * Records the transfers of a window and moves the cursor, in the caller's database transaction. Transfers of blocks that
 * are gone are dropped after those of the new blocks are recorded, so one that only moved stays visible throughout.
 */
export async function recordWindow(
  deps: RecordDeps,
  tx: Tx,
  held: store.Held & { network: TransferFacts['network'] },
  scan: Scan,
  { parent, blocks }: Window,
  finalNumber: bigint,
): Promise<Scan> {
  const { network } = held
  const isRolledBack = parent.number < scan.cursor.number
  // Below an adopted fork nothing is final any more, until the nodes call it final again.
  const final = parent.number < scan.final.number ? parent : scan.final
  const movedTo = (cursor: BlockId): Scan => ({
    ...scan,
    cursor: { number: cursor.number, hash: cursor.hash },
    final: { number: final.number, hash: final.hash },
    // Blocks that follow ours need no permission, and one that is not used must not outlive the conflict.
    mayAdopt: false,
    isResuming: false,
  })
  // First, because it locks the row and compares the fence.
  await store.moveScan(tx, held, movedTo(blocks.at(-1) ?? parent))
  // Payouts follow the nodes' own word about finality, which may be ahead of the scanner's record.
  const isFinalGone = final === parent || parent.number < finalNumber
  if (scan.isResuming) await rejudgeResumed(deps, tx, network, scan, { parent, blocks })
  else if (isRolledBack) {
    const dropped = { above: parent.number, standing: blocks.map(({ hash }) => hash) }
    if (isFinalGone) await rejudge(deps, tx, network, dropped)
    await deps.deposits.doubtSightings(tx, network, dropped)
  }
  const recorded = await recordBlocks(deps, tx, network, blocks, finalNumber)
  if (recorded < blocks.length) await store.moveScan(tx, held, movedTo(blocks[recorded - 1] ?? parent))
  if (recorded > 0) await store.rememberBlocks(tx, network, blocks.slice(0, recorded))
  await dropGone(deps, tx, network, { parent, blocks }, isRolledBack)
  if (recorded === 0 && !isRolledBack) return { ...scan, mayAdopt: false, isResuming: false }
  return movedTo(blocks[recorded - 1] ?? parent)
}

async function rejudge(deps: RecordDeps, tx: Tx, network: EvmNetwork, dropped: DroppedBlocks): Promise<void> {
  await store.recordAdoption(tx, network, dropped.above)
  await deps.rejudgePayouts(tx, network, dropped)
}

/**
 * Judges anew what workers recorded in blocks that neither our record nor the new blocks have, when an operator ends a
 * halt. The nodes contradicted themselves before it: workers may have believed them until the scanner noticed.
 */
export async function rejudgeResumed(
  deps: RecordDeps,
  tx: Tx,
  network: EvmNetwork,
  { cursor }: Pick<Scan, 'cursor'>,
  { parent, blocks }: Window,
): Promise<void> {
  const oldest = cursor.number - BigInt(store.rememberedBlocks)
  const isDeep = parent.number < oldest
  const above = isDeep ? parent.number : oldest
  const ours = await store.readRemembered(tx, network, { from: above + 1n, to: parent.number })
  const dropped = { above, standing: [...ours, parent, ...blocks].map(({ hash }) => hash) }
  await rejudge(deps, tx, network, dropped)
  await deps.deposits.doubtSightings(tx, network, dropped)
}

/**
 * Records blocks, and answers how many. It stops at a transfer that was dropped after it had become a deposit, and is
 * back: only a final report of it counts, so the cursor waits before its block until the block is final.
 */
async function recordBlocks(
  deps: RecordDeps,
  tx: Tx,
  network: TransferFacts['network'],
  blocks: readonly ReadBlock[],
  finalNumber: bigint,
): Promise<number> {
  for (const [at, block] of blocks.entries()) {
    const isFinal = block.number <= finalNumber
    if (await recordBlock(deps, tx, network, block, 'SEEN')) continue
    if (!isFinal || !(await recordBlock(deps, tx, network, block, 'FINAL'))) return at
  }
  return blocks.length
}

/** Records the transfers of a block; false when one of them can be reported only once it is final. */
export async function recordBlock(
  { custody, deposits, contracts }: RecordDeps,
  tx: Tx,
  network: TransferFacts['network'],
  block: ReadBlock,
  state: 'SEEN' | 'FINAL',
): Promise<boolean> {
  if (block.transfers.length === 0) return true
  const addresses = [...new Set(block.transfers.map(({ to }) => to))].map(checksumEvmAddress)
  const receivers = await custody.findReceivers(kindOf(network), addresses, tx)
  if (receivers.size === 0) return true
  // Tokens that we collect come to our treasury from our own addresses, which is nothing odd.
  const toService = block.transfers.filter(({ to }) => receivers.get(checksumEvmAddress(to)) === 'SERVICE')
  const senders = [...new Set(toService.map(({ from }) => checksumEvmAddress(from)))]
  const own = senders.length > 0 ? await custody.findReceivers(kindOf(network), senders, tx) : receivers
  let [oddities, isKept] = [0, true]
  for (const transfer of block.transfers) {
    const judged = judgeTransfer({ network, contracts, receivers }, block, transfer, state)
    if (judged && 'sighting' in judged) {
      isKept = (await deposits.recordSighting(tx, judged.sighting)) !== 'IGNORED' && isKept
    }
    if (!judged || 'sighting' in judged || oddities >= mostOddities) continue
    if (judged.oddity.kind === 'SERVICE_ADDRESS' && own.has(checksumEvmAddress(transfer.from))) continue
    oddities += 1
    await store.insertOddity(tx, network, judged.oddity)
  }
  return isKept
}

/**
 * Drops the transfers above the parent that are not in a block of the new chain. Blocks above the cursor may have been
 * recorded before it was moved back, so they are compared on every walk. A transfer that is a deposit may be in a later
 * block than before: `finalize` decides about it.
 */
async function dropGone(
  { deposits }: RecordDeps,
  tx: Tx,
  network: TransferFacts['network'],
  { parent, blocks }: Window,
  isRolledBack: boolean,
): Promise<void> {
  const last = blocks.at(-1)
  if (!isRolledBack && !last) return
  const standing = new Set(blocks.map(({ hash }) => hash))
  const above = parent.number
  const range = isRolledBack
    ? { states: ['SEEN', 'FINAL'] as const, above }
    : { states: ['SEEN'] as const, above, upTo: last?.number ?? above }
  for (const sighting of await deposits.listInBlocks(tx, network, range)) {
    if (standing.has(sighting.blockHash)) continue
    if (sighting.state === 'SEEN' && sighting.hasDeposit) continue
    await deposits.orphanSighting(tx, sighting)
  }
}
