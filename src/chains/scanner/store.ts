import type { Queryable, Tx } from '../../db/database.ts'
import { claimWork, requireFence, type WorkTable } from '../../db/work.ts'
import type { BlockId, Oddity, Scan, ScanProblem } from './scan.ts'

const scans: WorkTable = { table: 'svc.chain_scans', key: ['network'], dueBy: 'real time' }

/** The number of blocks that are remembered of each network. */
export const rememberedBlocks = 1_024
/** Every block of this distance is remembered for longer, as a checkpoint. */
const checkpointDistance = 128n
const checkpoints = 4_096n
const keptOddities = 1_000

/** Creates the scanner of a network at its first block, once. */
export async function insertScan(database: Queryable, network: string, { number, hash }: BlockId): Promise<void> {
  await database.query({
    name: 'insert chain scan',
    text: `with begun as (
             insert into svc.chain_scans (network, block_number, block_hash, final_number, final_hash)
             values ($1, $2, $3, $2, $3) on conflict (network) do nothing returning network)
           insert into svc.chain_blocks (network, slot, block_number, block_hash)
           select network, $4, $2, $3 from begun on conflict do nothing`,
    values: [network, number, hash, checkpointSlot(number)],
  })
}

export async function hasScan(database: Queryable, network: string): Promise<boolean> {
  const found = await database.query({
    name: 'has chain scan',
    text: 'select network from svc.chain_scans where network = $1',
    values: [network],
  })
  return found.length > 0
}

/** Claims the scanner of a network; undefined while another worker has it. */
export async function claimScan(database: Queryable, network: string, leaseMs: number): Promise<string | undefined> {
  const only = { column: 'network', values: [network] }
  const [claimed] = await claimWork<{ network: string }>(database, scans, { limit: 1, leaseMs, only })
  return claimed?.fence
}

/** Renews a lease, or ends it with 0; false when another worker or an operator has taken the scanner over. */
export async function setLease(database: Queryable, { network, fence }: Held, leaseMs: number): Promise<boolean> {
  const kept = await database.query({
    name: 'set lease of chain scan',
    text: `update svc.chain_scans set lease_until = clock_timestamp() + $3 * interval '1 millisecond'
            where network = $1 and fence = $2 returning network`,
    values: [network, fence, leaseMs],
  })
  return kept.length > 0
}

/** A scanner that this worker has claimed. */
export type Held = { network: string; fence: string }

type StoredScan = {
  blockNumber: string
  blockHash: string
  finalNumber: string
  finalHash: string
  isHalted: boolean
  isResuming: boolean
  mayAdopt: boolean
}

export async function readScan(database: Queryable, { network, fence }: Held): Promise<Scan> {
  const found = await database.query<StoredScan>({
    name: 'read chain scan',
    text: `select block_number::text as "blockNumber", block_hash as "blockHash", final_number::text as "finalNumber",
                  final_hash as "finalHash", halted_at is not null and not is_resuming as "isHalted",
                  is_resuming as "isResuming", may_adopt as "mayAdopt"
             from svc.chain_scans where network = $1 and fence = $2`,
    values: [network, fence],
  })
  requireFence(found)
  const { blockNumber, blockHash, finalNumber, finalHash, isHalted, isResuming, mayAdopt } = found[0] as StoredScan
  const cursor = { number: BigInt(blockNumber), hash: blockHash }
  return { cursor, final: { number: BigInt(finalNumber), hash: finalHash }, isHalted, isResuming, mayAdopt }
}

/**
 * Moves cursor and final block, and ends a halt that an operator has resumed. The row's lock and the fence keep another
 * worker from writing meanwhile.
 */
export async function moveScan(
  tx: Tx,
  { network, fence }: Held,
  { cursor, final, mayAdopt }: Pick<Scan, 'cursor' | 'final' | 'mayAdopt'>,
): Promise<void> {
  const moved = await tx.query({
    name: 'move chain scan',
    text: `update svc.chain_scans
              set block_number = $3, block_hash = $4, final_number = $5, final_hash = $6, may_adopt = $7,
                  halted_at = null, halt_reason = null, is_resuming = false,
                  problem = null, problem_since = null, scanned_at = clock_timestamp(),
                  moved_at = case when block_number = $3 then moved_at else clock_timestamp() end,
                  unfinal_since = case when final_number = $5
                                       then case when block_number = $3 then unfinal_since
                                                 else coalesce(unfinal_since, clock_timestamp()) end end
            where network = $1 and fence = $2 and (halted_at is null or is_resuming) returning network`,
    values: [network, fence, cursor.number, cursor.hash, final.number, final.hash, mayAdopt],
  })
  requireFence(moved)
}

/** Records that the cursor is at the head, or why the network cannot be scanned, and renews the lease. */
export async function recordScanned(
  database: Queryable,
  { network, fence }: Held,
  problem: ScanProblem | null,
  leaseMs: number,
): Promise<void> {
  const recorded = await database.query({
    name: 'record state of chain scan',
    text: `update svc.chain_scans
              set problem = $3, problem_since = case when $3::text is not null then coalesce(problem_since, clock_timestamp()) end,
                  scanned_at = case when $3::text is null then clock_timestamp() else scanned_at end,
                  lease_until = clock_timestamp() + $4 * interval '1 millisecond'
            where network = $1 and fence = $2 returning network`,
    values: [network, fence, problem, leaseMs],
  })
  requireFence(recorded)
}

