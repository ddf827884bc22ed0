import type { NetworkKind } from '../../catalog/network-kinds.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { anyDue, firstOf, realNow } from '../../db/workers/due.ts'
import { obligationColumns } from '../seal-store.ts'
import type { SignedSums } from './limits.ts'
import { isReplaced, joinObligation, type SigningRequest, walletColumns, whenOver } from './request-store.ts'

/** Keeps signers and the kill switch one after another until the database transaction ends. */
export async function lockSigning(tx: Tx): Promise<void> {
  await tx.query({ name: 'lock signing', text: `select pg_advisory_xact_lock(hashtext('svc signing'))` })
}

export async function isStopped(database: Queryable): Promise<boolean> {
  const [found] = await database.query<{ stopped: boolean }>({
    name: 'is signing stopped',
    text: 'select exists (select from svc.signing_stops where resumed_at is null) as stopped',
  })
  return found?.stopped ?? true
}

export async function insertStop(tx: Tx, stop: { stopId: string; reason: string; actor: string }): Promise<void> {
  await tx.query({
    text: 'insert into svc.signing_stops (stop_id, reason, stopped_by) values ($1, $2, $3)',
    values: [stop.stopId, stop.reason, stop.actor],
  })
}

/** Ends every stop; answers how many there were. */
export async function resumeStops(tx: Tx, actor: string): Promise<number> {
  const resumed = await tx.query({
    text: `update svc.signing_stops set resumed_by = $1, resumed_at = clock_timestamp()
            where resumed_at is null returning stop_id`,
    values: [actor],
  })
  return resumed.length
}

/** The kinds of requests that wait. */
export type Waiting = { transfers: boolean; relays: boolean }

/** Cheap, because the signer asks it several times a second. */
const hasTransfers = firstOf('svc.transfer_authorizations where decided_at is null order by requested_at')
const hasRelays = anyDue(
  firstOf('svc.relay_transactions where decided_at is null order by requested_at'),
  firstOf(`svc.relay_transactions where retry_at <= ${realNow} order by retry_at`),
)

/** Holds while requests on EVM networks wait for a decision. */
export const dueRequests = anyDue(hasTransfers, hasRelays)

/** Holds while requests on Solana wait for a decision. */
export const dueOnSolana = firstOf('svc.solana_transfers where decided_at is null order by requested_at')

export async function hasRequests(database: Queryable): Promise<Waiting> {
  const [found] = await database.query<Waiting>({
    name: 'has signing requests',
    text: `select ${hasTransfers} as transfers, ${hasRelays} as relays`,
  })
  return found ?? { transfers: false, relays: false }
}

/** Committed bytes are dead once the rail has proven it. Others were never broadcast: their time must be over. */
const mayStillBeUsed = `exists (
  select from svc.transfer_authorizations as earlier
    left join svc.payout_preparations as preparation on preparation.organization_id = payout.organization_id
     and preparation.payout_id = payout.payout_id and preparation.key = earlier.authorization_id::text
   where earlier.payout_id = payout.payout_id and earlier.signature is not null
     and (earlier.valid_before + case when preparation.key is null then $3 else 0 end > clock.now
       or preparation.key is not null and not exists (
            select from svc.payout_attempts as dead
             where dead.organization_id = payout.organization_id and dead.payout_id = payout.payout_id
               and dead.attempt = preparation.attempt and dead.outcome = 'DEAD')))`

const siblingBy = (column: 'transaction_id' | 'deposit_id') => `exists (
  select from svc.payouts as sibling
    join svc.transfer_authorizations as signed on signed.payout_organization_id = sibling.organization_id
     and signed.payout_id = sibling.payout_id
   where sibling.organization_id = payout.organization_id and ${isReplaced(column)}
     and signed.signature is not null and signed.valid_before + $3 > clock.now)`

/** Each payout has a nonce of its own. So a refund must wait until the payout that it replaces can no longer pay. */
const hasUsableSibling = `(${siblingBy('transaction_id')} or ${siblingBy('deposit_id')})`

/** A request for a signature, with everything that the signer derives the transfer from. */
export type TransferRequest = SigningRequest & {
  authorizationId: string
  validBefore: string
  /** The signer's own time, in seconds. */
  now: string
  /** The addresses that earlier authorizations of the payout pay from. The nonce of an authorization is its sender's own. */
  senders: string[]
  isInHour: boolean
  isInDay: boolean
}

/**
 * The time by which the signer judges validity. In the sandbox that is business time. In production it is the
 * database's own clock, because processes can move business time. An authorization without committed bytes has no proof
 * of its death, so it counts as usable for a margin longer.
 */
export type SignerTime = { isBusinessTime: boolean; marginSeconds: number }

