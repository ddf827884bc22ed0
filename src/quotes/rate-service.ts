import { isAsset, labelOf, scaleOf } from '../catalog/currencies.ts'
import type { Database } from '../db/database.ts'
import { raiseRevision } from '../db/revisions.ts'
import { formatRate } from '../lib/money.ts'
import { admitRate, isSameDoubt, problemWithDate } from './admit-rate.ts'
import * as store from './rate-store.ts'
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

export type RateOptions = {
  database: Database
  /** In the order in which they are asked; a later one is used only for what no earlier one has. */
  sources: readonly RateSource[]
  /** Real time by the database's clock: the age of a price does not follow the sandbox. */
  nowMs(): number
  onProblem(source: string, why: string): void
}

export type RateService = ReturnType<typeof makeRateService>

/** Keeps what the currencies are worth: fetched by one worker, shared by the database, remembered by every process. */
export function makeRateService(options: RateOptions) {
  const { database } = options
  let current: Rates = new Map()
  return {
    /** From memory; empty until the first load. */
    current: (): Rates => current,

    /** Reads again what the workers wrote; called when the revision changed. */
    load: async (): Promise<void> => {
      current = ratesOf(await store.readRates(database))
    },

    /** Asks the sources, and keeps what can be believed. */
    refresh: () => refresh(options),

    /** What an amount is worth in dollars; undefined while there is no current price. */
    usdValueOf: (asset: string, units: bigint): string | undefined => {
      if (!isAsset(asset)) return undefined
      return usdValueOf(current, labelOf(asset), units, scaleOf(asset), new Date(options.nowMs()))
    },

    nowMs: options.nowMs,
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

type Found = { reading: RateReading; maxAgeMs: number }

async function refresh(options: RateOptions): Promise<{ believed: string[]; doubted: string[] }> {
  const { database, onProblem } = options
  const found = await askSources(options)
  const now = new Date(options.nowMs())
  const stored = new Map((await store.readRates(database)).map((row) => [row.label, row]))
  const believed: Omit<store.RateRow, 'doubtedUsd' | 'doubtedAt'>[] = []
  const doubts: { label: string; usd: string }[] = []
  for (const { reading, maxAgeMs } of found.values()) {
    const { label, usd, asOf, source } = reading
    if (isBetterKept(options.sources, stored.get(label), source, now)) continue
    const before = memoryOf(stored.get(label))
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
    await database.transaction(async (transaction) => {
      await store.writeRates(transaction, believed)
      for (const { label, usd } of doubts) await store.writeDoubt(transaction, label, usd, now)
      await raiseRevision(transaction, 'rates')
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
  row: store.RateRow | undefined,
  readingFrom: string,
  now: Date,
): boolean {
  const rank = sources.findIndex(({ name }) => name === row?.source)
  const kept = sources[rank]
  if (!row || !kept || rank >= sources.findIndex(({ name }) => name === readingFrom)) return false
  return row.asOf <= now && now.getTime() - row.asOf.getTime() <= kept.maxAgeMs / 2
}

/** Of each currency the reading of the first source that has one with a date that can be. */
async function askSources({ sources, nowMs, onProblem }: RateOptions): Promise<Map<PricedLabel, Found>> {
  const found = new Map<PricedLabel, Found>()
  const answers = await Promise.all(
    sources.map((source) =>
      source.read().catch((error: unknown) => {
        onProblem(source.name, error instanceof Error ? error.message : 'failed')
        return []
      }),
    ),
  )
  const now = new Date(nowMs())
  for (const [at, { name, maxAgeMs }] of sources.entries()) {
    for (const reading of answers[at] ?? []) {
      const why = problemWithDate(reading, now, maxAgeMs)
      if (why) onProblem(name, why)
      else if (!found.has(reading.label)) found.set(reading.label, { reading, maxAgeMs })
    }
  }
  return found
}

function memoryOf(row: store.RateRow | undefined) {
  const usd = row && readRate(row.usd)
  const doubtedUsd = row?.doubtedUsd ? readRate(row.doubtedUsd) : undefined
  return {
    ...(row && usd ? { believed: { usd, asOf: row.asOf, source: row.source } } : {}),
    ...(row?.doubtedAt && doubtedUsd ? { doubted: { usd: doubtedUsd, seenAt: row.doubtedAt } } : {}),
  }
}
