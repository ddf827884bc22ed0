import type { Queryable, Tx } from '../../../db/database.ts'
import type { SignedTransfer } from './transfer.ts'

export type TransferRequest = {
  transferId: string
  reference: string
  attempt: number
  treasuryAddress: string | null
  relayer: string
  blockhash: string
  lastValidBlockHeight: bigint
  computeUnitPrice: bigint
}

export type TransferState = 'OPEN' | 'FINAL' | 'DEAD'

/** A request as it stands: signed, refused, or undecided; and how the transaction ended. */
export type Transfer = {
  transferId: string
  organizationId: string
  reference: string
  attempt: number
  relayer: string
  blockhash: string
  lastValidBlockHeight: string
  mint: string | null
  from: string | null
  to: string | null
  value: string | null
  signature: string | null
  raw: Buffer | null
  problem: string | null
  sends: number
  state: TransferState
  slot: string | null
  height: string | null
  isSuccessful: boolean | null
  failure: string | null
  /** True for one that counted as dead until a block had it. */
  wasDead: boolean
  /** The bytes are committed with an attempt of the payout. */
  isCommitted: boolean
  /** The payout has no outcome yet. */
  isAwaited: boolean
  /** Real seconds since the latest broadcast, or since the signature. */
  idleSeconds: number
}

const columns = `transfer.transfer_id as "transferId", transfer.payout_organization_id as "organizationId",
  transfer.payout_id as reference, transfer.attempt, transfer.relayer, transfer.blockhash,
  transfer.last_valid_block_height::text as "lastValidBlockHeight", transfer.mint, transfer.from_address as "from",
  transfer.to_address as "to", transfer.value::text as value, transfer.signature, transfer.raw, transfer.problem,
  transfer.sends, transfer.state, transfer.slot::text as slot, transfer.height::text as height,
  transfer.is_successful as "isSuccessful", transfer.failure, transfer.was_dead as "wasDead",
  exists (
    select from svc.payout_preparations as preparation
     where preparation.organization_id = transfer.payout_organization_id
       and preparation.payout_id = transfer.payout_id and preparation.key = transfer.transfer_id::text) as "isCommitted",
  payout.status in ('SENDING', 'SENT') as "isAwaited",
  extract(epoch from clock_timestamp() - coalesce(transfer.sent_at, transfer.decided_at, transfer.requested_at))::float8
    as "idleSeconds"`

/** Selects requests with their payout. Several attempts may have committed the same one. */
export const selectTransfers = `select ${columns}
  from svc.solana_transfers as transfer
  join svc.payouts as payout on payout.organization_id = transfer.payout_organization_id
   and payout.payout_id = transfer.payout_id`

/** Asks the signer for transactions. The organization is that of the payout. */
export async function insertRequests(database: Queryable, requests: readonly TransferRequest[]): Promise<void> {
  if (requests.length === 0) return
  await database.query({
    name: 'insert solana transfer requests',
    text: `insert into svc.solana_transfers (transfer_id, payout_organization_id, payout_id, attempt, treasury_address,
                  relayer, blockhash, last_valid_block_height, compute_unit_price)
           select request.transfer_id, payout.organization_id, payout.payout_id, request.attempt,
                  request.treasury_address, request.relayer, request.blockhash, request.height, request.price
             from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::bigint[],
                         $8::bigint[])
                  as request (transfer_id, payout_id, attempt, treasury_address, relayer, blockhash, height, price)
             join svc.payouts as payout on payout.payout_id = request.payout_id`,
    values: [
      requests.map(({ transferId }) => transferId),
      requests.map(({ reference }) => reference),
      requests.map(({ attempt }) => attempt),
      requests.map(({ treasuryAddress }) => treasuryAddress),
      requests.map(({ relayer }) => relayer),
      requests.map(({ blockhash }) => blockhash),
      requests.map(({ lastValidBlockHeight }) => lastValidBlockHeight),
      requests.map(({ computeUnitPrice }) => computeUnitPrice),
    ],
  })
}

export function readTransfers(database: Queryable, transferIds: readonly string[]): Promise<Transfer[]> {
  return database.query<Transfer>({
    name: 'read solana transfers',
    text: `${selectTransfers}
            where transfer.transfer_id = any($1)`,
    values: [transferIds],
  })
}

/** True when the signer has decided about all these requests: cheap, because the worker asks it many times a second. */
export async function areDecided(database: Queryable, transferIds: readonly string[]): Promise<boolean> {
  const found = await database.query({
    name: 'has undecided solana transfers',
    text: `select from svc.solana_transfers
            where transfer_id = any($1) and raw is null and problem is null limit 1`,
    values: [transferIds],
  })
  return found.length === 0
}

/** Reads every request for these payouts that was not refused, in the order in which they were made. */
export function readTransfersOf(database: Queryable, references: readonly string[]): Promise<Transfer[]> {
  return database.query<Transfer>({
    name: 'read solana transfers of payouts',
    text: `${selectTransfers}
            where transfer.payout_id = any($1) and transfer.problem is null order by transfer.requested_at`,
    values: [references],
  })
}

