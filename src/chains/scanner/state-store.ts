import type { Queryable, Tx } from '../../db/database.ts'
import type { BlockId, OddityKind, ScanProblem } from './scan.ts'

/** The state of a network's scanner, for operators. */
export type ScanState = {
  network: string
  blockNumber: string
  finalNumber: string
  finalHash: string
  haltedAt: Date | null
  haltReason: string | null
  /** An operator has resumed it, and the scanner has not compared it with the nodes yet. */
  isResuming: boolean
  problem: ScanProblem | null
  problemSince: Date | null
  scannedAt: Date | null
  /** Real seconds since the scanner last compared its cursor with the nodes, or since it was created. */
  idleSeconds: number
  /** Real seconds since a block was recorded without any block having become final since; null when none was. */
  unfinalSeconds: number | null
  /** Real seconds since the cursor last moved. */
  stillSeconds: number
  oddities: string
}

export function listScans(database: Queryable): Promise<ScanState[]> {
  return database.query<ScanState>({
    name: 'list chain scans',
    text: `select network, block_number::text as "blockNumber", final_number::text as "finalNumber", final_hash as "finalHash",
                  halted_at as "haltedAt", halt_reason as "haltReason", is_resuming as "isResuming", problem, problem_since as "problemSince",
                  scanned_at as "scannedAt", oddities::text as oddities,
                  extract(epoch from clock_timestamp() - coalesce(scanned_at, due_at))::integer as "idleSeconds",
                  extract(epoch from clock_timestamp() - moved_at)::integer as "stillSeconds",
                  extract(epoch from clock_timestamp() - unfinal_since)::integer as "unfinalSeconds"
             from svc.chain_scans order by network`,
  })
}

/**
 * Lets the scanner of Solana read accounts anew from their first transaction on, all or one of them; answers how many.
 * Lowers the final slot to one that the nodes have.
 */
export async function rewindAccounts(tx: Tx, account: string | null, finalSlot: bigint): Promise<number> {
  await tx.query({
    name: 'lower final slot of solana scan',
    text: `update svc.chain_scans
              set block_number = least(block_number, $1), final_number = least(final_number, $1), lease_until = null,
                  fence = fence + 1
            where network = 'SOLANA'`,
    values: [finalSlot],
  })
  const rewound = await tx.query({
    name: 'rewind watched accounts',
    text: `update svc.token_accounts
              set signature = null, slot = 0, balance = 0, slot_signatures = '{}', due_at = clock_timestamp(),
                  pause_seconds = 0, retry_seconds = 0
            where account = coalesce($1, account) returning account`,
    values: [account],
  })
  return rewound.length
}

/** Lists the token accounts that have transactions, all or one of them. */
export async function listMovedAccounts(database: Queryable, account: string | null): Promise<string[]> {
  const found = await database.query<{ account: string }>({
    name: 'list moved token accounts',
    text: `select account from svc.token_accounts
            where account = coalesce($1, account) and asset is not null and signature is not null order by account`,
    values: [account],
  })
  return found.map((each) => each.account)
}

/** A token account on Solana whose transactions cannot be recorded at present. */
export type UnscannedAccount = { account: string; owner: string; problem: ScanProblem; detail: string; since: Date }

/** Lists the unscanned accounts of Solana, the longest unscanned first. */
export function listUnscanned(database: Queryable, limit: number): Promise<UnscannedAccount[]> {
  return database.query<UnscannedAccount>({
    name: 'list unscanned accounts',
    text: `select account, owner_address as owner, problem, problem_detail as detail, problem_since as since
             from svc.token_accounts where problem is not null order by problem_since limit $1`,
    values: [limit],
  })
}

/** Counts the unscanned accounts, and tells for how many real seconds the first of them is. */
export async function countUnscanned(database: Queryable): Promise<{ accounts: number; seconds: number }> {
  const [counted] = await database.query<{ accounts: number; seconds: number }>({
    name: 'count unscanned accounts',
    text: `select count(*)::integer as accounts,
                  coalesce(extract(epoch from clock_timestamp() - min(problem_since)), 0)::integer as seconds
             from svc.token_accounts where problem is not null`,
  })
  return counted ?? { accounts: 0, seconds: 0 }
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

/**
 * Lets the scanner end a halt, once it has compared the record with the nodes; false when the network was not halted.
 * The new fence makes the worker read the state again.
 */
export async function endHalt(tx: Tx, network: string, mayAdopt: boolean): Promise<boolean> {
  const ended = await tx.query({
    name: 'end halt of chain scan',
    text: `update svc.chain_scans
              set is_resuming = true, may_adopt = $2, lease_until = null, fence = fence + 1
            where network = $1 and halted_at is not null returning network`,
    values: [network, mayAdopt],
  })
  return ended.length > 0
}

/**
 * Moves the cursor back, so that blocks are scanned again; false when it is not behind this block already. Not while the
 * network is halted: the walk would follow the nodes, and find no conflict.
 */
export async function rewindScan(tx: Tx, network: string, { number, hash }: BlockId): Promise<boolean> {
  const rewound = await tx.query({
    name: 'rewind chain scan',
    text: `update svc.chain_scans
              set block_number = $2, block_hash = $3, final_number = least(final_number, $2),
                  final_hash = case when final_number > $2 then $3 else final_hash end, lease_until = null,
                  fence = fence + 1
            where network = $1 and block_number > $2 and halted_at is null returning network`,
    values: [network, number, hash],
  })
  return rewound.length > 0
}
