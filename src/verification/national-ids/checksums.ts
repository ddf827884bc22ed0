const digits = /^\d+$/

export function digitsOf(number: string): number[] {
  return Array.from(number, (digit) => Number.parseInt(digit, 10))
}

/** Each digit times its weight, added up. A digit without a weight does not count. */
export function weightedSum(number: string, weights: readonly number[]): number {
  return digitsOf(number).reduce((sum, digit, at) => sum + digit * (weights[at] ?? 0), 0)
}

/** The remainder of a number that may be too long for exact arithmetic on JS numbers. */
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

// J. Verhoeff, Error Detecting Decimal Codes (1969): the dihedral group of ten elements, and one permutation of digits.
const permutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]

/** 0 to 4 are turns of a pentagon, 5 to 9 the same turns after a reflection. */
function multiply(left: number, right: number): number {
  const turns = ((left < 5 ? left + right : left - right) + 10) % 5
  return left < 5 === right < 5 ? turns : turns + 5
}

export function passesVerhoeff(number: string): boolean {
  if (!digits.test(number)) return false
  const check = digitsOf(number)
    .reverse()
    .reduce((before, digit, at) => {
      let permuted = digit
      for (let times = 0; times < at % 8; times++) permuted = permutation[permuted] ?? 0
      return multiply(before, permuted)
    }, 0)
  return check === 0
}
