import { expect, test } from 'vitest'
import { type Asset, assetOf, labelOf, scaleOf } from '../../src/catalog/currencies.ts'
import { feeRuleFor } from '../../src/catalog/fee-schedule.ts'
import type { PaymentMethod } from '../../src/catalog/payment-methods.ts'
import { parseAmount } from '../../src/lib/money.ts'
import { explainLines } from '../../src/quotes/explain.ts'
import { priceRoute } from '../../src/quotes/pricing.ts'
import { type CurrentRate, type PricedLabel, priceOf, readRate } from '../../src/quotes/rates/rates.ts'

/** docs/quote-vectors.json lets other implementations check themselves. `-u` writes it anew. */
const now = new Date('2026-11-15T12:00:00.000Z')
const rateSets = {
  round: { EUR: '1.08', CAD: '0.72', INR: '0.012', USDC: '1', EURC: '1.08' },
  odd: { EUR: '1.083719', CAD: '0.713928', INR: '0.01187364', USDC: '0.99983', EURC: '1.0841' },
}
type Vector = {
  rates: keyof typeof rateSets
  tier: 'BUILDER' | 'STARTUP' | 'ENTERPRISE'
  environment: 'sandbox' | 'production'
  source: [currency: string, method: PaymentMethod, amount: string]
  destination: [currency: string, method: PaymentMethod]
  developerFee: ['USD' | 'SOURCE_CURRENCY', string] | null
}

const ends: [string, PaymentMethod][] = [
  ['USD', 'ACH'],
  ['USD', 'WIRE'],
  ['EUR', 'SEPA'],
  ['CAD', 'CA_INTERAC'],
  ['INR', 'IN_NEFT_RTGS_IMPS'],
  ['USDC', 'BASE'],
  ['USDC', 'SOLANA'],
  ['EURC', 'ETHEREUM'],
]
const tiers = ['BUILDER', 'STARTUP', 'ENTERPRISE'] as const
const everyPair = ends.flatMap((source, at) =>
  ends.map((destination, to): Vector => {
    const turn = at * ends.length + to
    const fees: Vector['developerFee'][] = [null, ['USD', '2.50'], ['SOURCE_CURRENCY', '3.17']]
    return {
      rates: turn % 2 === 0 ? 'round' : 'odd',
      tier: tiers[turn % 3] ?? 'BUILDER',
      environment: turn % 5 === 0 ? 'production' : 'sandbox',
      source: [...source, source[0] === 'INR' ? '25000.37' : '137.29'],
      destination,
      developerFee: fees[(turn + at) % 3] ?? null,
    }
  }),
)
// biome-ignore format: a table is read by column
const edges: Vector[] = [
  { rates: 'round', tier: 'BUILDER',    environment: 'sandbox',    source: ['USD', 'ACH', '100.00'],          destination: ['USDC', 'BASE'],     developerFee: ['USD', '0.50'] },
  { rates: 'round', tier: 'BUILDER',    environment: 'sandbox',    source: ['USD', 'ACH', '100.00'],          destination: ['USDC', 'BASE'],     developerFee: ['USD', '0.49'] },
  { rates: 'round', tier: 'BUILDER',    environment: 'sandbox',    source: ['USD', 'ACH', '100.01'],          destination: ['USDC', 'BASE'],     developerFee: ['USD', '0.50'] },
  { rates: 'odd',   tier: 'BUILDER',    environment: 'sandbox',    source: ['EUR', 'SEPA', '99.99'],          destination: ['USDC', 'BASE'],     developerFee: ['USD', '0.54'] },
  { rates: 'round', tier: 'ENTERPRISE', environment: 'production', source: ['USD', 'ACH', '1.00'],            destination: ['USDC', 'ETHEREUM'], developerFee: null },
  { rates: 'round', tier: 'ENTERPRISE', environment: 'production', source: ['USD', 'ACH', '100.00'],          destination: ['USDC', 'ETHEREUM'], developerFee: null },
  { rates: 'round', tier: 'ENTERPRISE', environment: 'sandbox',    source: ['USD', 'ACH', '0.11'],            destination: ['USDC', 'BASE'],     developerFee: null },
  { rates: 'round', tier: 'ENTERPRISE', environment: 'sandbox',    source: ['USD', 'ACH', '0.10'],            destination: ['USDC', 'BASE'],     developerFee: null },
  { rates: 'round', tier: 'STARTUP',    environment: 'sandbox',    source: ['USD', 'ACH', '1000000.00'],      destination: ['USDC', 'BASE'],     developerFee: null },
  { rates: 'round', tier: 'STARTUP',    environment: 'sandbox',    source: ['USD', 'ACH', '1000000.01'],      destination: ['USDC', 'BASE'],     developerFee: null },
  { rates: 'odd',   tier: 'STARTUP',    environment: 'sandbox',    source: ['USDC', 'BASE', '0.100001'],      destination: ['USDC', 'POLYGON'],  developerFee: null },
  { rates: 'odd',   tier: 'STARTUP',    environment: 'sandbox',    source: ['USDC', 'BASE', '9999999.999999'], destination: ['INR', 'IN_NEFT_RTGS_IMPS'], developerFee: ['SOURCE_CURRENCY', '0.000001'] },
  { rates: 'round', tier: 'STARTUP',    environment: 'sandbox',    source: ['USD', 'WIRE', '10.00'],          destination: ['EUR', 'SEPA'],      developerFee: ['SOURCE_CURRENCY', '9.98'] },
]

