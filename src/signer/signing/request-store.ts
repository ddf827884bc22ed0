import type { NetworkKind } from '../../catalog/network-kinds.ts'
import type { SealedObligation } from '../../lib/seals/content.ts'

/** A request for a signature on any network, with what the signer derives the transfer from. */
export type SigningRequest = SealedObligation & {
  treasuryAddress: string | null
  /** The wallet that pays, with its place in the pool; null when our treasury pays. */
  walletAddress: string | null
  seedId: string | null
  addressIndex: number | null
  seal: Buffer | null
  /** Why the obligation is not owed, is not being paid now, or may be paid already; null when nothing is wrong. */
  problem: string | null
}

/** The columns of the wallet that pays. */
export const walletColumns =
  'wallet.address as "walletAddress", pool.seed_id as "seedId", pool.address_index as "addressIndex"'

/** Joins the payout of a request, and the wallet that pays it. */
export const joinObligation = (kind: NetworkKind) => `
             join svc.payouts as payout on payout.organization_id = request.payout_organization_id
              and payout.payout_id = request.payout_id
             left join svc.wallets as wallet on wallet.organization_id = payout.organization_id
              and wallet.payment_account_id = payout.from_wallet_id and wallet.kind = '${kind}'
             left join svc.wallet_addresses as pool on pool.kind = wallet.kind and pool.address = wallet.address
              and pool.payment_account_id = wallet.payment_account_id`

/** The branches of a problem of every request: its attempt must be the one in progress, without an outcome. */
export const whenOver = `
                  when payout.status <> 'SENDING' or payout.attempts <> request.attempt
                  then 'its attempt is over'
                  when exists (
                    select from svc.payout_attempts as attempt
                     where attempt.organization_id = payout.organization_id
                       and attempt.payout_id = payout.payout_id
                       and attempt.outcome in ('WITHDRAWN', 'REFUSED', 'CONFIRMED'))
                  then 'it was withdrawn, refused or paid'`

const ownPurposes = `('COLLECT', 'SWEEP', 'REBALANCE')`

/** Holds for a refused payout of the same transaction or deposit, whose place the payout takes. */
export const isReplaced = (column: 'transaction_id' | 'deposit_id') => `
     sibling.${column} = payout.${column}
     and sibling.payout_id <> payout.payout_id and sibling.status = 'REFUSED'
     and (sibling.purpose in ${ownPurposes}) = (payout.purpose in ${ownPurposes})`
