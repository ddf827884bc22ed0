import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns, roundsTimeoutMs } from '../../test/support/runner/form.ts'
import { type Asset, assets, chainOf, fiatCurrencies, isFiat, labelOf, scaleOf } from '../catalog/currencies.ts'
import { feeRuleFor } from '../catalog/fee-schedule.ts'
import type { PaymentMethod } from '../catalog/payment-methods.ts'
import { formatAmount, parseAmount, parseRate } from '../lib/money.ts'
import { explainLines } from './explain.ts'
import { priceRoute } from './pricing.ts'
import type { Derivation, DeveloperFeeType, Route } from './quote.ts'
import { type CurrentRate, type PricedLabel, priceOf } from './rates/rates.ts'

const now = new Date('2026-11-15T12:00:00.000Z')
const rateOf = (text: string) => {
  const parsed = parseRate(text)
  if (!parsed.ok) throw new Error(text)
  return parsed.rate
}
function makeRates(usd: Partial<Record<PricedLabel, string>>) {
  const entries = Object.entries(usd).map(([label, text]): [PricedLabel, CurrentRate] => {
    const rate = { label: label as PricedLabel, usd: rateOf(text), asOf: now, source: 'test', goodUntil: now }
    return [label as PricedLabel, rate]
  })
  return new Map(entries)
}
const rates = makeRates({ EUR: '1.08', CAD: '0.72', INR: '0.012', USDC: '1', EURC: '1.08' })

const methodsOf = (asset: Asset): PaymentMethod[] => {
  const chain = chainOf(asset)
  return chain ? [chain] : isFiat(asset) ? [...fiatCurrencies[asset].rails] : []
}
const units = (text: string, asset: Asset) => {
  const parsed = parseAmount(text, scaleOf(asset))
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.units
}

function price(route: Route, from = rates) {
  const found = priceOf(
    from,
    labelOf(route.source.asset) as PricedLabel,
    labelOf(route.destination.asset) as PricedLabel,
    now,
  )
  if (!found.ok) throw new Error(found.why)
  return priceRoute(route, feeRuleFor(route.tier, route.destination.method, 'sandbox'), found)
}

// biome-ignore format: a table is read by column
test.each([
  // source      method  amount       destination      method      tier          developer fee              rate       svcFee      usd     developer   usd     receives
  ['USD',        'ACH',  '100.00',    'USDC/BASE',     'BASE',     'STARTUP',    undefined,                 '1',       '0.25',     '0.25', '0.00',     '0.00', '99.750000'],
  ['USD',        'ACH',  '100.00',    'USDC/BASE',     'BASE',     'BUILDER',    ['USD', '1.00'],           '1',       '0.50',     '0.50', '1.00',     '1.00', '98.500000'],
  ['USD',        'ACH',  '0.11',      'USDC/BASE',     'BASE',     'BUILDER',    undefined,                 '1',       '0.01',     '0.01', '0.00',     '0.00', '0.100000'],
  ['EUR',        'SEPA', '100.00',    'USDC/SOLANA',   'SOLANA',   'ENTERPRISE', undefined,                 '1.07784', '0.10',     '0.11', '0.00',     '0.00', '107.676216'],
  ['USDC/BASE',  'BASE', '250.123457','EUR',           'SEPA',     'STARTUP',    ['SOURCE_CURRENCY', '1.5'],'0.924074074073', '0.625309', '0.63', '1.500000', '1.50', '229.16'],
  ['EUR',        'SEPA', '50.00',     'EURC/ETHEREUM', 'ETHEREUM', 'ENTERPRISE', ['USD', '1.00'],           '1',       '0.05',     '0.06', '0.93',     '1.00', '49.020000'],
  ['USDC/BASE',  'BASE', '10.000000', 'USDC/POLYGON',  'POLYGON',  'ENTERPRISE', undefined,                 '1',       '0.010000', '0.01', '0.000000', '0.00', '9.990000'],
  ['USD',        'WIRE', '1000.00',   'INR',           'IN_NEFT_RTGS_IMPS', 'ENTERPRISE', undefined,        '83.166666666666', '1.00', '1.00', '0.00',     '0.00', '83083.49'],
] as const)('%s by %s: %s to %s by %s on %s, developer fee %j', (source, method, amount, destination, to, tier, fee, rate, svcFee, svcUsd, developerFee, developerUsd, receives) => {
  const scale = scaleOf(source)
  const asked = fee && { type: fee[0] as DeveloperFeeType, amount: units(fee[1], fee[0] === 'USD' ? 'USD' : source) }
  const priced = price({ source: { asset: source, method, amount: units(amount, source) }, destination: { asset: destination, method: to }, developerFee: asked, tier })
  if (!priced.ok) throw new Error(JSON.stringify(priced))
  const { derivation } = priced
  expect({
    rate: derivation.exchangeRate,
    svcFee: formatAmount(priced.svcFee, scale),
    svcUsd: formatAmount(BigInt(derivation.svcFee.usdCents), 2),
    developerFee: formatAmount(priced.developerFee, scale),
    developerUsd: formatAmount(BigInt(derivation.developerFee.usdCents), 2),
    receives: formatAmount(priced.destinationAmount, scaleOf(destination)),
  }).toEqual({ rate, svcFee, svcUsd, developerFee, developerUsd, receives })
})

