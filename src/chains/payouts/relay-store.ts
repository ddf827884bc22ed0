import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import type { Network } from '../../catalog/currencies.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import type { Due } from '../../db/work.ts'
import { firstOf, literal } from '../../db/workers/due.ts'
import type { SendRefusal } from '../node.ts'
import type { GasPrice } from './fees.ts'

export type NonceKey = { network: EvmNetwork; relayer: string; nonce: string }

/** Enters a relayer with the next nonce that its network expects. */
export async function insertRelayer(
  database: Queryable,
  network: Network,
  relayer: string,
  nextNonce: bigint,
): Promise<void> {
  await database.query({
    name: 'insert relayer',
    text: 'insert into svc.relayers (network, address, next_nonce) values ($1, $2, $3) on conflict do nothing',
    values: [network, relayer, nextNonce],
  })
}

/** Skips nonces that the network has used without us. */
export async function raiseNextNonce(
  database: Queryable,
  network: EvmNetwork,
  relayer: string,
  least: bigint,
): Promise<void> {
  await database.query({
    name: 'raise next nonce',
    text: 'update svc.relayers set next_nonce = $3 where network = $1 and address = $2 and next_nonce < $3',
    values: [network, relayer, least],
  })
}

export async function hasRelayer(database: Queryable, network: Network, relayer: string): Promise<boolean> {
  const found = await database.query({
    name: 'has relayer',
    text: 'select from svc.relayers where network = $1 and address = $2',
    values: [network, relayer],
  })
  return found.length > 0
}

/**
 * Allocates a nonce to each authorization that has none, and asks the signer for its transaction. The relayer's row is
 * locked until the commit, so nonces follow each other without a gap. An authorization that was relayed gets no second.
 */
export async function allocateNonces(
  tx: Tx,
  { network, relayer }: Pick<NonceKey, 'network' | 'relayer'>,
  authorizationIds: readonly string[],
  gas: GasPrice & { gasLimit: bigint },
): Promise<void> {
  const [locked] = await tx.query<{ nextNonce: string }>({
    name: 'lock relayer',
    text: `select next_nonce::text as "nextNonce" from svc.relayers where network = $1 and address = $2 for update`,
    values: [network, relayer],
  })
  if (!locked) throw new Error(`${network} has no relayer ${relayer}`)
  await tx.query({
    name: 'allocate nonces',
    text: `with wanted as (
             select id, row_number() over (order by place) - 1 as place
               from unnest($3::uuid[]) with ordinality as given (id, place)
              where not exists (
                select from svc.relay_nonces as relayed where relayed.authorization_id = id and relayed.state <> 'TAKEN')),
           allocated as (
             insert into svc.relay_nonces (network, relayer, nonce, authorization_id)
             select $1, $2, $4::bigint + place, id from wanted returning nonce, authorization_id),
           asked as (
             insert into svc.relay_transactions
                    (network, relayer, nonce, version, authorization_id, gas_limit, max_fee, tip)
             select $1, $2, nonce, 1, authorization_id, $5, $6, $7 from allocated)
           update svc.relayers set next_nonce = next_nonce + (select count(*) from allocated)
            where network = $1 and address = $2`,
    values: [network, relayer, authorizationIds, locked.nextNonce, gas.gasLimit, gas.maxFee, gas.tip],
  })
}

/** A transaction of a relayer, the newest version of its nonce unless a caller asks for all. */
export type RelayTransaction = NonceKey & {
  version: number
  authorizationId: string | null
  /** The authorization that the nonce was allocated for. */
  allocatedTo: string | null
  /** The authorization's time is over: the token would only revert. */
  isExpired: boolean
  /** The payout of the nonce's authorization has an outcome: its transfer must not leave any more. */
  isOver: boolean
  maxFee: string
  tip: string
  hash: string | null
  /** Hexadecimal digits. */
  raw: string | null
  problem: string | null
  /** A bound of gas stopped it, and the signer decides again later. */
  isRetried: boolean
  sends: number
  /** The reason for which the nodes refused the latest broadcast; null when one may have it. */
  sendRefusal: SendRefusal | null
  /** Real seconds since the latest broadcast, or since the request. */
  idleSeconds: number
}

