import { type Asset, type Currency, scaleOf } from '../../catalog/currencies.ts'
import { formatAmount } from '../../lib/money.ts'

export type TimelineEntry = { at: string; kind: string; details: Record<string, unknown> }

/** Money in the stored details of a step. `presentDetails` shows it as `amount` and `currency`. */
export function stepMoney(amount: bigint | string, asset: Asset): { units: string; asset: Asset } {
  return { units: String(amount), asset }
}

/** Presents the details of a step: money as a decimal with its currency, as everywhere in the interface. */
export function presentDetails(
  { units, asset, costs, ...details }: Record<string, unknown>,
  currencyOf: (asset: Asset) => Currency,
): Record<string, unknown> {
  const show = (amount: unknown, of: unknown) => presentMoney(String(amount), of as Asset, currencyOf)
  return {
    ...details,
    ...(typeof units === 'string' ? show(units, asset) : {}),
    // The charges of a rail beside the amount.
    ...(Array.isArray(costs) ? { costs: costs.map((cost) => show(cost.amount, cost.asset)) } : {}),
  }
}

function presentMoney(units: string, asset: Asset, currencyOf: (asset: Asset) => Currency) {
  return { amount: formatAmount(BigInt(units), scaleOf(asset)), currency: currencyOf(asset) }
}

/** The order of an entry among those of the same business time. */
export type WriteOrder = { id: string } | { before: Date } | { after: Date } | 'last'

/**
 * Sorts entries by business time, which is shown and never goes back. A database transaction, or a stopped sandbox
 * clock, gives many entries the same business time; then the real time at which each was written decides.
 */
export function sortEntries(entries: readonly (TimelineEntry & { written: WriteOrder })[]): TimelineEntry[] {
  return entries
    .map(({ written, ...entry }) => ({ entry, place: [entry.at, orderKeyOf(written)] as const }))
    .sort((a, b) => compare(a.place[0], b.place[0]) || compare(a.place[1], b.place[1]))
    .map(({ entry }) => entry)
}

/**
 * Formats real time in hexadecimal milliseconds, as a UUIDv7 starts. A rail's answer sorts before its effects, a status
 * after them.
 */
function orderKeyOf(written: WriteOrder): string {
  if (written === 'last') return 'z'
  if ('id' in written) return written.id.replaceAll('-', '')
  if ('before' in written) return millisecondsOf(written.before)
  return `${millisecondsOf(written.after)}z`
}

function millisecondsOf(moment: Date): string {
  return moment.getTime().toString(16).padStart(12, '0')
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