// biome-ignore format: a table is read by column
test.each([
  // asset      method   amount         fee                            code, minimum
  ['USD',       'ACH',   '100.00',      ['USD', '0.49'],               'DEVELOPER_FEE_BELOW_SVC_FEE', '0.50 USD'],
  ['USD',       'ACH',   '100.01',      ['USD', '0.50'],               'DEVELOPER_FEE_BELOW_SVC_FEE', '0.51 USD'],
  ['EUR',       'SEPA',  '100.00',      ['USD', '0.53'],               'DEVELOPER_FEE_BELOW_SVC_FEE', '0.54 USD'],
  ['USDC/BASE', 'BASE',  '100.000001',  ['SOURCE_CURRENCY', '0.5'],    'DEVELOPER_FEE_BELOW_SVC_FEE', '0.500001 USDC'],
  ['USD',       'ACH',   '100.00',      ['USD', '0.50'],               undefined, ''],
  ['EUR',       'SEPA',  '100.00',      ['USD', '0.54'],               undefined, ''],
  ['USDC/BASE', 'BASE',  '100.000001',  ['SOURCE_CURRENCY', '0.500001'], undefined, ''],
] as const)('on BUILDER %s by %s of %s with a developer fee of %j: %s %s', (asset, method, amount, [type, fee], code, minimum) => {
  const developerFee = { type, amount: units(fee, type === 'USD' ? 'USD' : asset) }
  const priced = price({ source: { asset, method, amount: units(amount, asset) }, destination: { asset: 'USDC/SOLANA', method: 'SOLANA' }, developerFee, tier: 'BUILDER' })
  if (code === undefined) expect(priced).toMatchObject({ ok: true })
  else expect(priced.ok ? priced : 'minimum' in priced ? [priced.code, `${priced.minimum} ${priced.currency}`] : priced).toEqual([code, minimum])
})

// biome-ignore format: a table is read by column
test.each([
  ['USD',           'ACH',      '1000000.01', 'AMOUNT_ABOVE_MAXIMUM', 'source.sourceAmount'],
  ['USDC/ETHEREUM', 'ETHEREUM', '0.999999',   'AMOUNT_BELOW_MINIMUM', 'source.sourceAmount'],
  ['USD',           'WIRE',     '10100000.00', 'AMOUNT_ABOVE_MAXIMUM', 'destination.destinationAmount'],
  ['USD',           'ACH',      '0.05',       'AMOUNT_BELOW_MINIMUM', 'destination.destinationAmount'],
] as const)('%s by %s of %s to USDC on Base is %s at %s', (asset, method, amount, code, field) => {
  const priced = price({ source: { asset, method, amount: units(amount, asset) }, destination: { asset: 'USDC/BASE', method: 'BASE' }, developerFee: undefined, tier: 'ENTERPRISE' })
  expect(priced).toMatchObject({ ok: false, code, field })
})

test('an amount that fees use up is refused, not paid out as zero', () => {
  const developerFee = { type: 'SOURCE_CURRENCY', amount: 1_000n } as const
  const source = { asset: 'USD', method: 'ACH', amount: 1_000n } as const
  const priced = price({ source, destination: { asset: 'USDC/BASE', method: 'BASE' }, developerFee, tier: 'STARTUP' })
  expect(priced).toMatchObject({
    ok: false,
    code: 'AMOUNT_BELOW_MINIMUM',
    message: expect.stringContaining('after fees'),
  })
})

