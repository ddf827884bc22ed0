import { assets, labelOf, scaleOf } from '../../catalog/currencies.ts'
import { parseAmount } from '../../lib/money.ts'
import { badField } from '../../lib/refusal.ts'
import {
  type AmountRange,
  type MoneyFilter,
  requireLeadingFilter,
  requireTimeRanges,
} from '../../lib/resources/filters.ts'

const narrowing = ['rail', 'currency', 'amountFrom', 'amountTo']

/**
 * Checks the filters of a list of money, and reads its amounts. The rail and the amount alone would read the whole list,
 * so they need one that an index leads to: an id or a time range. `leading`: those of this list, which a refusal names.
 */
export function readMoneyFilter(filter: MoneyFilter, leading: readonly (keyof MoneyFilter)[]): AmountRange | undefined {
  requireTimeRanges(filter)
  const amounts = readAmountRange(filter)
  requireLeadingFilter(filter, narrowing, leading)
  return amounts
}

/** Reads the amount filter; undefined without one. An amount means something only in its currency. */
function readAmountRange({ currency, amountFrom, amountTo }: MoneyFilter): AmountRange | undefined {
  if (currency === undefined) {
    if (amountFrom === undefined && amountTo === undefined) return undefined
    throw badField('currency', `is required with ${amountFrom === undefined ? 'amountTo' : 'amountFrom'}`)
  }
  const found = assets.filter((asset) => labelOf(asset) === currency)
  if (found.length === 0) throw badField('currency', 'must be a currency that Svc knows, such as USD')
  const range = found.map((asset) => ({
    asset,
    from: amountFrom === undefined ? 0n : unitsOf('amountFrom', amountFrom, scaleOf(asset)),
    to: amountTo === undefined ? null : unitsOf('amountTo', amountTo, scaleOf(asset)),
  }))
  if (range.some(({ from, to }) => to !== null && to < from)) throw badField('amountTo', 'must not be below amountFrom')
  return {
    assets: range.map(({ asset }) => asset),
    from: range.map(({ from }) => String(from)),
    to: range.map(({ to }) => (to === null ? null : String(to))),
  }
}

function unitsOf(field: string, text: string, scale: number): bigint {
  const parsed = parseAmount(text, scale)
  if (!parsed.ok) throw badField(field, parsed.problem)
  return parsed.units
}
