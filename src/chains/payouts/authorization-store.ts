import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import type { BlockRef } from '../node.ts'
import type { SignedTransfer } from './authorization.ts'

export async function isSigningStopped(database: Queryable): Promise<boolean> {
  const [found] = await database.query<{ stopped: boolean }>({
    name: 'is signing stopped for payouts',
    text: 'select exists (select from svc.signing_stops where resumed_at is null) as stopped',
  })
  return found?.stopped ?? true
}

export type TransferRequest = {
  authorizationId: string
  reference: string
  attempt: number
  treasuryAddress: string | null
  /** Unix seconds. */
  validBefore: bigint
}

/** A request as it stands: signed, refused, or undecided. */
export type DecidedTransfer = {
  authorizationId: string
  reference: string
  attempt: number
  validBefore: string
  afterBlock: string
  contract: string | null
  from: string | null
  to: string | null
  value: string | null
  nonce: string | null
  signature: string | null
  problem: string | null
}

const columnsWith = (
  afterBlock: string,
) => `request.authorization_id as "authorizationId", request.payout_id as reference, request.attempt,
  request.valid_before::text as "validBefore", ${afterBlock}::text as "afterBlock", request.contract,
  request.from_address as "from", request.to_address as "to", request.value::text as value, request.nonce,
  encode(request.signature, 'hex') as signature, request.problem`
const columns = columnsWith('request.after_block')

/**
 * Finds requests of these attempts that were not refused, and signatures of earlier attempts without committed bytes: a
 * crash between signature and commit must not sign anew.
 */
export function findRequests(
  database: Queryable,
  attempts: readonly Pick<TransferRequest, 'reference' | 'attempt'>[],
): Promise<DecidedTransfer[]> {
  return database.query<DecidedTransfer>({
    name: 'find transfer requests of attempts',
    text: `select ${columns}
             from unnest($1::uuid[], $2::integer[]) as wanted (payout_id, attempt)
             join svc.transfer_authorizations as request on request.payout_id = wanted.payout_id
              and (request.attempt = wanted.attempt or request.signature is not null) and request.problem is null
            where not exists (
                  select from svc.payout_preparations as preparation
                   where preparation.organization_id = request.payout_organization_id
                     and preparation.payout_id = request.payout_id
                     and preparation.key = request.authorization_id::text)
            order by request.signature is not null, request.valid_before`,
    values: [attempts.map(({ reference }) => reference), attempts.map(({ attempt }) => attempt)],
  })
}

/** Asks the signer for signatures. The organization is that of the payout. */
export async function insertRequests(
  database: Queryable,
  requests: readonly TransferRequest[],
  afterBlock: bigint,
): Promise<void> {
  if (requests.length === 0) return
  await database.query({
    name: 'insert transfer requests',
    text: `insert into svc.transfer_authorizations
                  (authorization_id, payout_organization_id, payout_id, attempt, treasury_address, valid_before, after_block)
           select request.authorization_id, payout.organization_id, payout.payout_id, request.attempt,
                  request.treasury_address, request.valid_before, $6
             from unnest($1::uuid[], $2::uuid[], $3::integer[], $4::text[], $5::bigint[])
                  as request (authorization_id, payout_id, attempt, treasury_address, valid_before)
             join svc.payouts as payout on payout.payout_id = request.payout_id`,
    values: [
      requests.map(({ authorizationId }) => authorizationId),
      requests.map(({ reference }) => reference),
      requests.map(({ attempt }) => attempt),
      requests.map(({ treasuryAddress }) => treasuryAddress),
      requests.map(({ validBefore }) => validBefore),
      afterBlock,
    ],
  })
}

export function readTransfers(database: Queryable, authorizationIds: readonly string[]): Promise<DecidedTransfer[]> {
  return database.query<DecidedTransfer>({
    name: 'read transfer requests',
    text: `select ${columns} from svc.transfer_authorizations as request where request.authorization_id = any($1)`,
    values: [authorizationIds],
  })
}

/** True when the signer has decided about all these requests: cheap, because the worker asks it many times a second. */
export async function areDecided(database: Queryable, authorizationIds: readonly string[]): Promise<boolean> {
  const found = await database.query({
    name: 'has undecided transfer requests',
    text: `select from svc.transfer_authorizations
            where authorization_id = any($1) and signature is null and problem is null limit 1`,
    values: [authorizationIds],
  })
  return found.length === 0
}

/** Reads every authorization that was signed for these payouts. In a chain that was adopted since, its transfer may be earlier. */
export function readTransfersOf(
  database: Queryable,
  network: EvmNetwork,
  references: readonly string[],
): Promise<DecidedTransfer[]> {
  return database.query<DecidedTransfer>({
    name: 'read transfers of payouts',
    text: `select ${columnsWith('least(request.after_block, adopted.above)')}
             from svc.transfer_authorizations as request
            cross join lateral (
                  select min(adoption.above) as above from svc.chain_adoptions as adoption
                   where adoption.network = $2 and adoption.adopted_at > request.requested_at) as adopted
            where request.payout_id = any($1) and request.signature is not null order by request.valid_before`,
    values: [references, network],
  })
}

