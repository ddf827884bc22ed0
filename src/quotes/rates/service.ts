import { isAsset, labelOf, scaleOf } from '../../catalog/currencies.ts'
import type { Database } from '../../db/database.ts'
import { bumpRevision } from '../../db/revisions.ts'
import { formatRate } from '../../lib/money.ts'
import { admitRate, isSameDoubt } from './admit-rate.ts'
import {
  type CurrentRate,
  type PricedLabel,
  pricedLabels,
  type RateReading,
  type RateSource,
  type Rates,
  readRate,
  usdValueOf,
} from './rates.ts'
import { createRateSources, type SourceOptions } from './source.ts'
import * as store from './store.ts'

export type RateDeps = SourceOptions & { database: Database }

export type RateService = ReturnType<typeof createRateService>

/** Manages the rates: one worker fetches them, the database shares them, every process holds them in memory. */
export function createRateService(deps: RateDeps) {
  const { database } = deps
  const sources = createRateSources(deps)
  let current: Rates = new Map()
  return {
    /** The rates in memory; empty until the first load. */
    current: (): Rates => current,

    /** Reloads the rates from the database, when their revision has changed. */
    load: async (): Promise<void> => {
      current = ratesOf(await store.readRates(database))
    },

    /** Polls the sources and stores the accepted rates. */
    refresh: () => refresh(deps, sources),

    usdValueOf: (asset: string, units: bigint): string | undefined => {
      if (!isAsset(asset)) return undefined
      return usdValueOf(current, labelOf(asset), units, scaleOf(asset), new Date(deps.nowMs()))
    },

    nowMs: deps.nowMs,
  }
}

function ratesOf(stored: readonly store.StoredRate[]): Rates {
  const rates = new Map<PricedLabel, CurrentRate>()
  for (const { label, usd, source, asOf, goodUntil, doubtedUsd } of stored) {
    const known = pricedLabels.find((each) => each === label)
    const rate = readRate(usd)
    if (known && rate)
      rates.set(known, { label: known, usd: rate, source, asOf, goodUntil, isDoubted: doubtedUsd !== null })
  }
  return rates
}

async function refresh(
  deps: RateDeps,
  sources: ReturnType<typeof createRateSources>,
): Promise<{ accepted: string[]; doubted: string[] }> {
  const { database, onProblem } = deps
  const found = await sources.read()
  const now = new Date(deps.nowMs())
  const stored = new Map((await store.readRates(database)).map((rate) => [rate.label, rate]))
  const accepted: Omit<store.StoredRate, 'doubtedUsd' | 'doubtedAt'>[] = []
  const doubts: { label: string; usd: string }[] = []
  for (const { reading, maxAgeMs, isFresh } of found.values()) {
    const { label, usd, asOf, source } = reading
    const rate = stored.get(label)
    if (shouldKeep(deps.sources, rate, source, now)) continue
    // Only a fresh reading confirms a jump or ends a doubt.
    if (!isFresh && rate?.doubtedUsd) sources.requestFullRead(source)
    if (!isFresh && (rate?.doubtedUsd || isSuperseded(rate, reading))) continue
    const before = historyOf(rate)
    const admission = admitRate(reading, before, now, maxAgeMs)
    if (admission.outcome !== 'ACCEPTED') onProblem(source, admission.why)
    if (admission.outcome === 'ACCEPTED') {
      const goodUntil = new Date(asOf.getTime() + maxAgeMs)
      accepted.push({ label, usd: formatRate(usd), source, asOf, goodUntil })
    }
    // A recorded doubt keeps its age, so that a later reading can confirm it.
    if (admission.outcome === 'DOUBTED' && !isSameDoubt(before.doubted, usd, now)) {
      doubts.push({ label, usd: formatRate(usd) })
    }
  }
  if (accepted.length + doubts.length > 0) {
    await database.inTx(async (tx) => {
      await store.writeRates(tx, accepted)
      for (const { label, usd } of doubts) await store.writeDoubt(tx, label, usd, now)
      await bumpRevision(tx, 'rates')
    })
  }
  return { accepted: accepted.map(({ label }) => label), doubted: doubts.map(({ label }) => label) }
}

/**
 * Tells whether to keep the stored rate of a preferred source and ignore a reading of a less preferred one: for half of
 * the maximum age. One failed answer of an exchange must not replace its price by last Friday's reference rate.
 */
function shouldKeep(
  sources: readonly RateSource[],
  rate: store.StoredRate | undefined,
  readingFrom: string,
  now: Date,
): boolean {
  const rank = sources.findIndex(({ name }) => name === rate?.source)
  const kept = sources[rank]
  if (!rate || !kept || rank >= sources.findIndex(({ name }) => name === readingFrom)) return false
  return rate.asOf <= now && now.getTime() - rate.asOf.getTime() <= kept.maxAgeMs / 2
}

/**
 * Tells whether another worker has stored a newer reading of the same source. An identical reading is written again, so
 * that a process that failed to load it does not wait for the next file.
 */
function isSuperseded(rate: store.StoredRate | undefined, { source, asOf, usd }: RateReading): boolean {
  return rate?.source === source && asOf <= rate.asOf && formatRate(usd) !== rate.usd
}

function historyOf(rate: store.StoredRate | undefined) {
  const usd = rate && readRate(rate.usd)
  const doubtedUsd = rate?.doubtedUsd ? readRate(rate.doubtedUsd) : undefined
  return {
    ...(rate && usd ? { accepted: { usd, asOf: rate.asOf, source: rate.source } } : {}),
    ...(rate?.doubtedAt && doubtedUsd ? { doubted: { usd: doubtedUsd, seenAt: rate.doubtedAt } } : {}),
  }
}