export async function haltScan(tx: Tx, { network, fence }: Held, reason: string): Promise<void> {
  const halted = await tx.query({
    name: 'halt chain scan',
    text: `update svc.chain_scans set halted_at = clock_timestamp(), halt_reason = $3, is_resuming = false, may_adopt = false
            where network = $1 and fence = $2 and (halted_at is null or is_resuming) returning network`,
    values: [network, fence, reason],
  })
  requireFence(halted)
}

/** Records that the chain above a block may be another one from now on: answers from before do not count any more. */
export async function recordAdoption(tx: Tx, network: string, above: bigint): Promise<void> {
  await tx.query({
    name: 'record adopted chain',
    text: `with adopted as (
             update svc.chain_scans set adopted_at = clock_timestamp() where network = $1 returning network, adopted_at)
           insert into svc.chain_adoptions (network, adopted_at, above)
           select network, adopted_at, greatest($2::bigint, -1) from adopted`,
    values: [network, above],
  })
}

function checkpointSlot(number: bigint): number {
  return rememberedBlocks + Number((number / checkpointDistance) % checkpoints)
}

/** Remembers blocks, each in place of the one 1024 blocks before it, and checkpoints for longer. */
export async function rememberBlocks(tx: Tx, network: string, blocks: readonly BlockId[]): Promise<void> {
  // A block and the one that takes its slot may be in one call: only the last of each slot is written.
  const kept = blocks.slice(-rememberedBlocks)
  const marked = kept.filter(({ number }) => number % checkpointDistance === 0n)
  const slots = [
    ...kept.map(({ number }) => Number(number % BigInt(rememberedBlocks))),
    ...marked.map(({ number }) => checkpointSlot(number)),
  ]
  await tx.query({
    name: 'remember chain blocks',
    text: `insert into svc.chain_blocks (network, slot, block_number, block_hash)
           select $1, slot, number, hash
             from unnest($2::integer[], $3::bigint[], $4::text[]) as block (slot, number, hash)
               on conflict (network, slot) do update
              set block_number = excluded.block_number, block_hash = excluded.block_hash`,
    values: [
      network,
      slots,
      [...kept, ...marked].map(({ number }) => number),
      [...kept, ...marked].map(({ hash }) => hash),
    ],
  })
}

/** Reads remembered blocks, highest first. */
export async function readRemembered(
  database: Queryable,
  network: string,
  { from, to }: { from: bigint; to: bigint },
): Promise<BlockId[]> {
  const found = await database.query<{ number: string; hash: string }>({
    name: 'read remembered chain blocks',
    text: `select block_number::text as number, block_hash as hash from svc.chain_blocks
            where network = $1 and slot < $4 and block_number between $2 and $3 order by block_number desc`,
    values: [network, from, to, rememberedBlocks],
  })
  return found.map(({ number, hash }) => ({ number: BigInt(number), hash }))
}

/** Reads the checkpoints up to a block, highest first. */
export async function readCheckpoints(database: Queryable, network: string, upTo: bigint): Promise<BlockId[]> {
  const found = await database.query<{ number: string; hash: string }>({
    name: 'read chain checkpoints',
    text: `select block_number::text as number, block_hash as hash from svc.chain_blocks
            where network = $1 and slot >= $3 and block_number <= $2 order by block_number desc`,
    values: [network, upTo, rememberedBlocks],
  })
  return found.map(({ number, hash }) => ({ number: BigInt(number), hash }))
}

/** Keeps an oddity, unless it is kept already, in place of the oldest one. Those at addresses of ours have places of their own. */
export async function insertOddity(tx: Tx, network: string, oddity: Oddity): Promise<void> {
  const { kind, transactionHash, position, contract, from, to, value, blockNumber, observedAt } = oddity
  await tx.query({
    name: 'insert chain oddity',
    text: `with counted as (
             update svc.chain_scans set oddities = oddities + 1,
                    service_oddities = service_oddities + ($2 = 'SERVICE_ADDRESS')::integer
              where network = $1 and not exists (select from svc.chain_oddities
                                                  where network = $1 and transaction_hash = $3 and position = $4)
             returning case when $2 = 'SERVICE_ADDRESS' then (service_oddities - 1) % $11 + $11
                            else (oddities - service_oddities - 1) % $11 end as slot)
           insert into svc.chain_oddities (network, slot, kind, transaction_hash, position, contract, from_address,
                  to_address, value, block_number, observed_at)
           select $1, slot::integer, $2, $3, $4, $5, $6, $7, $8, $9, $10 from counted
               on conflict (network, slot) do update
              set kind = excluded.kind, transaction_hash = excluded.transaction_hash, position = excluded.position,
                  contract = excluded.contract, from_address = excluded.from_address,
                  to_address = excluded.to_address, value = excluded.value, block_number = excluded.block_number,
                  observed_at = excluded.observed_at`,
    values: [
      network,
      kind,
      transactionHash,
      position,
      contract,
      from,
      to,
      value,
      blockNumber,
      observedAt,
      keptOddities,
    ],
  })
}
