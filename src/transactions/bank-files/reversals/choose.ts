import { scaleOf } from '../../../catalog/currencies.ts'
import type { Tx } from '../../../db/database.ts'
import { formatAmount, parseAmount } from '../../../lib/money.ts'
import { badField, Refusal } from '../../../lib/refusal.ts'
import { type Fit, findFit, startReversing } from './reversal-store.ts'

/** The deposit that an operator has found for a debit, and how much of it the debit takes, if the operator tells it. */
export type WantedReversal = { depositId: string; amount?: string }

/**
 * Lets a debit that matches nothing take a deposit of its account back, and answers how much of it. Undefined when the two
 * do not fit.
 */
export async function chooseReversed(
  tx: Tx,
  bankEntryId: string,
  { depositId, amount: told }: WantedReversal,
): Promise<string | undefined> {
  const fit = await findFit(tx, bankEntryId, depositId)
  if (!fit) return undefined
  const amount = told === undefined ? amountOf(fit) : requireAmount(fit, told)
  await startReversing(tx, bankEntryId, fit, amount)
  return show(fit, amount)
}

type Amounts = Pick<Fit, 'currency' | 'free' | 'left' | 'recalled' | 'wanted'>

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

function requireAmount(fit: Amounts, told: string): bigint {
  const parsed = parseAmount(told, scaleOf(fit.currency))
  const most = mostOf(fit)
  if (!parsed.ok || parsed.units <= 0n || parsed.units > most)
    throw badField('amount', `must be an amount up to ${show(fit, most)}`)
  return parsed.units
}

const show = ({ currency }: Amounts, units: bigint) => `${formatAmount(units, scaleOf(currency))} ${currency}`