const columns = `version.network, version.relayer, version.nonce::text as nonce, version.version,
  version.authorization_id as "authorizationId", nonce.authorization_id as "allocatedTo",
  coalesce(allocated.valid_before <= extract(epoch from svc.now()), false) as "isExpired", version.max_fee::text as "maxFee", version.tip::text as tip,
  version.hash, encode(version.raw, 'hex') as raw, version.problem, version.retry_at is not null as "isRetried",
  version.sends, version.send_refusal as "sendRefusal",
  coalesce(payout.status not in ('SENDING', 'SENT') and payout.unconfirmed_at is null, false) as "isOver",
  extract(epoch from clock_timestamp() - coalesce(version.sent_at, version.requested_at))::float8 as "idleSeconds"`

/** True when the signer has decided about every transaction of these authorizations whose nonce is open. */
export async function areRelaysDecided(database: Queryable, authorizationIds: readonly string[]): Promise<boolean> {
  const found = await database.query({
    name: 'has undecided relays of authorizations',
    text: `select from svc.relay_nonces as nonce
             join svc.relay_transactions as version using (network, relayer, nonce)
            where nonce.authorization_id = any($1) and nonce.state = 'OPEN'
              and version.raw is null and version.problem is null limit 1`,
    values: [authorizationIds],
  })
  return found.length === 0
}

/** Reads the first transactions of these authorizations whose nonces are open. */
export function readRelaysOf(database: Queryable, authorizationIds: readonly string[]): Promise<RelayTransaction[]> {
  return database.query<RelayTransaction>({
    name: 'read relays of authorizations',
    text: `select ${columns} from svc.relay_nonces as nonce
             join svc.relay_transactions as version using (network, relayer, nonce)
             left join svc.transfer_authorizations as allocated on allocated.authorization_id = nonce.authorization_id
             left join svc.payouts as payout on payout.organization_id = allocated.payout_organization_id
              and payout.payout_id = allocated.payout_id
            where nonce.authorization_id = any($1) and nonce.state = 'OPEN' order by version.nonce, version.version`,
    values: [authorizationIds],
  })
}

/** Reads all versions of the lowest open nonces of a network. */
export function readOpen(database: Queryable, network: EvmNetwork, limit: number): Promise<RelayTransaction[]> {
  return database.query<RelayTransaction>({
    name: 'read open relays',
    text: `select ${columns} from svc.relay_nonces as nonce
             join svc.relay_transactions as version using (network, relayer, nonce)
             left join svc.transfer_authorizations as allocated on allocated.authorization_id = nonce.authorization_id
             left join svc.payouts as payout on payout.organization_id = allocated.payout_organization_id
              and payout.payout_id = allocated.payout_id
            where nonce.network = $1 and nonce.state = 'OPEN' and nonce.nonce in (
                  select open.nonce from svc.relay_nonces as open
                   where open.network = $1 and open.state = 'OPEN' order by open.nonce limit $2)
            order by version.relayer, version.nonce, version.version`,
    values: [network, limit],
  })
}

/** Holds while the network has open nonces. One that is halted rests: its nodes contradict what they called final. */
export const hasOpenNonces = (network: EvmNetwork): Due =>
  firstOf(
    `svc.relay_nonces where network = ${literal(network)} and state = 'OPEN' and not exists (
       select from svc.chain_scans as scan where scan.network = relay_nonces.network and scan.halted_at is not null)
      order by nonce`,
  )

/** Asks the signer for another version of a nonce; false when another worker has asked. */
export async function insertVersion(
  database: Queryable,
  { network, relayer, nonce, version }: NonceKey & { version: number },
  authorizationId: string | null,
  gas: GasPrice & { gasLimit: bigint },
): Promise<boolean> {
  const inserted = await database.query({
    name: 'insert relay version',
    text: `insert into svc.relay_transactions (network, relayer, nonce, version, authorization_id, gas_limit, max_fee, tip)
           values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning version`,
    values: [network, relayer, nonce, version, authorizationId, gas.gasLimit, gas.maxFee, gas.tip],
  })
  return inserted.length > 0
}

