import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../test/support/runner/form.ts'
import {
  basisPointsOf,
  convert,
  divideRounded,
  formatAmount,
  formatRate,
  invertRate,
  multiplyRates,
  parseAmount,
  parseRate,
  type Rate,
  type Rounding,
  roundRate,
  sameAmount,
} from './money.ts'

const notDecimal = 'must be a decimal string such as "10.50"'

// biome-ignore format: a table is read by column
test.each([
  // text                   scale   units
  ['0',                     2,      0n],
  ['0.00',                  2,      0n],
  ['10',                    2,      1000n],
  ['10.5',                  2,      1050n],
  ['10.50',                 2,      1050n],
  ['1.500000000000',        2,      150n],
  ['5.000',                 0,      5n],
  ['0.000001',              6,      1n],
  ['9'.repeat(36),          2,      BigInt(`${'9'.repeat(36)}00`)],
  [`0.${'0'.repeat(37)}1`,  38,     1n],
])('%s at scale %d is %d smallest units', (text, scale, units) => {
  expect(parseAmount(text, scale)).toEqual({ ok: true, units })
})

// biome-ignore format: a table is read by column
test.each([
  '', '.', '.5', '5.', '1.0.0', '00', '01.00', '+1', '-1', '-0', '1e2', '1E+2', '0x10', '1_000', '1,000.00', '10n',
  '1 ', '\t1', '1\n', '1\u0000', '\u00a01', '١٢٣', '１２３', '१२', '1.٥', '1²', 'NaN', 'Infinity',
])('%j is not a decimal string', (text) => {
  expect(parseAmount(text, 2)).toEqual({ ok: false, problem: notDecimal })
})

// biome-ignore format: a table is read by column
test.each([
  // text                   scale   problem
  ['1.001',                 2,      'must have at most 2 decimals'],
  ['1.0010',                2,      'must have at most 2 decimals'],
  ['1.5',                   0,      'must be a whole number'],
  [`1${'0'.repeat(60)}`,    6,      'must have at most 32 digits before the decimal point'],
  [`1${'0'.repeat(36)}`,    2,      'must have at most 36 digits before the decimal point'],
  [`1.${'0'.repeat(79)}`,   2,      'must be at most 80 characters long'],
])('%s at scale %d is refused', (text, scale, problem) => {
  expect(parseAmount(text, scale)).toEqual({ ok: false, problem })
})

test('a value that is not a string is refused, and so is a megabyte of digits', () => {
  for (const value of [10, 10n, null, undefined, true, ['10'], { amount: '10' }, Object('10')]) {
    expect(parseAmount(value, 2)).toEqual({ ok: false, problem: notDecimal })
  }
  expect(parseAmount('9'.repeat(1_000_000), 2)).toEqual({ ok: false, problem: 'must be at most 80 characters long' })
})

// biome-ignore format: a table is read by column
test.each([
  // units    scale   text
  [1050n,     2,      '10.50'],
  [10n,       0,      '10'],
  [0n,        2,      '0.00'],
  [5n,        6,      '0.000005'],
  [-5n,       2,      '-0.05'],
  [-1050n,    2,      '-10.50'],
  [-7n,       0,      '-7'],
])('%d smallest units at scale %d read %s', (units, scale, text) => {
  expect(formatAmount(units, scale)).toBe(text)
})

// biome-ignore format: a table is read by column
test.each([
  // a         b           same
  ['100',      '100.00',   true],
  ['0',        '0.000',    true],
  ['1.10',     '1.1',      true],
  ['1.1',      '1.01',     false],
  ['10',       '1',        false],
  ['100',      '1e2',      false],
  ['abc',      'abc',      false],
])('%s and %s mean the same: %s', (a, b, same) => {
  expect(sameAmount(a, b)).toBe(same)
})

// biome-ignore format: a table is read by column
test.each([
  // amount   rate              rounding   receives
  ['100.00',  '0.9985',         'down',    '99.850000'],
  ['0.01',    '0.3333333',      'down',    '0.003333'],
  ['0.01',    '0.3333333',      'up',      '0.003334'],
  ['0.00',    '0.3333333',      'up',      '0.000000'],
  ['1.00',    '0.000000999999', 'down',    '0.000000'],
  ['1.00',    '0.000000999999', 'up',      '0.000001'],
] as const)('%s USD at %s rounded %s is %s USDC', (amount, rate, rounding, receives) => {
  expect(formatAmount(convert(unitsOf(amount, 2), 2, rateOf(rate), 6, rounding), 6)).toBe(receives)
})

