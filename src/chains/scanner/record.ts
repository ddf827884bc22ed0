import { kindOf } from '../../catalog/network-kinds.ts'
import type { CustodyService } from '../../custody/service.ts'
import type { Tx } from '../../db/database.ts'
import { checksumEvmAddress } from '../../lib/addresses/evm-address.ts'
import type { DepositService } from '../../transactions/deposits/service.ts'
import type { ReadBlock, Scan, TransferFacts } from './scan.ts'
import { judgeTransfer } from './scan.ts'
import * as store from './store.ts'
import type { Window } from './walk.ts'

export type RecordDeps = {
  custody: Pick<CustodyService, 'findReceivers'>
  deposits: Pick<DepositService, 'recordSighting' | 'orphanSighting' | 'listInBlocks'>
  contracts: TransferFacts['contracts']
}

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
  const cursor = blocks.at(-1) ?? parent
  const isRolledBack = parent.number < scan.cursor.number
  // Below an adopted fork nothing is final any more, until the nodes call it final again.
  const final = parent.number < scan.final.number ? parent : scan.final
  const moved = {
    ...scan,
    cursor: { number: cursor.number, hash: cursor.hash },
    final: { number: final.number, hash: final.hash },
    mayAdopt: scan.mayAdopt && !isRolledBack,
  }
  await store.moveScan(tx, held, moved)
  for (const block of blocks) {
    // A transfer in an adopted block takes the place of a final one, so it is reported as final.
    const isAdopted = parent.number < scan.final.number && block.number <= finalNumber
    await recordBlock(deps, tx, network, block, isAdopted ? 'FINAL' : 'SEEN')
  }
  if (blocks.length > 0) await store.rememberBlocks(tx, network, blocks)
  if (isRolledBack) await dropGone(deps, tx, network, parent.number, blocks)
  return moved
}

export async function recordBlock(
  { custody, deposits, contracts }: RecordDeps,
  tx: Tx,
  network: TransferFacts['network'],
  block: ReadBlock,
  state: 'SEEN' | 'FINAL',
): Promise<void> {
  if (block.transfers.length === 0) return
  const addresses = [...new Set(block.transfers.map(({ to }) => to))].map(checksumEvmAddress)
  const receivers = await custody.findReceivers(kindOf(network), addresses, tx)
  if (receivers.size === 0) return
  let oddities = 0
  for (const transfer of block.transfers) {
    const judged = judgeTransfer({ network, contracts, receivers }, block, transfer, state)
    if (judged && 'sighting' in judged) await deposits.recordSighting(tx, judged.sighting)
    if (!judged || 'sighting' in judged || oddities >= mostOddities) continue
    oddities += 1
    await store.insertOddity(tx, network, judged.oddity)
  }
}

/** Drops the transfers above the fork that are not in a block of the new chain. */
async function dropGone(
  { deposits }: RecordDeps,
  tx: Tx,
  network: TransferFacts['network'],
  fork: bigint,
  blocks: readonly ReadBlock[],
): Promise<void> {
  const standing = new Set(blocks.map(({ hash }) => hash))
  for (const sighting of await deposits.listInBlocks(tx, network, { states: ['SEEN', 'FINAL'], above: fork })) {
    if (!standing.has(sighting.blockHash)) await deposits.orphanSighting(tx, sighting)
  }
}
