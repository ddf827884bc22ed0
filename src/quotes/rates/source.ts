import { randomInt } from 'node:crypto'
import { findReadingProblem } from './admit-rate.ts'
import { isDue, type Poll, pollDelayMs } from './pace.ts'
import type { PricedLabel, RateReading, RateSource } from './rates.ts'

export type SourceOptions = {
  /** In order of preference: a later source fills in only the currencies that no earlier one has. */
  sources: readonly RateSource[]
  /** Real time by the database's clock, because the age of a price does not follow the sandbox clock. */
  nowMs(): number
  onProblem(source: string, why: string): void
  random?: () => number
}

/** A reading of a source. It is fresh if it comes from this poll, not from an earlier answer. */
export type SourceReading = { reading: RateReading; maxAgeMs: number; isFresh: boolean }

type SourceState = Poll & { failures: number; needsFullRead: boolean; readings: RateReading[] }

/** Polls each source at its own pace. Between polls, and while a source fails, its last readings stay in use. */
export function createRateSources({
  sources,
  nowMs,
  onProblem,
  random = () => randomInt(1_000) / 1_000,
}: SourceOptions) {
  const states = new Map<string, SourceState>()

  async function poll(source: RateSource): Promise<{ readings: RateReading[]; isFresh: boolean }> {
    const { name, everyMs = 0 } = source
    const state = states.get(name)
    const atMs = nowMs()
    if (state && !isDue(state, atMs)) return { readings: state.readings, isFresh: false }
    const remember = (failures: number, readings: RateReading[]) => {
      const waitMs = pollDelayMs(failures, everyMs, random)
      states.set(name, { atMs, waitMs, failures, needsFullRead: false, readings })
      return { readings, isFresh: failures === 0 }
    }
    try {
      // After a failure or a doubt the last answer may be corrupt, so the source must send it in full.
      return remember(0, await source.read(state !== undefined && (state.failures > 0 || state.needsFullRead)))
    } catch (error) {
      onProblem(name, error instanceof Error ? error.message : 'failed')
      return remember((state?.failures ?? 0) + 1, everyMs > 0 && state ? state.readings : [])
    }
  }

  return {
    /** For each currency, reads the first source with a plausible rate. */
    read: async (): Promise<Map<PricedLabel, SourceReading>> => {
      const answers = await Promise.all(sources.map(poll))
      const now = new Date(nowMs())
      const found = new Map<PricedLabel, SourceReading>()
      for (const [at, { name, maxAgeMs }] of sources.entries()) {
        const { readings, isFresh } = answers[at] ?? { readings: [], isFresh: false }
        for (const reading of readings) {
          const why = findReadingProblem(reading, now, maxAgeMs)
          if (why) onProblem(name, why)
          else if (!found.has(reading.label)) found.set(reading.label, { reading, maxAgeMs, isFresh })
        }
      }
      return found
    },

    /** Makes the next poll read a source in full, ahead of its pace. A failing source keeps its retry delay. */
    requestFullRead: (name: string): void => {
      const state = states.get(name)
      if (state && state.failures === 0) states.set(name, { ...state, waitMs: 0, needsFullRead: true })
    },
  }
}