/** True while a network is halted: its nodes contradict what they called final, so none of their answers is an outcome. */
export async function isHalted(database: Queryable, network: EvmNetwork): Promise<boolean> {
  const found = await database.query({
    name: 'is chain halted',
    text: 'select from svc.chain_scans where network = $1 and halted_at is not null',
    values: [network],
  })
  return found.length > 0
}

/** The transfer of a request that the signer has signed; undefined otherwise. */
export function signedTransferOf(decided: DecidedTransfer): SignedTransfer | undefined {
  const { authorizationId, reference, validBefore, contract, from, to, value, nonce, signature } = decided
  if (contract === null || from === null || to === null || value === null || nonce === null || signature === null)
    return undefined
  return {
    authorizationId,
    reference,
    contract,
    from,
    to,
    value: BigInt(value),
    validBefore: BigInt(validBefore),
    nonce,
    signature,
  }
}

/**
 * Sums what requests that are signed or undecided may still take from addresses of our treasury, in their order. Those in
 * blocks up to this final one are part of what the addresses hold there, and those that end before its time are over.
 */
export async function sumPromised(
  tx: Tx,
  { asset, addresses, final }: { asset: string; addresses: readonly string[]; final: BlockRef },
): Promise<bigint[]> {
  const sums = await tx.query<{ promised: string }>({
    name: 'sum promised tokens of treasuries',
    text: `select coalesce(sum(payout.amount), 0)::text as promised
             from unnest($1::text[]) with ordinality as treasury (address, place)
             left join svc.transfer_authorizations as request on request.treasury_address = treasury.address
              and request.problem is null and request.valid_before > $4::bigint
              and not exists (
                  select from svc.relay_nonces as relayed
                   where relayed.authorization_id = request.authorization_id and relayed.state = 'MINED'
                     and relayed.block_number <= $3)
             left join svc.payouts as payout on payout.organization_id = request.payout_organization_id
              and payout.payout_id = request.payout_id and payout.asset = $2
            group by treasury.place order by treasury.place`,
    values: [addresses, asset, final.number, final.timestamp],
  })
  return sums.map(({ promised }) => BigInt(promised))
}

/** Tells the sender of the first authorization of each payout. A payout keeps it for ever: nonces are per sender. */
export async function findSenders(
  database: Queryable,
  references: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await database.query<{ reference: string; sender: string }>({
    name: 'find senders of payouts',
    text: `select distinct on (payout_id) payout_id as reference, from_address as sender
             from svc.transfer_authorizations where payout_id = any($1) and signature is not null
            order by payout_id, decided_at`,
    values: [references],
  })
  return new Map(found.map(({ reference, sender }) => [reference, sender]))
}

/** True while the signer has not decided about a request of a payout. */
export async function hasUndecided(database: Queryable, reference: string): Promise<boolean> {
  const found = await database.query({
    name: 'has undecided transfers',
    text: 'select from svc.transfer_authorizations where payout_id = $1 and decided_at is null limit 1',
    values: [reference],
  })
  return found.length > 0
}

/** True when the bytes of this authorization are committed with an attempt of its payout, which has no outcome yet. */
export async function isCommitted(
  database: Queryable,
  { reference, authorizationId }: Pick<SignedTransfer, 'reference' | 'authorizationId'>,
): Promise<boolean> {
  const found = await database.query({
    name: 'is transfer committed',
    text: `select from svc.transfer_authorizations as request
             join svc.payout_preparations as preparation on preparation.organization_id = request.payout_organization_id
              and preparation.payout_id = request.payout_id and preparation.key = request.authorization_id::text
             join svc.payouts as payout on payout.organization_id = request.payout_organization_id
              and payout.payout_id = request.payout_id and payout.status in ('SENDING', 'SENT')
            where request.authorization_id = $2 and request.payout_id = $1`,
    values: [reference, authorizationId],
  })
  return found.length > 0
}

/**
 * True while a transaction of this relayer waits for coins: its latest signed version was refused for that, and it has
 * waited for a minute.
 */
export async function lacksCoins(database: Queryable, network: EvmNetwork, relayer: string): Promise<boolean> {
  const found = await database.query({
    name: 'lacks relayer coins',
    text: `select from svc.relay_nonces as nonce
            cross join lateral (
                  select version.send_refusal from svc.relay_transactions as version
                   where version.network = nonce.network and version.relayer = nonce.relayer
                     and version.nonce = nonce.nonce and version.raw is not null
                   order by version.version desc limit 1) as latest
            where nonce.network = $1 and nonce.state = 'OPEN' and nonce.relayer = $2
              and nonce.allocated_at < clock_timestamp() - interval '1 minute' and latest.send_refusal = 'NO_FUNDS'
            limit 1`,
    values: [network, relayer],
  })
  return found.length > 0
}
