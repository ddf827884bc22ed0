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

/** Keeps what the currencies are worth: fetched by one worker, shared by the database, remembered by every process. */
export function createRateService(deps: RateDeps) {
  const { database } = deps
  const sources = createRateSources(deps)
  let current: Rates = new Map()
  return {
    /** From memory; empty until the first load. */
    current: (): Rates => current,

    /** Reads again what the workers wrote; called when the revision changed. */
    load: async (): Promise<void> => {
      current = ratesOf(await store.readRates(database))
    },

    /** Asks the sources, and keeps what can be believed. */
    refresh: () => refresh(deps, sources),

    /** What an amount is worth in dollars; undefined while there is no current price. */
    usdValueOf: (asset: string, units: bigint): string | undefined => {
      if (!isAsset(asset)) return undefined
      return usdValueOf(current, labelOf(asset), units, scaleOf(asset), new Date(deps.nowMs()))
    },

    nowMs: deps.nowMs,
  }
}

function ratesOf(rows: readonly store.RateRow[]): Rates {
  const rates = new Map<PricedLabel, CurrentRate>()
  for (const { label, usd, source, asOf, goodUntil, doubtedUsd } of rows) {
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
): Promise<{ believed: string[]; doubted: string[] }> {
  const { database, onProblem } = deps
  const found = await sources.ask()
  const now = new Date(deps.nowMs())
  const stored = new Map((await store.readRates(database)).map((rate) => [rate.label, rate]))
  const believed: Omit<store.RateRow, 'doubtedUsd' | 'doubtedAt'>[] = []
  const doubts: { label: string; usd: string }[] = []
  for (const { reading, maxAgeMs, isFresh } of found.values()) {
    const { label, usd, asOf, source } = reading
    const rate = stored.get(label)
    if (isBetterKept(deps.sources, rate, source, now)) continue
    // What is only remembered neither confirms a jump nor ends a doubt: the source has to say it again.
    if (!isFresh && rate?.doubtedUsd) sources.doubt(source)
    if (!isFresh && (rate?.doubtedUsd || isKnownBetter(rate, reading))) continue
    const before = memoryOf(rate)
    const admission = admitRate(reading, before, now, maxAgeMs)
    if (admission.outcome !== 'BELIEVED') onProblem(source, admission.why)
    if (admission.outcome === 'BELIEVED') {
      const goodUntil = new Date(asOf.getTime() + maxAgeMs)
      believed.push({ label, usd: formatRate(usd), source, asOf, goodUntil })
    }
    // A doubt that is already noted keeps its age, so that it can be confirmed.
    if (admission.outcome === 'DOUBTED' && !isSameDoubt(before.doubted, usd, now)) {
      doubts.push({ label, usd: formatRate(usd) })
    }
  }
  if (believed.length + doubts.length > 0) {
    await database.inTx(async (tx) => {
      await store.writeRates(tx, believed)
      for (const { label, usd } of doubts) await store.writeDoubt(tx, label, usd, now)
      await bumpRevision(tx, 'rates')
    })
  }
  return { believed: believed.map(({ label }) => label), doubted: doubts.map(({ label }) => label) }
}

/**
 * Whether what an earlier source said is better than what a later one says now: for half of its life it is. An exchange
 * that fails to answer once must not turn the price into the reference rate of last Friday.
 */
function isBetterKept(
  sources: readonly RateSource[],
  rate: store.RateRow | undefined,
  readingFrom: string,
  now: Date,
): boolean {
  const rank = sources.findIndex(({ name }) => name === rate?.source)
  const kept = sources[rank]
  if (!rate || !kept || rank >= sources.findIndex(({ name }) => name === readingFrom)) return false
  return rate.asOf <= now && now.getTime() - rate.asOf.getTime() <= kept.maxAgeMs / 2
}

/**
 * Whether the source has said something else since, to another worker. The same again is written again, so that a process
 * that failed to read it when it was new does not wait for the next file.
 */
function isKnownBetter(rate: store.RateRow | undefined, { source, asOf, usd }: RateReading): boolean {
  return rate?.source === source && asOf <= rate.asOf && formatRate(usd) !== rate.usd
}

function memoryOf(rate: store.RateRow | undefined) {
  const usd = rate && readRate(rate.usd)
  const doubtedUsd = rate?.doubtedUsd ? readRate(rate.doubtedUsd) : undefined
  return {
    ...(rate && usd ? { believed: { usd, asOf: rate.asOf, source: rate.source } } : {}),
    ...(rate?.doubtedAt && doubtedUsd ? { doubted: { usd: doubtedUsd, seenAt: rate.doubtedAt } } : {}),
  }
}
