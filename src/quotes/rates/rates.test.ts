import { expect, test } from 'vitest'
import { formatRate } from '../../lib/money.ts'
import { type CurrentRate, type PricedLabel, priceOf, readRate, usdValueOf } from './rates.ts'

const now = new Date('2026-11-15T12:00:00.000Z')
function makeRates(usd: Partial<Record<PricedLabel, string>>, goodForMs = 0) {
  const goodUntil = new Date(now.getTime() + goodForMs)
  const entries = Object.entries(usd).map(([label, text]): [PricedLabel, CurrentRate] => {
    const rate = readRate(text)
    if (!rate) throw new Error(text)
    return [label as PricedLabel, { label: label as PricedLabel, usd: rate, asOf: now, source: 'test', goodUntil }]
  })
  return new Map(entries)
}
const usual = { EUR: '1.08', CAD: '0.72', INR: '0.012', USDC: '0.9998', EURC: '1.081' }

// biome-ignore format: a table is read by column
test.each([
  // source  destination  cross rate         spread  rate
  ['USD',    'USD',       '1',               0n,     '1'],
  ['USDC',   'USDC',      '1',               0n,     '1'],
  ['USD',    'USDC',      '1.000200040008',  0n,     '1.000200040008'],
  ['USDC',   'USD',       '0.9998',          0n,     '0.9998'],
  ['EUR',    'EURC',      '0.999074930619',  0n,     '0.999074930619'],
  ['EUR',    'USD',       '1.08',            20n,    '1.07784'],
  ['INR',    'EUR',       '0.011111111111',  20n,    '0.011088888888'],
  ['CAD',    'INR',       '60',              20n,    '59.88'],
  ['USDC',   'EUR',       '0.92574074074',   20n,    '0.923889259258'],
] as const)('%s to %s crosses at %s, less %i basis points: %s', (source, destination, crossRate, spread, rate) => {
  const price = priceOf(makeRates(usual), source, destination, now)
  if (!price.ok) throw new Error(price.why)
  expect([formatRate(price.crossRate), price.spreadBasisPoints, formatRate(price.rate)]).toEqual([crossRate, spread, rate])
})

// biome-ignore format: a table is read by column
test.each([
  ['USD',  'EUR',  {},                              0,  'no rate of EUR'],
  ['USD',  'EUR',  usual,                           -1, 'EUR is too old'],
  ['USD',  'USDC', { USDC: '0.9899' },              0,  'USDC is too far from USD'],
  ['USD',  'USDC', { USDC: '1.0101' },              0,  'USDC is too far from USD'],
  ['EUR',  'EURC', { EUR: '1.08', EURC: '1.0909' }, 0,  'EURC is too far from EUR'],
  ['USD',  'EURC', { EURC: '1.08' },                0,  'no rate of EUR to compare EURC with'],
] as const)('%s to %s with %j good for %i ms has no price: %s', (source, destination, rates, goodForMs, why) => {
  const price = priceOf(makeRates(rates, goodForMs), source, destination, now)
  expect(price.ok ? price : price.why).toContain(why)
})

test.each([
  ['USD', 'USDC', { USDC: '0.99' }],
  ['USD', 'USDC', { USDC: '1.01' }],
] as const)('%s to %s with %j is close enough to the peg', (source, destination, rates) => {
  expect(priceOf(makeRates(rates), source, destination, now).ok).toBe(true)
})

test('a doubted rate has no price, and neither it nor an old rate serves as a peg', () => {
  const why = (of: PricedLabel, change: Partial<CurrentRate>, ...pair: [PricedLabel, PricedLabel]) => {
    const rates = makeRates(usual, 60_000)
    const rate = rates.get(of)
    if (rate) rates.set(of, { ...rate, ...change })
    const price = priceOf(rates, ...pair, now)
    return price.ok ? 'a price' : price.why
  }
  expect(why('USDC', { isDoubted: true }, 'USD', 'USDC')).toBe('the rate of USDC jumped and is not confirmed')
  expect(why('USDC', { isDoubted: true }, 'USD', 'EUR')).toBe('a price')
  expect(why('EUR', { isDoubted: true }, 'USD', 'EURC')).toContain('EUR jumped')
  // The clock was set back, so the age of the rate is unknown.
  expect(why('EUR', { asOf: new Date(now.getTime() + 60_000) }, 'USD', 'EUR')).toBe('a price')
  expect(why('EUR', { asOf: new Date(now.getTime() + 60_001) }, 'USD', 'EUR')).toBe(
    'the rate of EUR has a date in the future',
  )
  expect(why('EUR', { goodUntil: new Date(0) }, 'USD', 'EURC')).toBe('the rate of EUR is too old to compare EURC with')
})

test('a price lists both roundings of its rate, in units of the twelfth decimal', () => {
  const price = priceOf(makeRates(usual), 'INR', 'EUR', now)
  if (!price.ok) throw new Error(price.why)
  expect(price.rounding.map(({ step, result }) => [step, result])).toEqual([
    ['crossRate', '11111111111'],
    ['exchangeRate', '11088888888'],
  ])
  for (const { numerator, denominator, result } of price.rounding) {
    expect(BigInt(numerator) / BigInt(denominator)).toBe(BigInt(result))
    expect(BigInt(numerator) % BigInt(denominator)).not.toBe(0n)
  }
})

test.each([
  ['USDC', 125_500_001n, 6, '125.47'],
  ['EURC', 1_000_000n, 6, '1.08'],
  ['EUR', 99n, 2, '1.06'],
  ['USD', 7n, 2, '0.07'],
  ['INR', 0n, 2, '0.00'],
  ['GOLD', 1n, 2, undefined],
] as const)('%s: %i smallest units at scale %i are worth %s dollars', (label, units, scale, value) => {
  expect(usdValueOf(makeRates(usual), label, units, scale, now)).toBe(value)
})
