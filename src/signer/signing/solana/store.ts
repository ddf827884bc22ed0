import type { Queryable, Tx } from '../../../db/database.ts'
import { obligationColumns } from '../../seal-store.ts'
import type { SignedSums } from '../limits.ts'
import { isReplaced, joinObligation, type SigningRequest, walletColumns, whenOver } from '../request-store.ts'
import type { SignedEarlier } from './earlier.ts'

/** A request for a transaction, with everything that the signer derives it from. */
export type TransferRequest = SigningRequest & {
  transferId: string
  relayer: string
  blockhash: string
  computeUnitPrice: string
}

/**
 * True unless a signed transaction can never be executed: the record tells so, and the nodes of the signer do. Blockhashes
 * live for minutes at most, so the signer's own clock must have passed a margin, too.
 */
const mayPay = (signed: string) => `(
  ${signed}.decided_at > clock_timestamp() - $2 * interval '1 second'
  or not ${signed}.transfer_id = any($3::uuid[])
  or not (${signed}.state = 'DEAD' and ${signed}.height > ${signed}.last_valid_block_height
       or ${signed}.state = 'FINAL' and not ${signed}.is_successful))`

const signedSiblings = (column: 'transaction_id' | 'deposit_id') => `
    from svc.payouts as sibling
    join svc.solana_transfers as signed on signed.payout_organization_id = sibling.organization_id
     and signed.payout_id = sibling.payout_id
   where sibling.organization_id = payout.organization_id and ${isReplaced(column)} and signed.raw is not null`

const siblingBy = (column: 'transaction_id' | 'deposit_id') =>
  `exists (select ${signedSiblings(column)} and ${mayPay('signed')})`

/** The most transactions that the signer ever signs for one obligation. */
const mostSignatures = 50

const signedColumns = `signed.transfer_id as "transferId", signed.payout_id as "payoutId", signed.signature,
  signed.blockhash, signed.last_valid_block_height::text as "lastValidBlockHeight"`

type Waiting = { requestIds: string[]; repeatedIds: string[]; earlier: SignedEarlier[] }

/**
 * Finds requests without a decision, the oldest ones, and the transactions that were signed earlier for their payouts, or
 * for refused ones of the same transaction or deposit. Requests that repeat such ones are apart.
 */
export async function findWaiting(database: Queryable, limit: number): Promise<Waiting> {
  const found = await database.query<{ requestId: string } & (SignedEarlier | { transferId: null })>({
    name: 'find waiting solana requests',
    text: `select payout.transfer_id as "requestId", earlier.*
             from (select waiting.transfer_id, payout.* from svc.solana_transfers as waiting
                     join svc.payouts as payout on payout.organization_id = waiting.payout_organization_id
                      and payout.payout_id = waiting.payout_id
                    where waiting.decided_at is null order by waiting.requested_at limit $1) as payout
             left join lateral (
                  select ${signedColumns} from svc.solana_transfers as signed
                   where signed.payout_id = payout.payout_id and signed.raw is not null
                   union all select ${signedColumns} ${signedSiblings('transaction_id')}
                   union all select ${signedColumns} ${signedSiblings('deposit_id')}) as earlier on true`,
    values: [limit],
  })
  const earlier = found.flatMap((each) => (each.transferId === null ? [] : [each]))
  return {
    requestIds: found.filter(({ transferId }) => transferId === null).map(({ requestId }) => requestId),
    repeatedIds: [...new Set(earlier.map(({ requestId }) => requestId))],
    earlier: [...new Map(earlier.map((each) => [each.transferId, each])).values()],
  }
}

/**
 * Locks these requests while they have no decision, oldest first, and derives each obligation anew. `over` are signed
 * transactions that can never pay, as the signer's own nodes tell.
 */
