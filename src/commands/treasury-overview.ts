import { scaleOf } from '../catalog/currencies.ts'
import { platformOrganizationId } from '../lib/ids.ts'
import { formatAmount } from '../lib/money.ts'
import { type Movement, showMovement } from '../transactions/treasury/movement.ts'
import type { HoldingPosition, Overview, OwedPosition } from '../transactions/treasury/overview.ts'
import type { Proposal } from '../transactions/treasury/proposal.ts'

type Print = (line: string) => void

const holdingColumns = {
  held: 'Held',
  available: 'Available',
  developerFees: 'Developer fees',
  costs: 'Costs',
  reversed: 'Reversed',
  sent: 'Payouts sent',
  waiting: 'Payouts waiting',
} as const
const owedColumns = {
  wallets: 'Wallets',
  returnedFunds: 'Returned funds',
  suspense: 'Suspense',
  clearing: 'Clearing',
  developerFees: 'Developer fees',
  total: 'In sum',
} as const

/** Prints the overview as tables: one group for each organization, then the sums that banks and networks know. */
export function printOverview({ holdings, owed, proposals, isDualControl }: Overview, print: Print): void {
  const organizationIds = [...new Set([...holdings, ...owed].map(({ organizationId }) => organizationId))].sort()
  for (const id of organizationIds) {
    print(id === platformOrganizationId ? `Organization ${id} (the platform)` : `Organization ${id}`)
    const own = holdings.filter(({ organizationId }) => organizationId === id)
    const debts = owed.filter(({ organizationId }) => organizationId === id)
    printTable(print, [
      ['Holding', 'Asset', ...Object.values(holdingColumns)],
      ...own.map((position) => [position.holding, position.asset, ...amountsOf(position, holdingColumns)]),
    ])
    printTable(print, [
      ['Owed', 'Asset', ...Object.values(owedColumns)],
      ...debts.map((position) => ['', position.asset, ...amountsOf(position, owedColumns)]),
    ])
  }
  if (organizationIds.length === 0) print('The books are empty.')
  if (organizationIds.length > 1) {
    print('All organizations, as statements of banks and balances of addresses show it')
    const rows = sumHeld(holdings).map(({ holding, asset, held }) => [
      holding,
      asset,
      formatAmount(held, scaleOf(asset)),
    ])
    printTable(print, [['Holding', 'Asset', 'Held'], ...rows])
  }
  if (isDualControl) print('Movements of own money need two persons.')
  if (proposals.length > 0) print('Open proposals')
  for (const proposal of proposals) {
    const { proposalId, organizationId, proposedBy, expiresAt, reason } = proposal
    print(`  ${proposalId}  organization ${organizationId}  ${describeProposed(proposal)}`)
    print(`    proposed by ${proposedBy}, expires ${expiresAt.toISOString()}: ${reason}`)
  }
}

/** Writes the overview for scripts; amounts are decimal texts. */
export function writeOverview({ holdings, owed, proposals, isDualControl }: Overview) {
  return {
    isDualControl,
    holdings: holdings.map((position) => ({ ...position, ...textsOf(position, holdingColumns) })),
    owed: owed.map((position) => ({ ...position, ...textsOf(position, owedColumns) })),
    total: sumHeld(holdings).map(({ held, ...place }) => ({
      ...place,
      held: formatAmount(held, scaleOf(place.asset)),
    })),
    proposals: proposals.map(writeProposal),
  }
}

function writeProposal(proposal: Proposal) {
  const { proposalId, organizationId, act, proposedBy, proposedAt, expiresAt } = proposal
  return { proposalId, organizationId, act, ...showMovement(proposal), proposedBy, proposedAt, expiresAt }
}

export function describeProposed(movement: Movement): string {
  const { holding, asset, amount, toHolding, toAsset, received } = showMovement(movement)
  const end = toHolding === undefined ? '' : ` to ${toHolding}, where ${received} ${toAsset} arrive`
  return `${movement.act} ${amount} ${asset} at ${holding}${end}`
}

function sumHeld(holdings: readonly HoldingPosition[]): Pick<HoldingPosition, 'holding' | 'asset' | 'held'>[] {
  const groups = Map.groupBy(holdings, ({ holding, asset }) => `${holding} ${asset}`)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first
      ? [{ holding: first.holding, asset: first.asset, held: group.reduce((sum, { held }) => sum + held, 0n) }]
      : []
  })
}

type Amounts<Columns> = Pick<HoldingPosition | OwedPosition, 'asset'> & Record<keyof Columns, bigint>

function textsOf<Columns extends object>(position: Amounts<Columns>, columns: Columns): Record<keyof Columns, string> {
  const names = Object.keys(columns) as (keyof Columns)[]
  const texts = names.map((name) => [name, formatAmount(position[name], scaleOf(position.asset))])
  return Object.fromEntries(texts) as Record<keyof Columns, string>
}

function amountsOf<Columns extends object>(position: Amounts<Columns>, columns: Columns): string[] {
  return Object.values(textsOf(position, columns))
}

/** Prints rows under their headings: the first two columns to the left, amounts to the right. */
function printTable(print: Print, rows: readonly (readonly string[])[]): void {
  if (rows.length < 2) return
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    print(`  ${cells.join('  ')}`.trimEnd())
  }
}
