import { XMLParser } from 'fast-xml-parser'
import { divideRates, type Rate, roundRate } from '../../lib/money.ts'
import type { PricedLabel, RateReading, RateSource } from '../../quotes/rates/rates.ts'
import { type Fetched, type FetchText, readPrice } from './reading.ts'

/**
 * Reads the euro reference rates of the European Central Bank from eurofxref-daily.xml: one Cube with the day, and in
 * it a Cube for each currency with its units per euro. The bank publishes them about 16:00 Central European time on
 * working days. They serve as a fallback, and as the only source for the rupee.
 */
export function createEcbRates(fetchText: FetchText): RateSource {
  let last: Fetched | undefined
  return {
    name: 'ecb',
    // Covers the longest gap: from the Thursday before Easter to the Tuesday after it.
    maxAgeMs: 6 * 86_400_000,
    // The longest delay until a new file is read. An unchanged file costs both sides only headers.
    everyMs: 15 * 60_000,
    read: async (afresh) => {
      const fetched = await fetchText(afresh ? undefined : last)
      const readings = readEcb(fetched.text)
      // Last: after an unreadable file, the next fetch must not be answered with "unchanged".
      last = fetched
      return readings
    },
  }
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  processEntities: false,
})

type Cube = { time?: unknown; currency?: unknown; rate?: unknown; Cube?: Cube | Cube[] }

export function readEcb(text: string): RateReading[] {
  const envelope = (parser.parse(text) as { Envelope?: { Cube?: Cube } }).Envelope
  const days = listOf(listOf(envelope?.Cube)[0]?.Cube)
  const [day] = days
  if (days.length !== 1 || typeof day?.time !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(day.time)) {
    throw new Error('the reference rates do not name exactly one day')
  }
  const perEuro = new Map<unknown, Rate | undefined>()
  for (const { currency, rate } of listOf(day.Cube)) {
    // A currency that appears twice is ambiguous and gets no rate.
    perEuro.set(currency, perEuro.has(currency) ? undefined : readPrice(rate))
  }
  const usdPerEuro = perEuro.get('USD')
  if (!usdPerEuro) throw new Error('the reference rates do not name the dollar')
  // Fixed at 14:15 in Frankfurt, which is at most 13:15 UTC.
  const asOf = new Date(`${day.time}T13:15:00Z`)
  if (!asOf.toISOString().startsWith(day.time)) throw new Error('the reference rates name a day that does not exist')
  const make = (label: PricedLabel, usd: Rate): RateReading => ({
    label,
    usd: roundRate(usd, 12, 'down'),
    asOf,
    source: 'ecb',
  })
  const others = (['CAD', 'INR'] as const).flatMap((label) => {
    const units = perEuro.get(label)
    return units ? [make(label, divideRates(usdPerEuro, units, 12, 'down'))] : []
  })
  return [make('EUR', usdPerEuro), ...others]
}

function listOf<Item>(value: Item | Item[] | undefined): Item[] {
  if (value === undefined) return []
  return Array.isArray(value) ? value : [value]
}
