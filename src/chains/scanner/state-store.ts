import type { Queryable, Tx } from '../../db/database.ts'
import type { BlockId, OddityKind, ScanProblem } from './scan.ts'

/** The state of a network's scanner, for operators. */
export type ScanState = {
  network: string
  blockNumber: string
  finalNumber: string
  haltedAt: Date | null
  haltReason: string | null
  problem: ScanProblem | null
  problemSince: Date | null
  scannedAt: Date | null
  /** Real seconds since the scanner last compared its cursor with the nodes, or since it was created. */
  idleSeconds: number
  /** Real seconds since a block was recorded without any block having become final since; null when none was. */
  unfinalSeconds: number | null
  oddities: string
}

export function listScans(database: Queryable): Promise<ScanState[]> {
  return database.query<ScanState>({
    name: 'list chain scans',
    text: `select network, block_number::text as "blockNumber", final_number::text as "finalNumber",
                  halted_at as "haltedAt", halt_reason as "haltReason", problem, problem_since as "problemSince",
                  scanned_at as "scannedAt", oddities::text as oddities,
                  extract(epoch from clock_timestamp() - coalesce(scanned_at, due_at))::integer as "idleSeconds",
                  extract(epoch from clock_timestamp() - unfinal_since)::integer as "unfinalSeconds"
             from svc.chain_scans order by network`,
  })
}

export type KeptOddity = {
  kind: OddityKind
  transactionHash: string
  position: number
  contract: string
  fromAddress: string
  toAddress: string
  value: string | null
  blockNumber: string
  observedAt: Date
}

/** Lists the newest oddities of a network. */
export function listOddities(database: Queryable, network: string, limit: number): Promise<KeptOddity[]> {
  return database.query<KeptOddity>({
    name: 'list chain oddities',
    text: `select kind, transaction_hash as "transactionHash", position, contract, from_address as "fromAddress",
                  to_address as "toAddress", value::text as value, block_number::text as "blockNumber",
                  observed_at as "observedAt"
             from svc.chain_oddities where network = $1 order by block_number desc, position desc limit $2`,
    values: [network, limit],
  })
}

/** Ends a halt; false when the network was not halted. The new fence makes the worker read the state again. */
export async function endHalt(tx: Tx, network: string, mayAdopt: boolean): Promise<boolean> {
  const ended = await tx.query({
    name: 'end halt of chain scan',
    text: `update svc.chain_scans
              set halted_at = null, halt_reason = null, may_adopt = $2, lease_until = null, fence = fence + 1
            where network = $1 and halted_at is not null returning network`,
    values: [network, mayAdopt],
  })
  return ended.length > 0
}

/** Moves the cursor back, so that blocks are scanned again; false when it is not behind this block already. */
export async function rewindScan(tx: Tx, network: string, { number, hash }: BlockId): Promise<boolean> {
  const rewound = await tx.query({
    name: 'rewind chain scan',
    text: `update svc.chain_scans
              set block_number = $2, block_hash = $3, final_number = least(final_number, $2),
                  final_hash = case when final_number > $2 then $3 else final_hash end, lease_until = null,
                  fence = fence + 1
            where network = $1 and block_number > $2 returning network`,
    values: [network, number, hash],
  })
  return rewound.length > 0
}