/** Locks requests without a decision, oldest first, and derives each obligation anew. */
export function lockRequests(
  tx: Tx,
  limit: number,
  { isBusinessTime, marginSeconds }: SignerTime,
): Promise<TransferRequest[]> {
  return tx.query<TransferRequest>({
    name: 'lock transfer requests',
    text: `select request.authorization_id as "authorizationId", request.treasury_address as "treasuryAddress",
                  request.valid_before::text as "validBefore",
                  clock.now::bigint::text as now, ${obligationColumns}, payout.seal,
                  case ${whenOver}
                       when ${mayStillBeUsed}
                       then 'an earlier authorization may still be used'
                       when ${hasUsableSibling}
                       then 'an authorization of a refused payout of its transaction or deposit may still be used'
                       else svc.why_not_owed(payout) end as problem,
                  ${walletColumns}, counted.is_in_hour as "isInHour",
                  counted.is_in_day as "isInDay", array(
                    select distinct earlier.from_address from svc.transfer_authorizations as earlier
                     where earlier.payout_id = payout.payout_id and earlier.signature is not null) as senders
             from svc.transfer_authorizations as request
            cross join (
              select extract(epoch from case when $2 then svc.now() else clock_timestamp() end) as now) as clock
             ${joinObligation('EVM')}
            cross join lateral (
              select coalesce(bool_or(decided_at > clock_timestamp() - interval '1 hour'), false) as is_in_hour,
                     count(*) > 0 as is_in_day
                from svc.transfer_authorizations
               where payout_id = payout.payout_id and signature is not null and counts
                 and decided_at > clock_timestamp() - interval '1 day') as counted
            where request.decided_at is null
            order by request.requested_at limit $1 for update of request skip locked`,
    values: [limit, isBusinessTime, marginSeconds],
  })
}

/** Sums the signatures of the last hour and day by asset, each payout and sender once. */
export async function sumSigned(tx: Tx): Promise<Map<string, SignedSums>> {
  const sums = await tx.query<{ asset: string; hour: string; day: string }>({
    name: 'sum signed transfers',
    text: `select asset, sum(value)::text as day,
                  coalesce(sum(value) filter (where at > clock_timestamp() - interval '1 hour'), 0)::text as hour
             from (select asset, payout_id, max(value) as value, max(decided_at) as at
                     from svc.transfer_authorizations
                    where signature is not null and counts and decided_at > clock_timestamp() - interval '1 day'
                    group by asset, payout_id, from_address) as signed
            group by asset`,
  })
  return new Map(sums.map(({ asset, hour, day }) => [asset, { hour: BigInt(hour), day: BigInt(day) }]))
}

/** The decision about a request: what was signed, or why nothing was. */
export type TransferDecision = {
  authorizationId: string
  problem: string | null
  signed: {
    asset: string
    chainId: number
    contract: string
    from: string
    to: string
    value: bigint
    nonce: string
    signature: Buffer
    counts: boolean
  } | null
}

export async function writeDecisions(tx: Tx, decisions: readonly TransferDecision[]): Promise<void> {
  const signed = decisions.map((decision) => decision.signed)
  await tx.query({
    name: 'write transfer decisions',
    text: `update svc.transfer_authorizations as request
              set problem = decision.problem, asset = decision.asset, chain_id = decision.chain_id,
                  contract = decision.contract, from_address = decision.from_address,
                  to_address = decision.to_address, value = decision.value, nonce = decision.nonce,
                  signature = decision.signature, counts = decision.counts, decided_at = clock_timestamp()
             from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[],
                         $8::numeric[], $9::text[], $10::bytea[], $11::boolean[])
                  as decision (authorization_id, problem, asset, chain_id, contract, from_address, to_address, value,
                               nonce, signature, counts)
            where request.authorization_id = decision.authorization_id and request.decided_at is null`,
    values: [
      decisions.map(({ authorizationId }) => authorizationId),
      decisions.map(({ problem }) => problem),
      signed.map((each) => each?.asset ?? null),
      signed.map((each) => each?.chainId ?? null),
      signed.map((each) => each?.contract ?? null),
      signed.map((each) => each?.from ?? null),
      signed.map((each) => each?.to ?? null),
      signed.map((each) => each?.value ?? null),
      signed.map((each) => each?.nonce ?? null),
      signed.map((each) => each?.signature ?? null),
      signed.map((each) => each?.counts ?? null),
    ],
  })
}

/** The addresses of ours that may receive tokens: the treasury in use, and our reserve. */
export type OwnAddresses = { treasury: string | null; reserve: string | null }

export async function findOwnAddresses(tx: Tx, kind: NetworkKind): Promise<OwnAddresses> {
  const [found] = await tx.query<OwnAddresses>({
    name: 'find own addresses to sign for',
    text: `select (select address from svc.service_addresses
                    where kind = $1 and role = 'TREASURY' and retired_at is null) as treasury,
                  (select address from svc.reserve_addresses where kind = $1 and retired_at is null) as reserve`,
    values: [kind],
  })
  return found ?? { treasury: null, reserve: null }
}
