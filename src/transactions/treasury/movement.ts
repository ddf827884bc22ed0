import { type Asset, assets, isFiat, labelOf, networks, scaleOf } from '../../catalog/currencies.ts'
import { nativeAssetOf } from '../../catalog/native-coins.ts'
import * as postings from '../../ledger/postings.ts'
import { platformOrganizationId } from '../../lib/ids.ts'
import { formatAmount, parseAmount } from '../../lib/money.ts'
import { UsageError } from '../../lib/settings.ts'
import type { BankAccount } from './bank-account.ts'

export type TreasuryAct = 'FUND' | 'WITHDRAW' | 'SEND' | 'REBALANCE' | 'FEE' | 'FEE_REFUND'

/** A movement of own money as the operator writes it. It is booked for one organization, whose payouts it serves. */
export type WrittenMovement = { organizationId: string; holding: string; asset: string; amount: string; reason: string }
export type WrittenRebalance = Omit<WrittenMovement, 'holding'> & {
  from: string
  to: string
  /** The same currency on another network; the same asset by default. */
  toAsset?: string | undefined
  /** The amount that arrived; all of it by default. */
  received?: string | undefined
}

export type Movement = {
  act: TreasuryAct
  organizationId: string
  holding: string
  asset: Asset
  amount: bigint
  /** The end of a rebalance; null for all others. */
  to: { holding: string; asset: Asset; received: bigint } | null
  reason: string
}

/** The names of the acts in the audit log. */
export const actions = {
  FUND: 'treasury.funded',
  WITHDRAW: 'treasury.withdrawn',
  SEND: 'treasury.sent',
  REBALANCE: 'treasury.rebalanced',
  FEE: 'treasury.fee_charged',
  FEE_REFUND: 'treasury.fee_refunded',
} as const satisfies Record<TreasuryAct, string>

type Accounts = readonly BankAccount[]

/** Reads a movement. Throws an error that names the option to change. */
export function readMovement(
  act: Exclude<TreasuryAct, 'REBALANCE'>,
  { organizationId, reason, ...written }: WrittenMovement,
  accounts: Accounts,
): Movement {
  const asset = isCoin(written.asset)
    ? readCoin(act, written.asset, organizationId)
    : readAsset('--asset', written.asset)
  if (act === 'SEND' && isFiat(asset)) throw new UsageError(`--asset must be a token: order the bank to pay ${asset}.`)
  const holding = readHolding('--holding', written.holding, asset, accounts)
  const amount = readAmount('--amount', written.amount, asset)
  return { act, organizationId, holding, asset, amount, to: null, reason }
}

export function readRebalance({ organizationId, reason, ...written }: WrittenRebalance, accounts: Accounts): Movement {
  const asset = readAsset('--asset', written.asset)
  const toAsset = written.toAsset === undefined ? asset : readAsset('--to-asset', written.toAsset)
  if (labelOf(asset) !== labelOf(toAsset) || scaleOf(asset) !== scaleOf(toAsset)) {
    const instead = 'Record an exchange with "svc treasury withdraw" and "svc treasury fund".'
    throw new UsageError(`--to-asset must be ${labelOf(asset)} on another network, not ${toAsset}. ${instead}`)
  }
  const holding = readHolding('--from', written.from, asset, accounts)
  const toHolding = readHolding('--to', written.to, toAsset, accounts)
  if (holding === toHolding && asset === toAsset) {
    const change = isFiat(asset) ? '--to must be another account' : '--to-asset must be an asset of another network'
    throw new UsageError(`${change}: ${asset} is at ${holding} already.`)
  }
  const amount = readAmount('--amount', written.amount, asset)
  const received = written.received === undefined ? amount : readAmount('--received', written.received, toAsset)
  if (received > amount) throw new UsageError('--received must not be above --amount: more arrives than has left.')
  const to = { holding: toHolding, asset: toAsset, received }
  return { act: 'REBALANCE', organizationId, holding, asset, amount, to, reason }
}

const coins: readonly string[] = networks.map(nativeAssetOf)

/** True for the coin with which a network is paid for gas, such as ETH/BASE. */
const isCoin = (asset: string): boolean => coins.includes(asset)

/** Reads a coin for relayers, which serve every organization. Svc books what they spend by itself. */
function readCoin(act: TreasuryAct, coin: string, organizationId: string): Asset {
  if (act !== 'FUND' && act !== 'WITHDRAW')
    throw new UsageError(`--asset: ${coin} can be put in and taken out; Svc books what relayers pay for gas by itself.`)
  if (organizationId !== platformOrganizationId)
    throw new UsageError(`--organization must be ${platformOrganizationId}: relayers serve every organization.`)
  return coin as Asset
}

function readAsset(option: string, text: string): Asset {
  const asset = assets.find((each) => each === text)
  if (!asset) throw new UsageError(`${option} must be one of ${assets.join(', ')}.`)
  return asset
}

function readAmount(option: string, text: string, asset: Asset): bigint {
  const parsed = parseAmount(text, scaleOf(asset))
  if (!parsed.ok) throw new UsageError(`${option} ${parsed.problem}.`)
  if (parsed.units === 0n) throw new UsageError(`${option} must be above zero.`)
  return parsed.units
}

function readHolding(option: string, holding: string, asset: Asset, accounts: Accounts): string {
  const ofAsset = accounts.filter(({ currency }) => currency === asset).map(({ bankAccountId }) => bankAccountId)
  const holdings = isFiat(asset) ? ofAsset : ['TREASURY']
  if (holdings.length === 0) {
    throw new UsageError(`${option}: no bank account holds ${asset}. Open one with "svc treasury open".`)
  }
  if (holdings.includes(holding)) return holding
  throw new UsageError(`${option}: ${asset} is held at ${holdings.join(', ')}, not at ${holding}.`)
}

/** The posting of a movement that has happened. */
export function postingOf({ act, holding: at, asset, amount, to }: Movement): postings.PostingContent {
  const sum = { at, asset, amount }
  if (to) return postings.rebalance(sum, { at: to.holding, asset: to.asset, amount: to.received })
  if (act === 'FUND') return postings.fund(sum)
  if (act === 'WITHDRAW') return postings.withdraw(sum)
  return act === 'FEE' ? postings.networkCost(sum) : postings.refundNetworkCost(sum)
}

/** A movement as the audit log and the operator's lists show it. */
export function showMovement({ holding, asset, amount, to, reason }: Movement) {
  return {
    holding,
    asset,
    amount: formatAmount(amount, scaleOf(asset)),
    ...(to ? { toHolding: to.holding, toAsset: to.asset, received: formatAmount(to.received, scaleOf(to.asset)) } : {}),
    reason,
  }
}
