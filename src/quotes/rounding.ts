import { divideRounded } from '../lib/money.ts'
import type { RoundingStep } from './quote.ts'

/** An exact fraction, before rounding: of smallest units, or a rate. */
export type Fraction = { numerator: bigint; denominator: bigint }

/** Rounds, and records a step if a fraction was dropped. */
export function round(
  steps: RoundingStep[],
  step: RoundingStep['step'],
  exact: Fraction,
  rounding: 'up' | 'down',
): bigint {
  const { numerator, denominator } = exact
  const result = divideRounded(numerator, denominator, rounding)
  if (numerator % denominator !== 0n) {
    steps.push({
      step,
      numerator: String(numerator),
      denominator: String(denominator),
      rounding,
      result: String(result),
    })
  }
  return result
}