// biome-ignore format: a table is read by column
test.each([
  // numerator  denominator  down   up
  [7n,          2n,          3n,    4n],
  [-7n,         2n,          -4n,   -3n],
  [6n,          2n,          3n,    3n],
  [-6n,         2n,          -3n,   -3n],
  [0n,          2n,          0n,    0n],
])('%d / %d is between %d and %d', (numerator, denominator, down, up) => {
  expect(divideRounded(numerator, denominator, 'down')).toBe(down)
  expect(divideRounded(numerator, denominator, 'up')).toBe(up)
})

// biome-ignore format: a table is read by column
test.each([
  // amount   basis points  rounding   fee
  ['100.00',  50n,          'up',      '0.50'],
  ['0.01',    50n,          'up',      '0.01'],
  ['0.01',    50n,          'down',    '0.00'],
  ['33.33',   25n,          'up',      '0.09'],
  ['10.00',   0n,           'up',      '0.00'],
] as const)('%s at %d basis points rounded %s is a fee of %s', (amount, basisPoints, rounding, fee) => {
  expect(formatAmount(basisPointsOf(unitsOf(amount, 2), basisPoints, rounding), 2)).toBe(fee)
})

// biome-ignore format: a table is read by column
test.each([
  ['0',                     'must be greater than zero'],
  ['0.000',                 'must be greater than zero'],
  ['-1',                    notDecimal],
  ['1e-3',                  notDecimal],
  [`0.${'0'.repeat(18)}1`,  'must have at most 18 decimals'],
  [`1${'0'.repeat(20)}`,    'must have at most 20 digits before the decimal point'],
])('the rate %s is refused', (text, problem) => {
  expect(parseRate(text)).toEqual({ ok: false, problem })
})

test('rates multiply exactly, round and invert by name, and never become zero', () => {
  expect(formatRate(multiplyRates(rateOf('1.25'), rateOf('0.80')))).toBe('1')
  expect(formatRate(multiplyRates(rateOf('1.0842'), rateOf('83.1175')))).toBe('90.1159935')
  expect(formatRate(roundRate(rateOf('90.1159935'), 4, 'down'))).toBe('90.1159')
  expect(formatRate(roundRate(rateOf('90.1159935'), 4, 'up'))).toBe('90.116')
  expect(formatRate(invertRate(rateOf('3'), 6, 'down'))).toBe('0.333333')
  expect(formatRate(invertRate(rateOf('3'), 6, 'up'))).toBe('0.333334')
  expect(formatRate(invertRate(rateOf('0.5'), 6, 'up'))).toBe('2')
  expect(() => invertRate(rateOf('1000'), 2, 'down')).toThrow(RangeError)
  expect(() => divideRounded(1n, 0n, 'down')).toThrow(RangeError)
})

// Ten properties with up to 12,000 cases each. Every oracle computes differently from the code: digit by digit, or
// crosswise.
const cases = propertyRuns({ short: 2_000, full: 12_000 })
const storable = 10n ** 38n - 1n
const anyScale = fc.integer({ min: 0, max: 38 })
const anyUnits = fc.oneof(fc.bigInt(0n, storable), fc.bigInt(0n, 1000n), fc.constantFrom(0n, 1n, storable))
const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength })
const anyWhole = fc.oneof(digits(6), digits(38)).map((text) => text.replace(/^0+(?=.)/, '') || '0')
const anyFraction = fc
  .tuple(fc.oneof(digits(6), digits(30)), fc.nat(8))
  .map(([text, zeros]) => text + '0'.repeat(zeros))
const anyDecimal = fc.tuple(anyWhole, anyFraction).map(([whole, rest]) => (rest ? `${whole}.${rest}` : whole))
const anyRate = fc.tuple(fc.bigInt(1n, 10n ** 38n - 1n), fc.integer({ min: 18, max: 38 })).map(([units, scale]) => {
  const text = formatAmount(units, scale)
  return rateOf(text.slice(0, text.indexOf('.') + 19).replace(/^0\.0{18}$/, '1'))
})

