import { type Asset, isAsset } from '../../catalog/currencies.ts'
import type { Database } from '../../db/database.ts'
import type { LedgerService } from '../../ledger/service.ts'
import * as store from './overview-store.ts'
import type { Proposal } from './proposal.ts'
import { hasDualControl, listProposals } from './proposal-store.ts'

/** The money of an organization at one holding, in smallest units. */
export type HoldingPosition = store.HoldingKey & {
  /** The balance in the ledger. */
  held: bigint
  /** Own money that payouts may use, less costs and reversed deposits. Below zero, own money is missing. */
  available: bigint
  developerFees: bigint
  /** Charges of the bank or network so far, less refunds. */
  costs: bigint
  /** Reversed deposits that customers owe or that were written off. */
  reversed: bigint
  /** Payouts that the rail may have: the bank may have booked what the ledger still holds. */
  sent: bigint
  waiting: bigint
}

/** The debts of an organization's books in one asset. */
export type OwedPosition = { organizationId: string; asset: Asset } & Record<OwedKind, bigint>
type OwedKind = (typeof owedKinds)[keyof typeof owedKinds] | 'total'

const owedKinds = {
  WALLET: 'wallets',
  RETURNED_FUNDS: 'returnedFunds',
  SUSPENSE: 'suspense',
  CLEARING: 'clearing',
  DEVELOPER_FEES: 'developerFees',
} as const

export type Overview = {
  holdings: HoldingPosition[]
  owed: OwedPosition[]
  proposals: Proposal[]
  /** Movements of own money need two persons. */
  isDualControl: boolean
}

/** Reads what we hold, owe and may use, at one moment; for all organizations without an id. */
export async function readOverview(
  { database, ledger }: { database: Database; ledger: LedgerService },
  organizationId: string | undefined,
): Promise<Overview> {
  return database.inTx(async (tx) => {
    await store.readOneMoment(tx)
    const totals = (await ledger.totals(tx, organizationId)).flatMap(({ asset, ...total }) =>
      isAsset(asset) ? [{ ...total, asset }] : [],
    )
    const liquidity = await store.listLiquidity(tx, organizationId)
    const payouts = await store.sumOpenPayouts(tx, organizationId)
    return {
      holdings: joinHoldings(totals, liquidity, payouts),
      owed: sumOwed(totals),
      proposals: await listProposals(tx, organizationId),
      isDualControl: await hasDualControl(tx),
    }
  })
}

/** The kinds of accounts with tokens, and where these are. Uncollected fees are at the customers' addresses as well. */
const holdingKinds = new Map([
  ['TREASURY', 'TREASURY'],
  ['CUSTODY', 'CUSTODY'],
  ['UNCOLLECTED_FEES', 'CUSTODY'],
  ['UNCOLLECTED_DEVELOPER_FEES', 'CUSTODY'],
])

type Total = { organizationId: string; kind: string; holder: string; asset: Asset; posted: bigint }

function joinHoldings(
  totals: readonly Total[],
  liquidity: readonly store.HeldLiquidity[],
  payouts: readonly store.OpenPayouts[],
): HoldingPosition[] {
  const positions = new Map<string, HoldingPosition>()
  const at = ({ organizationId, holding, asset }: store.HoldingKey): HoldingPosition => {
    const key = [organizationId, holding, asset].join(' ')
    const none = { held: 0n, available: 0n, developerFees: 0n, costs: 0n, reversed: 0n, sent: 0n, waiting: 0n }
    const position = positions.get(key) ?? { organizationId, holding, asset, ...none }
    positions.set(key, position)
    return position
  }
  for (const { organizationId, kind, holder, asset, posted } of totals) {
    const holding = kind === 'BANK' ? holder : holdingKinds.get(kind)
    // Money that we hold is a debit, which is negative.
    if (holding !== undefined) at({ organizationId, holding, asset }).held -= posted
  }
  for (const { available, developerFees, costs, reversed, ...key } of liquidity)
    Object.assign(at(key), { available, developerFees, costs, reversed })
  for (const { sent, waiting, ...key } of payouts) Object.assign(at(key), { sent, waiting })
  return [...positions].sort(byKey).map(([, position]) => position)
}

function sumOwed(totals: readonly Total[]): OwedPosition[] {
  const positions = new Map<string, OwedPosition>()
  for (const { organizationId, kind, asset, posted } of totals) {
    if (!Object.hasOwn(owedKinds, kind)) continue
    const key = [organizationId, asset].join(' ')
    const none = { wallets: 0n, returnedFunds: 0n, suspense: 0n, clearing: 0n, developerFees: 0n, total: 0n }
    const position = positions.get(key) ?? { organizationId, asset, ...none }
    position[owedKinds[kind as keyof typeof owedKinds]] += posted
    position.total += posted
    positions.set(key, position)
  }
  return [...positions].sort(byKey).map(([, position]) => position)
}

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)