export function lockRequests(
  tx: Tx,
  {
    requestIds,
    over,
    marginSeconds,
  }: { requestIds: readonly string[]; over: readonly string[]; marginSeconds: number },
): Promise<TransferRequest[]> {
  return tx.query<TransferRequest>({
    name: 'lock solana transfer requests',
    text: `select request.transfer_id as "transferId", request.treasury_address as "treasuryAddress", request.relayer,
                  request.blockhash, request.compute_unit_price::text as "computeUnitPrice", ${obligationColumns},
                  payout.seal,
                  case ${whenOver}
                       when exists (
                         select from svc.solana_transfers as earlier
                          where earlier.payout_id = payout.payout_id and earlier.raw is not null
                            and ${mayPay('earlier')})
                       then 'an earlier transaction may still pay, or has paid'
                       when (select count(*) from svc.solana_transfers as earlier
                              where earlier.payout_id = payout.payout_id and earlier.raw is not null) >= ${mostSignatures}
                       then 'too many transactions were signed for it'
                       when ${siblingBy('transaction_id')} or ${siblingBy('deposit_id')}
                       then 'a transaction of a refused payout of its transaction or deposit may still pay'
                       else svc.why_not_owed(payout) end as problem,
                  ${walletColumns}
             from svc.solana_transfers as request
             ${joinObligation('SOLANA')}
            where request.decided_at is null and request.transfer_id = any($1)
            order by request.requested_at for update of request skip locked`,
    values: [requestIds, marginSeconds, over],
  })
}

/**
 * Sums the signatures of the last hour and day by asset. Each transaction counts, unlike on EVM networks, where those of
 * one obligation share a nonce.
 */
export async function sumSigned(tx: Tx): Promise<Map<string, SignedSums>> {
  const sums = await tx.query<{ asset: string; hour: string; day: string }>({
    name: 'sum signed solana transfers',
    text: `select asset, sum(value)::text as day,
                  coalesce(sum(value) filter (where decided_at > clock_timestamp() - interval '1 hour'), 0)::text as hour
             from svc.solana_transfers
            where raw is not null and counts and decided_at > clock_timestamp() - interval '1 day'
            group by asset`,
  })
  return new Map(sums.map(({ asset, hour, day }) => [asset, { hour: BigInt(hour), day: BigInt(day) }]))
}

/** Reads the prices of the transactions that were signed in the last hour and day, with their numbers. */
export function readSpent(tx: Tx): Promise<{ price: string; hour: number; day: number }[]> {
  return tx.query({
    name: 'read prices of signed solana transfers',
    text: `select compute_unit_price::text as price, count(*)::integer as day,
                  (count(*) filter (where decided_at > clock_timestamp() - interval '1 hour'))::integer as hour
             from svc.solana_transfers
            where raw is not null and decided_at > clock_timestamp() - interval '1 day'
            group by compute_unit_price`,
  })
}

/** The decision about a request: what was signed, or why nothing was. */
export type TransferDecision = {
  transferId: string
  problem: string | null
  signed: {
    asset: string
    mint: string
    from: string
    to: string
    value: bigint
    signature: string
    raw: Buffer
    counts: boolean
  } | null
}

export async function writeDecisions(tx: Tx, decisions: readonly TransferDecision[]): Promise<void> {
  const signed = decisions.map((decision) => decision.signed)
  await tx.query({
    name: 'write solana transfer decisions',
    text: `update svc.solana_transfers as request
              set problem = decision.problem, asset = decision.asset, mint = decision.mint,
                  from_address = decision.from_address, to_address = decision.to_address, value = decision.value,
                  signature = decision.signature, raw = decision.raw, counts = decision.counts,
                  decided_at = clock_timestamp()
             from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::numeric[],
                         $8::text[], $9::bytea[], $10::boolean[])
                  as decision (transfer_id, problem, asset, mint, from_address, to_address, value, signature, raw, counts)
            where request.transfer_id = decision.transfer_id and request.decided_at is null`,
    values: [
      decisions.map(({ transferId }) => transferId),
      decisions.map(({ problem }) => problem),
      signed.map((each) => each?.asset ?? null),
      signed.map((each) => each?.mint ?? null),
      signed.map((each) => each?.from ?? null),
      signed.map((each) => each?.to ?? null),
      signed.map((each) => each?.value ?? null),
      signed.map((each) => each?.signature ?? null),
      signed.map((each) => each?.raw ?? null),
      signed.map((each) => each?.counts ?? null),
    ],
  })
}