test('a formatted amount parses to the same units', () => {
  const property = fc.property(anyUnits, anyScale, (units, scale) => {
    const text = formatAmount(units, scale)
    expect(parseAmount(text, scale)).toEqual({ ok: true, units })
    expect(formatAmount(-units, scale)).toBe(units === 0n ? text : `-${text}`)
  })
  fc.assert(property, cases)
})

test('a decimal of up to 38 decimals is read exactly or refused, never rounded', () => {
  const property = fc.property(anyDecimal, anyScale, (text, scale) => {
    const units = countUnits(text, scale)
    const parsed = parseAmount(text, scale)
    expect(parsed.ok ? parsed.units : undefined).toBe(units)
    if (parsed.ok) expect(sameAmount(formatAmount(parsed.units, scale), text)).toBe(true)
  })
  fc.assert(property, cases)
})

test('an amount with a sign, space, exponent, separator or foreign digit is refused', () => {
  const marks = ['+', '-', '\u2212', ' ', '\t', '\n', '\0', '\u00a0', '\u2009', '\ufeff', '_', ',', "'", '..']
  const letters = ['e', 'E', 'e1', 'e-2', 'E+3', 'n', 'x', '0x', '0b', 'Ⅷ', '①', '²', '〇', '一']
  const spoiler = fc.constantFrom(...marks, ...letters, ...'٠١٩۰۵०५০੧௧๑０１９', '\u{1d7d8}')
  const property = fc.property(anyUnits, anyScale, spoiler, fc.nat(40), (units, scale, between, position) => {
    const text = formatAmount(units, scale)
    expect(parseAmount(text.slice(0, position) + between + text.slice(position), scale).ok).toBe(false)
  })
  fc.assert(property, cases)
})

test('plain decimals are the only texts that are read', () => {
  const nearMiss = fc.string({ unit: fc.constantFrom(...'001122559.+-eE_x, ٣３'), maxLength: 12 })
  const property = fc.property(fc.oneof(nearMiss, fc.string({ unit: 'binary', maxLength: 12 })), (text) => {
    expect(parseAmount(text, 20).ok).toBe(looksPlain(text))
  })
  fc.assert(property, cases)
})

test('powers of ten are read up to the 38 digits that are stored', () => {
  const property = fc.property(fc.integer({ min: 0, max: 60 }), anyScale, fc.nat(10), (power, scale, zeros) => {
    const text = `1${'0'.repeat(power)}${zeros ? '.' : ''}${'0'.repeat(zeros)}`
    expect(parseAmount(text, scale).ok).toBe(power + scale < 38)
    expect(parseAmount(`1e${power}`, scale).ok).toBe(false)
  })
  fc.assert(property, cases)
})

test('sums are exact', () => {
  const property = fc.property(fc.array(anyUnits, { maxLength: 6 }), anyScale, (amounts, scale) => {
    const total = amounts.reduce((sum, units) => sum + units, 0n)
    const texts = amounts.map((units) => formatAmount(units, scale))
    expect(formatAmount(total, scale)).toBe(texts.reduce(addLonghand, formatAmount(0n, scale)))
  })
  fc.assert(property, cases)
})

test('two amounts mean the same exactly when they are equal crosswise', () => {
  const zeros = fc.nat(3).map((count) => '0'.repeat(count))
  const small = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom('', '.0', '.1', '.10', '.01'), zeros)
  const text = small.map(([whole, fraction, more]) => `${whole}${fraction}${fraction ? more : ''}`)
  const property = fc.property(text, text, (a, b) => {
    const [left, right] = [a, b].map((one) => ({ value: BigInt(one.replace('.', '')), places: placesOf(one) }))
    const equal = left!.value * 10n ** right!.places === right!.value * 10n ** left!.places
    expect(sameAmount(a, b)).toBe(equal)
  })
  fc.assert(property, cases)
})

test('a conversion rounded down and up encloses the exact value within one unit', () => {
  const property = fc.property(anyUnits, fc.boolean(), anyScale, anyRate, anyScale, (size, owed, from, rate, to) => {
    const units = owed ? -size : size
    const numerator = units * rate.units * 10n ** BigInt(to)
    expectEnclosed(numerator, 10n ** BigInt(from + rate.scale), (rounding) => convert(units, from, rate, to, rounding))
    const doubled = convert(units, from, multiplyRates(rate, rateOf('2')), to, 'down')
    expect(doubled).toBe(convert(units * 2n, from, rate, to, 'down'))
  })
  fc.assert(property, cases)
})