const decimal = fc
  .tuple(fc.bigInt(1n, 3_000_000n), fc.integer({ min: 4, max: 7 }))
  .map(([n, scale]) => formatAmount(n, scale))
const around = (middle: bigint) => fc.bigInt(-90n, 90n).map((off) => formatAmount(middle + off, 4))
const anyRates = fc
  .record({
    CAD: decimal,
    INR: decimal,
    USDC: around(10_000n),
    EUR: fc.bigInt(8_000n, 14_000n),
  })
  .map(({ CAD, INR, USDC, EUR }) =>
    makeRates({ CAD, INR, USDC, EUR: formatAmount(EUR, 4), EURC: formatAmount(EUR, 4) }),
  )

const anyAsset = fc.constantFrom(...assets)
const anyRoute = fc.record({
  sourceAsset: anyAsset,
  destinationAsset: anyAsset,
  pick: fc.nat(),
  size: fc.bigInt(1n, 10n ** 13n),
  bits: fc.integer({ min: 0, max: 30 }),
  fee: fc.option(
    fc.record({ type: fc.constantFrom('USD' as const, 'SOURCE_CURRENCY' as const), share: fc.bigInt(0n, 2_000n) }),
  ),
  tier: fc.constantFrom('BUILDER' as const, 'STARTUP' as const, 'ENTERPRISE' as const),
})

/** Recomputes the figures from the derivation alone, in another way. */
function recompute({ source, destination, exchangeRate, svcFee, developerFee, converted }: Derivation) {
  const [whole = '0', fraction = ''] = exchangeRate.split('.')
  const rate = BigInt(whole + fraction)
  const product = BigInt(converted) * rate
  const shift = BigInt(scaleOf(source.asset) + fraction.length - scaleOf(destination.asset))
  const receives = shift >= 0n ? product / 10n ** shift : product * 10n ** -shift
  return { sum: BigInt(converted) + BigInt(svcFee.amount) + BigInt(developerFee.amount), receives }
}

test(
  'quotes over every pair of assets add up to the last unit',
  () => {
    const pairs = new Set<string>()
    let [tried, priced] = [0, 0]
    fc.assert(
      fc.property(anyRoute, anyRates, (wanted, someRates) => {
        tried += 1
        const { sourceAsset, destinationAsset, pick, size, bits, fee, tier } = wanted
        const methods = methodsOf(sourceAsset)
        const tos = methodsOf(destinationAsset)
        const amount = (size >> BigInt(bits)) + 1n
        const source = { asset: sourceAsset, method: methods[pick % methods.length] as PaymentMethod, amount }
        const destination = { asset: destinationAsset, method: tos[pick % tos.length] as PaymentMethod }
        const developerFee = fee ? { type: fee.type, amount: (amount * fee.share) / 10_000n } : undefined
        const result = price({ source, destination, developerFee, tier }, someRates)
        if (!result.ok) return
        priced += 1
        pairs.add(`${sourceAsset} ${destinationAsset}`)
        const { derivation } = result
        const { sum, receives } = recompute(derivation)
        expect(sum).toBe(amount)
        expect(receives).toBe(result.destinationAmount)
        expect(result.destinationAmount).toBeGreaterThan(0n)
        const lines = explainLines(derivation)
        const inSource = lines.slice(0, -1).reduce((total, line) => total + unitsOfLine(line.amount), 0n)
        expect(inSource).toBe(0n)
        for (const line of lines) expect(line.amount).toMatch(/^-?(0|[1-9]\d*)\.\d+$/)
        expect(leavesOf(derivation).filter((leaf) => typeof leaf !== 'string' && leaf !== null)).toEqual([])
        expect(derivation.exchangeRate).toMatch(/^(0|[1-9]\d*)(\.\d+)?$/)
      }),
      // This seed is known to price every pair.
      { ...propertyRuns({ short: 8_000, full: 40_000 }), seed: 8 },
    )
    expect(priced).toBeGreaterThan(tried / 4)
    expect(pairs.size).toBe(assets.length ** 2)
  },
  roundsTimeoutMs,
)

const leavesOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value]

function unitsOfLine(text: string): bigint {
  const sign = text.startsWith('-') ? -1n : 1n
  return sign * BigInt(text.replace('-', '').replace('.', ''))
}
