import type { Network } from '../../catalog/currencies.ts'
import { kindOf } from '../../catalog/network-kinds.ts'
import type { Tx } from '../../db/database.ts'
import type { Cause } from './difference.ts'

export async function beginSnapshot(tx: Tx): Promise<void> {
  await tx.query({ text: 'set transaction isolation level repeatable read, read only' })
}

/** The final block of the scanner, up to which everything is recorded, and its newest block, which may not be final. */
export type ScannedBlocks = { final: { number: bigint; hash: string }; cursor: bigint }

/** Reads the blocks of the scanner; undefined before the first scan. */
export async function readScanned(tx: Tx, network: Network): Promise<ScannedBlocks | undefined> {
  const [scan] = await tx.query<{ number: string; hash: string; cursor: string }>({
    name: 'read scanned blocks to reconcile',
    text: `select final_number::text as number, final_hash as hash, block_number::text as cursor
             from svc.chain_scans where network = $1`,
    values: [network],
  })
  return scan && { final: { number: BigInt(scan.number), hash: scan.hash }, cursor: BigInt(scan.cursor) }
}

/** Tokens at an address, in smallest units. */
export type Held = { address: string; asset: string; amount: bigint }

/** Sums what arrived at each address of a customer and left it, by the records of deposits and confirmed payouts. */
export async function readHeld(tx: Tx, network: Network): Promise<Held[]> {
  const rows = await tx.query<{ address: string; asset: string; amount: string }>({
    name: 'read tokens held at addresses',
    text: `select address, asset, sum(amount)::text as amount
             from (select deposit.address, deposit.asset, deposit.amount - deposit.reversed_amount as amount
                     from svc.deposits as deposit
                    where deposit.method = $1 and deposit.status <> 'ASSIGNED' and deposit.address is not null
                    union all
                   select wallet.address, payout.asset, payout.amount
                     from svc.payouts as payout
                     join svc.wallets as wallet on wallet.organization_id = payout.organization_id
                      and wallet.payment_account_id = payout.payment_account_id and wallet.kind = $2
                    where payout.method = $1 and payout.status = 'CONFIRMED' and payout.attempts > 0
                    union all
                   select wallet.address, payout.asset, coalesce(payout.returned_amount, 0) - payout.amount
                     from svc.payouts as payout
                     join svc.wallets as wallet on wallet.organization_id = payout.organization_id
                      and wallet.payment_account_id = payout.from_wallet_id and wallet.kind = $2
                    where payout.method = $1 and payout.status in ('CONFIRMED', 'RETURNED') and payout.attempts > 0
                  ) as moved
            group by address, asset`,
    values: [network, kindOf(network)],
  })
  return rows.map(({ amount, ...key }) => ({ ...key, amount: BigInt(amount) }))
}

/** Tokens that arrived, and that the ledger does not have. The reference is a transaction; an address for all its dust. */
export type Uncredited = Held & Pick<Cause, 'cause' | 'reference'>

/**
 * Lists transfers to our addresses that no deposit has, up to a block, the newest first. Those to service addresses are
 * oddities, of which the network keeps the last ones only, also after an operator has recorded them.
 */
export async function readUncredited(
  tx: Tx,
  network: Network,
  { upTo, contracts }: { upTo: bigint; contracts: ReadonlyMap<string, string> },
): Promise<Uncredited[]> {
  const rows = await tx.query<Omit<Uncredited, 'amount'> & { amount: string }>({
    name: 'read uncredited tokens at addresses',
    text: `select address, asset, sum(amount)::text as amount, cause, reference
             from (select address, asset, amount, case when dust = 'WAITING' then 'dust' else 'not credited yet' end as cause,
                          case when dust = 'WAITING' then address else external_id end as reference, 0 as block_number
                     from svc.sightings
                    where method = $1 and state = 'FINAL' and not is_own and (dust = 'WAITING' or due_at is not null)
                    union all
                   select address, asset, amount, 'quarantined', external_id, 0 from svc.quarantined_sightings
                    where method = $1 and status = 'OPEN'
                    union all
                   select to_address, token.asset, value, 'received, and not recorded', transaction_hash, block_number
                     from svc.chain_oddities
                     join unnest($3::text[], $4::text[]) as token (contract, asset) using (contract)
                    where network = $1 and kind = 'SERVICE_ADDRESS' and block_number <= $2) as found
            where address is not null group by address, asset, cause, reference, block_number
            order by address, asset, cause, block_number desc, reference`,
    values: [network, upTo, [...contracts.keys()], [...contracts.values()]],
  })
  return rows.map(({ amount, ...key }) => ({ ...key, amount: BigInt(amount) }))
}

/** A transfer of ours that the books and the block may see differently. */
export type Moving = {
  payoutId: string
  asset: string
  contract: string
  from: string
  to: string
  amount: bigint
  nonce: string
  /** It is in the books, and in a block after the one that is compared; else the books do not have it yet. */
  isBooked: boolean
}

/** Lists signed transfers whose payouts have no outcome yet, and those that were confirmed in later blocks. */
export async function readMoving(tx: Tx, network: Network, after: bigint): Promise<Moving[]> {
  const rows = await tx.query<Omit<Moving, 'amount'> & { amount: string }>({
    name: 'read moving transfers',
    text: `select distinct on (payout.payout_id) payout.payout_id as "payoutId", request.asset, request.contract, request.from_address as "from",
                  request.to_address as "to", request.value::text as amount, request.nonce,
                  payout.status = 'CONFIRMED' as "isBooked"
             from svc.transfer_authorizations as request
             join svc.payouts as payout on payout.organization_id = request.payout_organization_id
              and payout.payout_id = request.payout_id and payout.method = $1
            where request.signature is not null and (payout.status in ('SENDING', 'SENT')
                  or payout.status = 'CONFIRMED' and exists (
                     select from svc.payout_attempts as attempt
                      where attempt.organization_id = payout.organization_id and attempt.payout_id = payout.payout_id
                        and attempt.outcome like 'CONFIRMED%'
                        and (attempt.details #>> '{block,number}')::bigint > $2))
            order by payout.payout_id, request.decided_at desc`,
    values: [network, after],
  })
  return rows.map(({ amount, ...moving }) => ({ ...moving, amount: BigInt(amount) }))
}

/** The coins of relayers: their addresses, what was booked for later blocks, and transactions that are not booked yet. */
export type Coins = { relayers: string[]; bookedLater: bigint; openHashes: string[] }

export async function readCoins(tx: Tx, network: Network, after: bigint): Promise<Coins> {
  const [coins] = await tx.query<{ relayers: string[]; bookedLater: string; openHashes: string[] }>({
    name: 'read coins of relayers',
    text: `select array(select address from svc.service_addresses where kind = $3 and role = 'RELAYER') as relayers,
                  (select coalesce(sum(gas_cost), 0)::text from svc.relay_nonces
                    where network = $1 and state = 'MINED' and block_number > $2) as "bookedLater",
                  array(select version.hash from svc.relay_nonces as nonce
                          join svc.relay_transactions as version using (network, relayer, nonce)
                         where nonce.network = $1 and nonce.state = 'OPEN' and version.hash is not null
                         union all
                        select signature from svc.solana_transfers
                         where $1 = 'SOLANA' and state = 'OPEN' and raw is not null) as "openHashes"`,
    values: [network, after, kindOf(network)],
  })
  return {
    relayers: coins?.relayers ?? [],
    bookedLater: BigInt(coins?.bookedLater ?? 0),
    openHashes: coins?.openHashes ?? [],
  }
}
