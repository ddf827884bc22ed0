import { XMLParser } from 'fast-xml-parser'
import { divideRates, type Rate, roundRate } from '../../lib/money.ts'
import type { PricedLabel, RateReading, RateSource } from '../../quotes/rates/rates.ts'
import { type Fetched, type FetchText, readPrice } from './reading.ts'

/**
 * The euro foreign exchange reference rates of the European Central Bank, as published in eurofxref-daily.xml: one
 * Cube with the day, and in it a Cube for each currency with its units per euro. They come out about 16:00 Central
 * European time on working days, and are a reference: a source to fall back on, and the one for the rupee.
 */
export function createEcbRates(fetchText: FetchText): RateSource {
  let last: Fetched | undefined
  return {
    name: 'ecb',
    // From the Thursday before Easter to the Tuesday after it.
    maxAgeMs: 6 * 86_400_000,
    // A new file is noticed this late at most, and an unchanged one costs neither side more than a header.
    everyMs: 15 * 60_000,
    read: async (afresh) => {
      const fetched = await fetchText(afresh ? undefined : last)
      const readings = readEcb(fetched.text)
      // Only now: an edition that could not be read must not be answered with "unchanged".
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
    throw new Error('the reference rates have no single day')
  }
  const perEuro = new Map<unknown, Rate | undefined>()
  for (const { currency, rate } of listOf(day.Cube)) {
    // Of a currency that is named twice nobody knows which rate is meant.
    perEuro.set(currency, perEuro.has(currency) ? undefined : readPrice(rate))
  }
  const usdPerEuro = perEuro.get('USD')
  if (!usdPerEuro) throw new Error('the reference rates do not name the dollar')
  // Fixed at 14:15 in Frankfurt, which is at most 13:15 UTC.
  const asOf = new Date(`${day.time}T13:15:00Z`)
  if (!asOf.toISOString().startsWith(day.time)) throw new Error('the reference rates are of a day that no month has')
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
