import { randomInt } from 'node:crypto'
import { problemWithReading } from './admit-rate.ts'
import { type Asked, isDue, waitAfter } from './pace.ts'
import type { PricedLabel, RateReading, RateSource } from './rates.ts'

export type SourceOptions = {
  /** In the order in which they are asked; a later one is used only for what no earlier one has. */
  sources: readonly RateSource[]
  /** Real time by the database's clock: the age of a price does not follow the sandbox. */
  nowMs(): number
  onProblem(source: string, why: string): void
  random?: () => number
}

/** What a source says of a currency; not fresh when it is what it said before. */
export type Said = { reading: RateReading; maxAgeMs: number; isFresh: boolean }

type Memory = Asked & { failures: number; isDoubted: boolean; readings: RateReading[] }

/** Asks each source at its own pace; in between, and while it fails, what it said last stands. */
export function createRateSources({
  sources,
  nowMs,
  onProblem,
  random = () => randomInt(1_000) / 1_000,
}: SourceOptions) {
  const memories = new Map<string, Memory>()

  async function ask(source: RateSource): Promise<{ readings: RateReading[]; isFresh: boolean }> {
    const { name, everyMs = 0 } = source
    const memory = memories.get(name)
    const atMs = nowMs()
    if (memory && !isDue(memory, atMs)) return { readings: memory.readings, isFresh: false }
    const remember = (failures: number, readings: RateReading[]) => {
      const waitMs = waitAfter(failures, everyMs, random)
      memories.set(name, { atMs, waitMs, failures, isDoubted: false, readings })
      return { readings, isFresh: failures === 0 }
    }
    try {
      // What failed or was doubted may be an answer that broke on its way: it must come again, whole.
      return remember(0, await source.read(memory !== undefined && (memory.failures > 0 || memory.isDoubted)))
    } catch (error) {
      onProblem(name, error instanceof Error ? error.message : 'failed')
      return remember((memory?.failures ?? 0) + 1, everyMs > 0 && memory ? memory.readings : [])
    }
  }

  return {
    /** Of each currency the reading of the first source that has one that can be. */
    ask: async (): Promise<Map<PricedLabel, Said>> => {
      const answers = await Promise.all(sources.map(ask))
      const now = new Date(nowMs())
      const found = new Map<PricedLabel, Said>()
      for (const [at, { name, maxAgeMs }] of sources.entries()) {
        const { readings, isFresh } = answers[at] ?? { readings: [], isFresh: false }
        for (const reading of readings) {
          const why = problemWithReading(reading, now, maxAgeMs)
          if (why) onProblem(name, why)
          else if (!found.has(reading.label)) found.set(reading.label, { reading, maxAgeMs, isFresh })
        }
      }
      return found
    },

    /** What it said is in doubt: it is asked next time, whatever its pace, unless it fails anyway. */
    doubt: (name: string): void => {
      const memory = memories.get(name)
      if (memory && memory.failures === 0) memories.set(name, { ...memory, waitMs: 0, isDoubted: true })
    },
  }
}
