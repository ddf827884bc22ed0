import { invertRate, type Rate, roundRate } from '../../lib/money.ts'
import type { PricedLabel, RateReading, RateSource } from '../../quotes/rates/rates.ts'
import { type FetchText, half, readPrice, sum } from './reading.ts'

/** Kraken's long and short names of each market. `isInverse`: the price is in units per dollar. */
const markets: readonly { label: PricedLabel; names: readonly string[]; isInverse?: true }[] = [
  { label: 'USDC', names: ['USDCUSD'] },
  { label: 'EURC', names: ['EURCUSD'] },
  { label: 'EUR', names: ['ZEURZUSD', 'EURUSD'] },
  { label: 'CAD', names: ['ZUSDZCAD', 'USDCAD'], isInverse: true },
]

export const krakenPath = `/0/public/Ticker?pair=${markets.map(({ names }) => names.at(-1)).join(',')}`

/** A market with a wider spread is ignored: it has no real trade. */
const widestBasisPoints = 200n

/**
 * Reads the public ticker of the Kraken exchange, with prices as texts:
 * `{ error: [], result: { <market>: { a: [ask, …], b: [bid, …], … } } }`. The ticker carries no time, so the time of the
 * answer counts.
 */
export function createKrakenRates(fetchText: FetchText, now: () => Date): RateSource {
  return {
    name: 'kraken',
    maxAgeMs: 120_000,
    read: async () => readKraken((await fetchText()).text, now()),
  }
}

type Ticker = { error?: unknown; result?: Record<string, { a?: unknown[]; b?: unknown[] } | null> | null }

export function readKraken(text: string, asOf: Date): RateReading[] {
  const ticker = JSON.parse(text) as Ticker | null
  if (!ticker || !Array.isArray(ticker.error) || ticker.error.length > 0) throw new Error('the ticker reports an error')
  return markets.flatMap(({ label, names, isInverse }) => {
    const name = names.find((each) => Object.hasOwn(ticker.result ?? {}, each)) ?? ''
    const middle = middleOf(ticker.result?.[name])
    if (!middle) return []
    return [
      {
        label,
        usd: isInverse ? invertRate(middle, 12, 'down') : roundRate(middle, 12, 'down'),
        asOf,
        source: 'kraken',
      },
    ]
  })
}

function middleOf(market: { a?: unknown[]; b?: unknown[] } | null | undefined): Rate | undefined {
  const ask = readPrice(market?.a?.[0])
  const bid = readPrice(market?.b?.[0])
  if (!ask || !bid) return undefined
  const asked = ask.units * 10n ** BigInt(bid.scale)
  const bidden = bid.units * 10n ** BigInt(ask.scale)
  if (bidden > asked || (asked - bidden) * 10_000n > bidden * widestBasisPoints) return undefined
  return half(sum(ask, bid))
}
