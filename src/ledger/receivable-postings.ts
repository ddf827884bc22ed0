import type { AccountName, Asset } from './account.ts'
import {
  type AssetAmount,
  contentOf,
  type Holding,
  holdingAccount,
  move,
  organizationAccount,
  type PostingContent,
  returnedFundsOf,
  walletOf,
} from './postings.ts'

/** Maps the facts about reversed deposits to their entries. */

/**
 * Posts a deposit that a bank or chain took back. The part that was still in suspense is covered; the customer owes the
 * rest.
 */
export function reverseDeposit({
  asset,
  covered,
  owed,
  customerId,
  at,
}: {
  asset: Asset
  covered: bigint
  owed: bigint
  customerId: string | null
  at: Holding
}): PostingContent {
  if (owed > 0n && customerId === null) throw new RangeError('no customer owes this reversal')
  const holding = holdingAccount(at, asset)
  return contentOf('DEPOSIT_REVERSAL', [
    ...(covered > 0n ? move({ asset, amount: covered }, organizationAccount('SUSPENSE', asset), holding) : []),
    ...(owed > 0n ? move({ asset, amount: owed }, receivablesOf(customerId ?? '', asset), holding) : []),
  ])
}

export type RecoverySource = { wallet: string } | { holding: Holding } | 'RETURNED_FUNDS'

/** Posts money with which a customer repays a reversed deposit: kept for the customer, or newly arrived. */
export function recoverReceivable({
  customerId,
  from,
  ...sum
}: AssetAmount & { customerId: string; from: RecoverySource }): PostingContent {
  return contentOf('RECOVERY', move(sum, sourceOf(from, customerId, sum.asset), receivablesOf(customerId, sum.asset)))
}

function sourceOf(from: RecoverySource, customerId: string, asset: Asset): AccountName {
  if (from === 'RETURNED_FUNDS') return returnedFundsOf(customerId, asset)
  return 'wallet' in from ? walletOf(from.wallet, asset) : holdingAccount(from.holding, asset)
}

/** Posts money in suspense with which a deposit pays its own reversal. */
export function coverReceivable({ customerId, ...sum }: AssetAmount & { customerId: string }): PostingContent {
  const suspense = organizationAccount('SUSPENSE', sum.asset)
  return contentOf('RECOVERY', move(sum, suspense, receivablesOf(customerId, sum.asset)))
}

export function writeOffReceivable({ customerId, ...sum }: AssetAmount & { customerId: string }): PostingContent {
  const losses = organizationAccount('LOSSES', sum.asset)
  return contentOf('WRITE_OFF', move(sum, losses, receivablesOf(customerId, sum.asset)))
}

function receivablesOf(customerId: string, asset: Asset): AccountName {
  return { kind: 'RECEIVABLES', holder: customerId, asset }
}
