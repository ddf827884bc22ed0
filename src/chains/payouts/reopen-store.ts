import type { EvmNetwork } from '../../catalog/chain-ids.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import type { GasPrice } from './fees.ts'

/** A transaction of a relayer that was in a final block. */
export type DroppedRelay = {
  network: EvmNetwork
  hash: string
  block: { hash: string }
  gasCost: bigint
  /** How often it had been opened again before. */
  reopenings: number
}

/**
 * Opens nonces again whose transactions were in final blocks above this one, which the chain has dropped: the upkeep
 * ends, broadcasts or fills them. Answers the transactions. Blocks that stand keep theirs.
 */
export async function reopenNonces(
  tx: Tx,
  network: EvmNetwork,
  { above, standing }: { above: bigint; standing: readonly string[] },
): Promise<DroppedRelay[]> {
  const reopened = await tx.query<{ hash: string; blockHash: string; gasCost: string; reopenings: number }>({
    name: 'reopen relay nonces',
    text: `with dropped as materialized (
             select relayer, nonce, hash, block_hash, gas_cost, reopenings from svc.relay_nonces
              where network = $1 and state = 'MINED' and block_number > $2 and block_hash <> all($3)
              order by relayer, nonce for update),
           reopened as (
             update svc.relay_nonces as nonce
                set state = 'OPEN', hash = null, is_successful = null, revert_reason = null, block_number = null,
                    block_hash = null, gas_cost = null, settled_at = null, reopenings = nonce.reopenings + 1
               from dropped where nonce.network = $1 and nonce.relayer = dropped.relayer and nonce.nonce = dropped.nonce)
           select hash, block_hash as "blockHash", gas_cost::text as "gasCost", reopenings from dropped`,
    values: [network, above, standing],
  })
  return reopened.map(({ hash, blockHash, gasCost, reopenings }) => ({
    network,
    hash,
    block: { hash: blockHash },
    gasCost: BigInt(gasCost),
    reopenings,
  }))
}

/** A row of nonces that no open transaction of ours uses, from the first to before the last. */
export type Gap = { network: EvmNetwork; relayer: string; from: bigint; to: bigint }

/**
 * Asks the signer to fill a gap: nonces that a foreign transaction had used, until its block was dropped. Those that
 * end with one of our transactions stay as they are.
 */
export async function fillGap(
  tx: Tx,
  { network, relayer, from, to }: Gap,
  gas: GasPrice & { gasLimit: bigint },
): Promise<void> {
  await tx.query({
    name: 'fill gap of nonces',
    text: `with missing as (
             insert into svc.relay_nonces as known (network, relayer, nonce)
             select $1, $2, generate_series($3::bigint, $4::bigint - 1)
                 on conflict (network, relayer, nonce) do update
                set state = 'OPEN', settled_at = null, authorization_id = null where known.state = 'TAKEN'
             returning nonce)
           insert into svc.relay_transactions (network, relayer, nonce, version, gas_limit, max_fee, tip)
           select $1, $2, nonce, 1 + coalesce((
                    select max(earlier.version) from svc.relay_transactions as earlier
                     where earlier.network = $1 and earlier.relayer = $2 and earlier.nonce = missing.nonce), 0), $5, $6, $7
             from missing`,
    values: [network, relayer, from, to, gas.gasLimit, gas.maxFee, gas.tip],
  })
}

/** How far the nodes of a network can be believed: not while it is halted, and anew after each adopted chain. */
export type ChainTrust = { isHalted: boolean; adoptedAt: string | null }

const trustOf = 'select halted_at is not null as "isHalted", adopted_at::text as "adoptedAt" from svc.chain_scans'
const untouched: ChainTrust = { isHalted: false, adoptedAt: null }

export async function readTrust(database: Queryable, network: EvmNetwork): Promise<ChainTrust> {
  const [found] = await database.query<ChainTrust>({
    name: 'read trust in a chain',
    text: `${trustOf} where network = $1`,
    values: [network],
  })
  return found ?? untouched
}

/**
 * True while the network is not halted, and no chain was adopted since `before`; then none is adopted until the caller
 * commits. An answer from before may be about a block that is gone.
 */
export async function keepTrust(tx: Tx, network: EvmNetwork, before: ChainTrust): Promise<boolean> {
  const [found = untouched] = await tx.query<ChainTrust>({
    name: 'keep trust in a chain',
    text: `${trustOf} where network = $1 for share`,
    values: [network],
  })
  return !found.isHalted && found.adoptedAt === before.adoptedAt
}
