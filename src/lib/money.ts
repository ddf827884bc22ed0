/**
 * Money is a bigint count of smallest units plus the currency's scale: 10.50 USD is 1050n at scale 2.
 * No JS number ever holds an amount or a rate, and whoever may lose a fraction names the rounding.
 */

/** Toward minus or plus infinity, so that down ≤ exact ≤ up holds for negative ledger entries too. */
export type Rounding = 'down' | 'up'

/** An exact positive decimal, units / 10^scale, without trailing zeros: equal rates have equal fields. */
export type Rate = { readonly units: bigint; readonly scale: number }

/** Completes a sentence that begins with the field's name; never repeats what the caller sent. */
export type BadDecimal = { ok: false; problem: string }
export type ParsedAmount = { ok: true; units: bigint } | BadDecimal
export type ParsedRate = { ok: true; rate: Rate } | BadDecimal

/** Amounts are stored as numeric(38,0). */
const storedDigits = 38
const rateWholeDigits = 20
const rateDecimals = 18
/** Room for 38 digits on each side of the point; checked first, so that no later step meets a huge string. */
const longestText = 80

// In JavaScript \d is ASCII only, and $ without the m flag does not step over a final line feed.
const decimalText = /^(0|[1-9]\d*)(?:\.(\d+))?$/

export function parseAmount(value: unknown, scale: number): ParsedAmount {
  const decimal = readDecimal(value)
  if (!decimal.ok) return decimal
  if (decimal.fraction.length > scale) return tooManyDecimals(scale)
  const units = BigInt(decimal.whole + decimal.fraction.padEnd(scale, '0'))
  if (units >= powerOfTen(storedDigits)) return tooManyWholeDigits(storedDigits - scale)
  return { ok: true, units }
}

/** Always the full scale: 1050n is "10.50" at scale 2. */
export function formatAmount(units: bigint, scale: number): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  if (scale === 0) return sign + digits
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** '100' and '100.00' mean the same. Text that is not an amount is the same as nothing, not even itself. */
export function sameAmount(a: unknown, b: unknown): boolean {
  const [left, right] = [readDecimal(a), readDecimal(b)]
  return left.ok && right.ok && left.whole === right.whole && left.fraction === right.fraction
}

export function parseRate(value: unknown): ParsedRate {
  const decimal = readDecimal(value)
  if (!decimal.ok) return decimal
  if (decimal.fraction.length > rateDecimals) return tooManyDecimals(rateDecimals)
  if (decimal.whole.length > rateWholeDigits) return tooManyWholeDigits(rateWholeDigits)
  const units = BigInt(decimal.whole + decimal.fraction)
  if (units === 0n) return { ok: false, problem: 'must be greater than zero' }
  return { ok: true, rate: rateOf(units, decimal.fraction.length) }
}

export function formatRate(rate: Rate): string {
  return formatAmount(rate.units, rate.scale)
}

/** Exact, so the product can have more decimals than parseRate reads: round it before it is stored or shown. */
export function multiplyRates(a: Rate, b: Rate): Rate {
  return rateOf(a.units * b.units, a.scale + b.scale)
}

export function roundRate(rate: Rate, scale: number, rounding: Rounding): Rate {
  return rateOf(divideRounded(rate.units * powerOfTen(scale), powerOfTen(rate.scale), rounding), scale)
}

export function divideRates(numerator: Rate, denominator: Rate, scale: number, rounding: Rounding): Rate {
  const units = divideRounded(
    numerator.units * powerOfTen(denominator.scale + scale),
    denominator.units * powerOfTen(numerator.scale),
    rounding,
  )
  return rateOf(units, scale)
}

export function invertRate(rate: Rate, scale: number, rounding: Rounding): Rate {
  return divideRates({ units: 1n, scale: 0 }, rate, scale, rounding)
}

/** The value of an amount in another currency, in that currency's smallest units. One rounding, at the very end. */
export function convert(units: bigint, fromScale: number, rate: Rate, toScale: number, rounding: Rounding): bigint {
  return divideRounded(units * rate.units * powerOfTen(toScale), powerOfTen(fromScale + rate.scale), rounding)
}

/** A basis point is a hundredth of a percent. */
export function basisPointsOf(units: bigint, basisPoints: bigint, rounding: Rounding): bigint {
  return divideRounded(units * basisPoints, 10_000n, rounding)
}

/** The only place where a fraction of a smallest unit is given up. */
export function divideRounded(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  if (denominator <= 0n) throw new RangeError('A denominator must be greater than zero')
  const towardZero = numerator / denominator
  const remainder = numerator % denominator
  if (rounding === 'up') return remainder > 0n ? towardZero + 1n : towardZero
  return remainder < 0n ? towardZero - 1n : towardZero
}

function rateOf(units: bigint, scale: number): Rate {
  // A rate of zero would turn money into nothing; it can only come from rounding to too few decimals.
  if (units <= 0n) throw new RangeError('A rate must be greater than zero')
  let trimmed = { units, scale }
  while (trimmed.scale > 0 && trimmed.units % 10n === 0n) {
    trimmed = { units: trimmed.units / 10n, scale: trimmed.scale - 1 }
  }
  return trimmed
}

/** The fraction comes without its trailing zeros: they are harmless, only significant decimals count. */
function readDecimal(value: unknown): { ok: true; whole: string; fraction: string } | BadDecimal {
  if (typeof value === 'string' && value.length > longestText) {
    return { ok: false, problem: `must be at most ${longestText} characters long` }
  }
  const match = typeof value === 'string' ? decimalText.exec(value) : null
  if (!match) return { ok: false, problem: 'must be a decimal string such as "10.50"' }
  return { ok: true, whole: match[1]!, fraction: (match[2] ?? '').replace(/0+$/, '') }
}

function tooManyDecimals(most: number): BadDecimal {
  return { ok: false, problem: most === 0 ? 'must be a whole number' : `must have at most ${most} decimals` }
}

function tooManyWholeDigits(most: number): BadDecimal {
  return { ok: false, problem: `must have at most ${most} digits before the decimal point` }
}

function powerOfTen(exponent: number): bigint {
  return 10n ** BigInt(exponent)
}