/** Records broadcasts, with the node's word where it refused one. */
export async function recordSends(
  database: Queryable,
  sent: readonly (NonceKey & { version: number; refusal: SendRefusal | null; problem: string | null })[],
): Promise<void> {
  await database.query({
    name: 'record relay sends',
    text: `update svc.relay_transactions as version
              set sent_at = clock_timestamp(), sends = version.sends + 1, send_refusal = sent.refusal,
                  send_problem = sent.problem
             from unnest($1::text[], $2::text[], $3::bigint[], $4::integer[], $5::text[], $6::text[])
                  as sent (network, relayer, nonce, version, refusal, problem)
            where version.network = sent.network and version.relayer = sent.relayer
              and version.nonce = sent.nonce and version.version = sent.version`,
    values: [
      sent.map(({ network }) => network),
      sent.map(({ relayer }) => relayer),
      sent.map(({ nonce }) => nonce),
      sent.map(({ version }) => version),
      sent.map(({ refusal }) => refusal),
      sent.map(({ problem }) => problem),
    ],
  })
}

/** The end of a nonce: one of our transactions is in a final block, or a foreign one. */
export type Settled = NonceKey &
  (
    | {
        state: 'MINED'
        hash: string
        isSuccessful: boolean
        revertReason: string | null
        block: { number: bigint; hash: string }
        gasCost: bigint
      }
    | { state: 'TAKEN' }
  )

/** Ends nonces, each once; answers those that this call has ended, with the payouts that they were for. */
export function settleNonces(
  tx: Tx,
  settled: readonly Settled[],
): Promise<(NonceKey & { organizationId: string | null; payoutId: string | null; reopenings: number })[]> {
  const mined = settled.map((each) => (each.state === 'MINED' ? each : undefined))
  return tx.query({
    name: 'settle relay nonces',
    text: `with ended as (
             update svc.relay_nonces as nonce
                set state = ended.state, hash = ended.hash, is_successful = ended.is_successful,
                    revert_reason = ended.revert_reason, block_number = ended.block_number,
                    block_hash = ended.block_hash, gas_cost = ended.gas_cost, settled_at = clock_timestamp()
               from unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::boolean[], $7::text[],
                           $8::bigint[], $9::text[], $10::numeric[])
                    as ended (network, relayer, nonce, state, hash, is_successful, revert_reason, block_number,
                              block_hash, gas_cost)
              where nonce.network = ended.network and nonce.relayer = ended.relayer and nonce.nonce = ended.nonce
                and nonce.state = 'OPEN'
          returning nonce.network, nonce.relayer, nonce.nonce, nonce.authorization_id, nonce.reopenings)
           select ended.network, ended.relayer, ended.nonce::text as nonce, ended.reopenings,
                  request.payout_organization_id as "organizationId", request.payout_id as "payoutId"
             from ended left join svc.transfer_authorizations as request using (authorization_id)`,
    values: [
      settled.map(({ network }) => network),
      settled.map(({ relayer }) => relayer),
      settled.map(({ nonce }) => nonce),
      settled.map(({ state }) => state),
      mined.map((each) => each?.hash ?? null),
      mined.map((each) => each?.isSuccessful ?? null),
      mined.map((each) => each?.revertReason ?? null),
      mined.map((each) => each?.block.number ?? null),
      mined.map((each) => each?.block.hash ?? null),
      mined.map((each) => each?.gasCost ?? null),
    ],
  })
}

/** How the relaying of a payout's authorizations stands. */
export type RelayState = {
  authorizationId: string
  state: 'OPEN' | 'MINED' | 'TAKEN'
  hash: string | null
  isSuccessful: boolean | null
  revertReason: string | null
  blockNumber: string | null
  blockHash: string | null
}

export function readStatesOf(
  database: Queryable,
  references: readonly string[],
): Promise<(RelayState & { reference: string })[]> {
  return database.query({
    name: 'read relay states of payouts',
    text: `select request.payout_id as reference, nonce.authorization_id as "authorizationId", nonce.state, nonce.hash,
                  nonce.is_successful as "isSuccessful", nonce.revert_reason as "revertReason",
                  nonce.block_number::text as "blockNumber", nonce.block_hash as "blockHash"
             from svc.transfer_authorizations as request
             join svc.relay_nonces as nonce using (authorization_id)
            where request.payout_id = any($1) order by nonce.settled_at nulls last`,
    values: [references],
  })
}
