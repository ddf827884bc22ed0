/**
 * Money is a bigint count of smallest units plus the currency's scale: 10.50 USD is 1050n at scale 2.
 * No JS number ever holds an amount or a rate, and every function that can lose a fraction takes the rounding.
 */

/** Rounds toward minus or plus infinity, so that down ≤ exact ≤ up holds for negative ledger entries too. */
export type Rounding = 'down' | 'up'

/** An exact positive decimal, units / 10^scale, without trailing zeros: equal rates have equal fields. */
export type Rate = { readonly units: bigint; readonly scale: number }

/** A problem, worded to follow the field's name. It never repeats the caller's value. */
export type BadDecimal = { ok: false; problem: string }
export type ParsedAmount = { ok: true; units: bigint } | BadDecimal
export type ParsedRate = { ok: true; rate: Rate } | BadDecimal

/** Amounts are stored as numeric(38,0). */
const storedDigits = 38
const rateWholeDigits = 20
const rateDecimals = 18
/** Room for 38 digits on each side of the point. Checked first, so that no later step gets a huge string. */
const maxTextLength = 80

// In JavaScript \d is ASCII only, and $ without the m flag does not match before a final line feed.
const decimalText = /^(0|[1-9]\d*)(?:\.(\d+))?$/

export function parseAmount(value: unknown, scale: number): ParsedAmount {
  const decimal = readDecimal(value)
  if (!decimal.ok) return decimal
  if (decimal.fraction.length > scale) return tooManyDecimals(scale)
  const units = BigInt(decimal.whole + decimal.fraction.padEnd(scale, '0'))
  if (units >= powerOfTen(storedDigits)) return tooManyWholeDigits(storedDigits - scale)
  return { ok: true, units }
}

/** Writes all decimals of the scale: 1050n is "10.50" at scale 2. */
export function formatAmount(units: bigint, scale: number): string {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  if (scale === 0) return sign + digits
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** Compares amounts by value: '100' equals '100.00'. A text that is not an amount equals no text, not even itself. */
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

/**
 * Multiplies exactly. The product can have more decimals than parseRate accepts: round it before storing or showing it.
 */
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

/** Converts an amount to the smallest units of another currency, with one rounding at the end. */
export function convert(units: bigint, fromScale: number, rate: Rate, toScale: number, rounding: Rounding): bigint {
  return divideRounded(units * rate.units * powerOfTen(toScale), powerOfTen(fromScale + rate.scale), rounding)
}

/** Computes a share in basis points, hundredths of a percent. */
export function basisPointsOf(units: bigint, basisPoints: bigint, rounding: Rounding): bigint {
  return divideRounded(units * basisPoints, 10_000n, rounding)
}

/** Divides with the named rounding: the only function that drops a fraction of a smallest unit. */
export function divideRounded(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  if (denominator <= 0n) throw new RangeError('A denominator must be greater than zero')
  const towardZero = numerator / denominator
  const remainder = numerator % denominator
  if (rounding === 'up') return remainder > 0n ? towardZero + 1n : towardZero
  return remainder < 0n ? towardZero - 1n : towardZero
}

function rateOf(units: bigint, scale: number): Rate {
  // A rate of zero would erase money; it can only result from rounding to too few decimals.
  if (units <= 0n) throw new RangeError('A rate must be greater than zero')
  let trimmed = { units, scale }
  while (trimmed.scale > 0 && trimmed.units % 10n === 0n) {
    trimmed = { units: trimmed.units / 10n, scale: trimmed.scale - 1 }
  }
  return trimmed
}

/** Reads a decimal and drops trailing zeros of the fraction: only significant decimals count. */
function readDecimal(value: unknown): { ok: true; whole: string; fraction: string } | BadDecimal {
  if (typeof value === 'string' && value.length > maxTextLength) {
    return { ok: false, problem: `must be at most ${maxTextLength} characters long` }
  }
  const match = typeof value === 'string' ? decimalText.exec(value) : null
  if (!match) return { ok: false, problem: 'must be a decimal string such as "10.50"' }
  return { ok: true, whole: match[1]!, fraction: (match[2] ?? '').replace(/0+$/, '') }
}

function tooManyDecimals(limit: number): BadDecimal {
  return { ok: false, problem: limit === 0 ? 'must be a whole number' : `must have at most ${limit} decimals` }
}

function tooManyWholeDigits(limit: number): BadDecimal {
  return { ok: false, problem: `must have at most ${limit} digits before the decimal point` }
}

/** The powers that amounts and rates use; computing them anew takes a good part of the time of a price. */
const powersOfTen = Array.from({ length: 81 }, (_, exponent) => 10n ** BigInt(exponent))

export function powerOfTen(exponent: number): bigint {
  return powersOfTen[exponent] ?? 10n ** BigInt(exponent)
}