function compute(vector: Vector) {
  const [sourceLabel, sourceMethod, amount] = vector.source
  const [destinationLabel, destinationMethod] = vector.destination
  const source = assetOf(sourceLabel, sourceMethod) as Asset
  const destination = assetOf(destinationLabel, destinationMethod) as Asset
  const rates = new Map(
    Object.entries(rateSets[vector.rates]).map(([label, text]): [PricedLabel, CurrentRate] => {
      const usd = readRate(text)
      if (!usd) throw new Error(text)
      return [label as PricedLabel, { label: label as PricedLabel, usd, asOf: now, source: 'vectors', goodUntil: now }]
    }),
  )
  const price = priceOf(rates, labelOf(source) as PricedLabel, labelOf(destination) as PricedLabel, now)
  if (!price.ok) throw new Error(price.why)
  const units = (text: string, scale: number) => {
    const parsed = parseAmount(text, scale)
    if (!parsed.ok) throw new Error(parsed.problem)
    return parsed.units
  }
  const [type, asked] = vector.developerFee ?? []
  const developerFee = type && { type, amount: units(asked ?? '', type === 'USD' ? 2 : scaleOf(source)) }
  const rule = feeRuleFor(vector.tier, destinationMethod, vector.environment)
  const wanted = {
    source: { asset: source, method: sourceMethod, amount: units(amount, scaleOf(source)) },
    destination: { asset: destination, method: destinationMethod },
    developerFee: developerFee || undefined,
    tier: vector.tier,
  }
  const priced = priceRoute(wanted, rule, price)
  if (!priced.ok) return { refused: priced }
  const { derivation } = priced
  return {
    derivation: { ...derivation, rates: derivation.rates.map(({ pair, rate }) => ({ pair, rate })) },
    lines: explainLines(priced.derivation),
  }
}

test('this implementation computes the published vectors', async () => {
  const vectors = [...everyPair, ...edges].map((vector) => ({ input: vector, ...compute(vector) }))
  expect(vectors.filter((each) => 'refused' in each).length).toBeGreaterThan(3)
  const file = {
    about: 'What a quote must say, for other implementations to check themselves against: see docs/quotes.md.',
    rates: rateSets,
    vectors,
  }
  await expect(`${JSON.stringify(file, null, 1)}\n`).toMatchFileSnapshot('../../docs/quote-vectors.json')
})
