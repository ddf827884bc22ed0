const digits = /^\d+$/

export function digitsOf(number: string): number[] {
  return Array.from(number, (digit) => Number.parseInt(digit, 10))
}

/** Sums each digit times its weight. A digit without a weight does not count. */
export function weightedSum(number: string, weights: readonly number[]): number {
  return digitsOf(number).reduce((sum, digit, at) => sum + digit * (weights[at] ?? 0), 0)
}

/** Computes the remainder of a number that may be too long for exact arithmetic on JS numbers. */
export function remainder(number: string, modulus: number): number {
  return digitsOf(number).reduce((rest, digit) => (rest * 10 + digit) % modulus, 0)
}

/** ISO/IEC 7812-1, annex B: every second digit from the right is doubled. */
export function passesLuhn(number: string): boolean {
  if (!digits.test(number)) return false
  const sum = digitsOf(number)
    .reverse()
    .reduce((total, digit, at) => total + (at % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0)), 0)
  return sum % 10 === 0
}

/** ISO/IEC 7064, MOD 11,10: the last digit closes the number. */
export function passesMod1110(number: string): boolean {
  if (!digits.test(number)) return false
  const all = digitsOf(number)
  const product = all.slice(0, -1).reduce((before, digit) => (((before + digit) % 10 || 10) * 2) % 11, 10)
  return (product + (all.at(-1) ?? 0)) % 10 === 1
}

/** ISO/IEC 7064, MOD 11-2: the check character X stands for ten. */
export function passesMod112(number: string): boolean {
  if (!/^\d+[\dX]$/.test(number)) return false
  const before = digitsOf(number.slice(0, -1)).reduce((rest, digit) => ((rest + digit) * 2) % 11, 0)
  return (before + (number.endsWith('X') ? 10 : Number.parseInt(number.slice(-1), 10))) % 11 === 1
}