/** Reads signed transactions without an end, those first that wait longest for a broadcast. */
export function readOpen(database: Queryable, limit: number): Promise<Transfer[]> {
  return database.query<Transfer>({
    name: 'read open solana transfers',
    text: `${selectTransfers}
            where transfer.state = 'OPEN' and transfer.raw is not null
            order by coalesce(transfer.sent_at, transfer.decided_at) limit $1`,
    values: [limit],
  })
}

/** The bytes of a request that the signer has signed; undefined otherwise. */
export function signedTransferOf(transfer: Transfer): SignedTransfer | undefined {
  const { transferId, reference, signature, raw, lastValidBlockHeight } = transfer
  if (signature === null || raw === null) return undefined
  return { transferId, reference, signature, raw, lastValidBlockHeight: BigInt(lastValidBlockHeight) }
}

export async function recordSends(
  database: Queryable,
  sent: readonly { transferId: string; problem: string | null }[],
): Promise<void> {
  await database.query({
    name: 'record solana sends',
    text: `update svc.solana_transfers as transfer
              set sent_at = clock_timestamp(), sends = transfer.sends + 1, send_problem = sent.problem
             from unnest($1::uuid[], $2::text[]) as sent (transfer_id, problem)
            where transfer.transfer_id = sent.transfer_id`,
    values: [sent.map(({ transferId }) => transferId), sent.map(({ problem }) => problem)],
  })
}

/** The end of a transaction in a final block. Fee and rent are in lamports. */
export type Ending = {
  transferId: string
  slot: bigint
  isSuccessful: boolean
  failure: string | null
  fee: bigint
  rent: bigint
}

/** Ends transactions, each once; answers those that this call has ended. */
export function settleTransfers(
  tx: Tx,
  endings: readonly Ending[],
): Promise<{ transferId: string; organizationId: string; payoutId: string }[]> {
  return tx.query({
    name: 'settle solana transfers',
    text: `update svc.solana_transfers as transfer
              set state = 'FINAL', slot = ended.slot, is_successful = ended.is_successful, failure = ended.failure,
                  fee = ended.fee, rent = ended.rent, settled_at = clock_timestamp()
             from unnest($1::uuid[], $2::bigint[], $3::boolean[], $4::text[], $5::numeric[], $6::numeric[])
                  as ended (transfer_id, slot, is_successful, failure, fee, rent)
            where transfer.transfer_id = ended.transfer_id and transfer.state = 'OPEN'
        returning transfer.transfer_id as "transferId", transfer.payout_organization_id as "organizationId",
                  transfer.payout_id as "payoutId"`,
    values: [
      endings.map(({ transferId }) => transferId),
      endings.map(({ slot }) => slot),
      endings.map(({ isSuccessful }) => isSuccessful),
      endings.map(({ failure }) => failure),
      endings.map(({ fee }) => fee),
      endings.map(({ rent }) => rent),
    ],
  })
}

/**
 * Lets the scanner look at the token accounts of owners at once: a transfer that left may hide one that came. If a crash
 * prevents it, the scanner looks when their time has come.
 */
export async function touchAccounts(database: Queryable, owners: readonly string[]): Promise<void> {
  await database.query({
    name: 'touch token accounts',
    text: `with touched as materialized (
             select account from svc.token_accounts where owner_address = any($1) order by account for no key update)
           update svc.token_accounts as watched set due_at = clock_timestamp(), pause_seconds = 0
             from touched where watched.account = touched.account`,
    values: [owners],
  })
}

/**
 * Sums what requests that are signed or undecided may still take from addresses of our treasury, in their order. Those in
 * slots up to this one are part of what the addresses hold there.
 */
export async function sumPromised(
  tx: Tx,
  { asset, addresses, upToSlot }: { asset: string; addresses: readonly string[]; upToSlot: bigint },
): Promise<bigint[]> {
  const sums = await tx.query<{ promised: string }>({
    name: 'sum promised tokens of solana treasuries',
    text: `select coalesce(sum(payout.amount), 0)::text as promised
             from unnest($1::text[]) with ordinality as treasury (address, place)
             left join svc.solana_transfers as transfer on transfer.treasury_address = treasury.address
              and transfer.problem is null
              and (transfer.state = 'OPEN' or transfer.is_successful and transfer.slot > $3)
             left join svc.payouts as payout on payout.organization_id = transfer.payout_organization_id
              and payout.payout_id = transfer.payout_id and payout.asset = $2
            group by treasury.place order by treasury.place`,
    values: [addresses, asset, upToSlot],
  })
  return sums.map(({ promised }) => BigInt(promised))
}

/** A signed transfer whose payout has no outcome yet. */
export type Unbooked = {
  payoutId: string
  signature: string
  asset: string
  mint: string
  from: string
  to: string
  amount: string
}

/** Lists signed transfers that the books do not have, unless they are proven dead. */
export function readUnbooked(database: Queryable): Promise<Unbooked[]> {
  return database.query<Unbooked>({
    name: 'read unbooked solana transfers',
    text: `select payout.payout_id as "payoutId", transfer.signature, transfer.asset, transfer.mint, transfer.from_address as "from",
                  transfer.to_address as "to", transfer.value::text as amount
             from svc.solana_transfers as transfer
             join svc.payouts as payout on payout.organization_id = transfer.payout_organization_id
              and payout.payout_id = transfer.payout_id
            where transfer.raw is not null and transfer.state <> 'DEAD' and payout.status in ('SENDING', 'SENT')`,
  })
}