test('basis points rounded down and up enclose the exact value within one unit', () => {
  const property = fc.property(anyUnits, fc.bigInt(0n, 10_000n), (units, points) => {
    expectEnclosed(units * points, 10_000n, (rounding) => basisPointsOf(units, points, rounding))
    expect(basisPointsOf(units, points, 'up') + basisPointsOf(units, 10_000n - points, 'down')).toBe(units)
  })
  fc.assert(property, cases)
})

test('rates parse back, multiply in any order, and invert and round within one unit', () => {
  const property = fc.property(anyRate, anyRate, anyScale, (a, b, extra) => {
    expect(parseRate(formatRate(a))).toEqual({ ok: true, rate: a })
    const product = multiplyRates(a, b)
    expect(product).toEqual(multiplyRates(b, a))
    expect(product.units * 10n ** BigInt(a.scale + b.scale)).toBe(a.units * b.units * 10n ** BigInt(product.scale))
    // From 36 decimals on, neither an inverse nor a product of two rates can come out as zero.
    const scale = 36 + extra
    const shift = 10n ** BigInt(scale)
    expectEnclosed(10n ** BigInt(a.scale) * shift, a.units, (rounding) => at(invertRate(a, scale, rounding), scale))
    expectEnclosed(product.units * shift, 10n ** BigInt(product.scale), (rounding) =>
      at(roundRate(product, scale, rounding), scale),
    )
  })
  fc.assert(property, cases)
})

function expectEnclosed(numerator: bigint, denominator: bigint, round: (rounding: Rounding) => bigint): void {
  const [down, up] = [round('down') * denominator, round('up') * denominator]
  expect(down <= numerator && numerator <= up).toBe(true)
  expect(up - down).toBe(down === numerator ? 0n : denominator)
}

/** Adds column by column with a carry. Both texts have the same number of decimals. */
function addLonghand(a: string, b: string): string {
  const width = Math.max(a.length, b.length) + 1
  const [top, bottom] = [a.padStart(width, '0'), b.padStart(width, '0')]
  let [carry, sum] = [0, '']
  for (let column = width - 1; column >= 0; column--) {
    if (top[column] === '.' || bottom[column] === '.') {
      sum = `.${sum}`
      continue
    }
    const digit = top.charCodeAt(column) + bottom.charCodeAt(column) - 96 + carry
    carry = digit > 9 ? 1 : 0
    sum = `${digit % 10}${sum}`
  }
  return sum.replace(/^0+(?=\d)/, '')
}

/** Counts digit by digit; undefined where an amount must be refused. */
function countUnits(text: string, scale: number): bigint | undefined {
  let [units, decimals, insideFraction] = [0n, 0, false]
  for (const character of text) {
    if (character === '.') insideFraction = true
    else if (insideFraction && decimals === scale && character !== '0') return undefined
    else if (!insideFraction || decimals < scale) {
      units = units * 10n + BigInt(character.charCodeAt(0) - 48)
      if (insideFraction) decimals++
    }
  }
  while (decimals++ < scale) units *= 10n
  return units > storable ? undefined : units
}

/** Checks the grammar with a hand-written reader instead of a regular expression. */
function looksPlain(text: string): boolean {
  const [whole, fraction, ...more] = text.split('.')
  const allDigits = (part: string) =>
    part !== '' && [...part].every((one) => one >= '0' && one <= '9' && one.length === 1)
  if (more.length > 0 || whole === undefined || !allDigits(whole)) return false
  if (whole.length > 1 && whole.startsWith('0')) return false
  return fraction === undefined || allDigits(fraction)
}

function placesOf(text: string): bigint {
  return BigInt(text.includes('.') ? text.length - text.indexOf('.') - 1 : 0)
}

function at(rate: Rate, scale: number): bigint {
  return rate.units * 10n ** BigInt(scale - rate.scale)
}

function unitsOf(text: string, scale: number): bigint {
  const parsed = parseAmount(text, scale)
  if (!parsed.ok) throw new Error(`${text} ${parsed.problem}`)
  return parsed.units
}

function rateOf(text: string): Rate {
  const parsed = parseRate(text)
  if (!parsed.ok) throw new Error(`${text} ${parsed.problem}`)
  return parsed.rate
}
