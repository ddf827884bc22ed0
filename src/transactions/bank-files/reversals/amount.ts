import { type FiatLabel, scaleOf } from '../../../catalog/currencies.ts'
import { formatAmount, parseAmount } from '../../../lib/money.ts'
import { badField, Refusal } from '../../../lib/refusal.ts'

/** The amounts of a debit, of the deposit that it may take back, and of the recalls of both, in smallest units. */
type Amounts = {
  currency: FiatLabel
  free: string
  left: string
  recalled: readonly (string | null)[]
  wanted: string | null
}

/**
 * Chooses how much of a deposit a debit takes: what its recall wants, or all that both have. A debit above a recall has
 * charges; one that is as high as the deposit may have taken all of it instead, so an operator tells which. So it is with
 * several recalls, unless the debit is as high as one of them or all, and with one that has what it wants.
 */
export function amountOf(fit: Amounts): bigint {
  const most = mostOf(fit)
  const wanted = fit.wanted === null ? most : BigInt(fit.wanted)
  const free = BigInt(fit.free)
  if (fit.recalled.length > 1) {
    const fits = [fit.wanted, ...fit.recalled].some((amount) => BigInt(amount ?? fit.left) === free)
    if (fits && free <= wanted && free <= most) return free
    throw inDoubt('Several recalls want the deposit, and the debit has the amount of none')
  }
  if (wanted === 0n) throw inDoubt('Earlier debits have taken what the recall wants')
  if (wanted >= most) return most
  if (free < BigInt(fit.left)) return wanted
  throw inDoubt(`The debit may have taken the recalled ${show(fit, wanted)} with charges, or ${show(fit, most)}`)
}

const inDoubt = (why: string) => new Refusal('CONFLICT', `${why}: tell it with --amount`)

function mostOf({ free, left }: Amounts): bigint {
  return BigInt(free) < BigInt(left) ? BigInt(free) : BigInt(left)
}

export function requireAmount(fit: Amounts, told: string): bigint {
  const parsed = parseAmount(told, scaleOf(fit.currency))
  const most = mostOf(fit)
  if (!parsed.ok || parsed.units <= 0n || parsed.units > most)
    throw badField('amount', `must be an amount up to ${show(fit, most)}`)
  return parsed.units
}

export const show = ({ currency }: Amounts, units: bigint) => `${formatAmount(units, scaleOf(currency))} ${currency}`
