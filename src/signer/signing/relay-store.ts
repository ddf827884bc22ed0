import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import type { Tx } from '../../db/database.ts'

/** A request for the signature of a relayer, with the authorization that its transaction executes. */
export type RelayRequest = {
  network: EvmNetwork
  relayer: string
  nonce: string
  version: number
  gasLimit: string
  maxFee: string
  tip: string
  /** Null: it only fills the nonce. */
  authorization: {
    chainId: string
    contract: string
    from: string
    to: string
    value: string
    validBefore: string
    nonce: string
    /** Hexadecimal digits. */
    signature: string
    /** Its bytes are committed with an attempt of its payout. */
    isCommitted: boolean
    /** Its payout has an outcome already. */
    isOver: boolean
  } | null
  /** It names an authorization, which the signer has signed or not. */
  isForTransfer: boolean
  /** The most that signed versions of this nonce may cost, in wei, as far as they count for the hour and the day. */
  countedInHour: string
  countedInDay: string
  /** How often a bound of gas has stopped it. */
  refusals: number
}

/** Locks requests without a decision, and those whose retry is due: lower nonces first, because the network executes them in this order. */
export function lockRelayRequests(tx: Tx, limit: number): Promise<RelayRequest[]> {
  return tx.query<RelayRequest>({
    name: 'lock relay requests',
    text: `select request.network, request.relayer, request.nonce::text as nonce, request.version,
                  request.gas_limit::text as "gasLimit", request.max_fee::text as "maxFee", request.tip::text as tip,
                  request.authorization_id is not null as "isForTransfer",
                  case when signed.signature is not null then json_build_object(
                    'chainId', signed.chain_id::text, 'contract', signed.contract, 'from', signed.from_address,
                    'to', signed.to_address, 'value', signed.value::text,
                    'validBefore', signed.valid_before::text, 'nonce', signed.nonce,
                    'signature', encode(signed.signature, 'hex'), 'isCommitted', exists (
                      select from svc.payout_preparations as preparation
                       where preparation.organization_id = signed.payout_organization_id
                         and preparation.payout_id = signed.payout_id
                         and preparation.key = signed.authorization_id::text), 'isOver', not exists (
                      select from svc.payouts as payout
                       where payout.organization_id = signed.payout_organization_id
                         and payout.payout_id = signed.payout_id
                         and (payout.status in ('SENDING', 'SENT') or payout.unconfirmed_at is not null))) end
                    as authorization,
                  request.refusals, counted.day::text as "countedInDay",
                  case when counted.at > clock_timestamp() - interval '1 hour' then counted.day else 0 end::text
                    as "countedInHour"
             from svc.relay_transactions as request
             left join svc.transfer_authorizations as signed using (authorization_id)
            cross join lateral (
              select coalesce(max(version.gas_limit * version.max_fee), 0) as day, max(version.decided_at) as at
                from svc.relay_transactions as version
               where version.network = request.network and version.relayer = request.relayer
                 and version.nonce = request.nonce and version.raw is not null
                 and version.decided_at > clock_timestamp() - interval '1 day') as counted
            where request.decided_at is null or request.retry_at <= clock_timestamp()
            order by request.network, request.nonce, request.version limit $1
              for update of request skip locked`,
    values: [limit],
  })
}

/** Sums the most that relayers may spend on the nonces that were signed in the last hour and day, in wei. */
export async function sumRelayed(tx: Tx): Promise<Map<string, { hour: bigint; day: bigint }>> {
  const sums = await tx.query<{ network: string; hour: string; day: string }>({
    name: 'sum relayed gas',
    text: `select network, sum(cost)::text as day,
                  coalesce(sum(cost) filter (where at > clock_timestamp() - interval '1 hour'), 0)::text as hour
             from (select network, relayer, nonce, max(gas_limit * max_fee) as cost, max(decided_at) as at
                     from svc.relay_transactions
                    where raw is not null and decided_at > clock_timestamp() - interval '1 day'
                    group by network, relayer, nonce) as signed
            group by network`,
  })
  return new Map(sums.map(({ network, hour, day }) => [network, { hour: BigInt(hour), day: BigInt(day) }]))
}

export type RelayDecision = Pick<RelayRequest, 'network' | 'relayer' | 'nonce' | 'version'> & {
  problem: string | null
  hash: string | null
  raw: Buffer | null
  /** The signer decides again after this time; null when the decision holds. */
  retryInSeconds: number | null
}

export async function writeRelayDecisions(tx: Tx, decisions: readonly RelayDecision[]): Promise<void> {
  await tx.query({
    name: 'write relay decisions',
    text: `update svc.relay_transactions as request
              set problem = decision.problem, hash = decision.hash, raw = decision.raw, decided_at = clock_timestamp(),
                  retry_at = clock_timestamp() + decision.retry_in * interval '1 second',
                  refusals = request.refusals + (decision.retry_in is not null)::integer
             from unnest($1::text[], $2::text[], $3::bigint[], $4::integer[], $5::text[], $6::text[], $7::bytea[],
                         $8::integer[])
                  as decision (network, relayer, nonce, version, problem, hash, raw, retry_in)
            where request.network = decision.network and request.relayer = decision.relayer
              and request.nonce = decision.nonce and request.version = decision.version
              and (request.decided_at is null or request.retry_at is not null)`,
    values: [
      decisions.map(({ network }) => network),
      decisions.map(({ relayer }) => relayer),
      decisions.map(({ nonce }) => nonce),
      decisions.map(({ version }) => version),
      decisions.map(({ problem }) => problem),
      decisions.map(({ hash }) => hash),
      decisions.map(({ raw }) => raw),
      decisions.map(({ retryInSeconds }) => retryInSeconds),
    ],
  })
}
