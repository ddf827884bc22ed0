import type { Database } from '../../../db/database.ts'
import type { BankExchange } from '../exchange.ts'
import { endProblem, findRecorded, recordProblem } from './folder-store.ts'

export type FolderDeps = {
  database: Database
  exchange: BankExchange
  /** The folders cannot be used: nothing is sent, read or judged. Undefined when they can be used again. */
  onFolders(problem: string | undefined): void
}

/** A worker records a staged file within an hour of writing it, or never (`stageFile`). */
const graceMs = 24 * 3_600_000
const sweepEveryMs = 3_600_000
const lookEveryMs = 2_000

/** Watches the folders, and tells operators when they cannot be used. */
export function createFolderWatch({ database, exchange, onFolders }: FolderDeps) {
  let told: string | undefined
  let isRecorded = true
  let sweptAt = 0
  let lookedAtMs = 0

  /** Removes staged files of workers that died before they had recorded them. */
  async function sweep(): Promise<void> {
    const old = await exchange.listStaged(graceMs)
    const recorded = old.length > 0 ? await findRecorded(database, old) : []
    for (const name of old) if (!recorded.includes(name)) await exchange.discard(name)
  }

  return {
    sweep,

    /** True when the folders have another problem than at the last look, or none any more, or the record says so. */
    hasNews: async (): Promise<boolean> => {
      if (performance.now() - lookedAtMs < lookEveryMs) return false
      lookedAtMs = performance.now()
      return !isRecorded || (await exchange.findProblem()) !== told
    },
    wereUsable: (): boolean => told === undefined,

    /** True when the folders can be used now. */
    areUsable: async (): Promise<boolean> => {
      const problem = await exchange.findProblem()
      if (problem !== told) onFolders(problem)
      told = problem
      if (problem !== undefined) {
        await recordProblem(database, problem)
        return false
      }
      isRecorded = await endProblem(database)
      if (Date.now() - sweptAt > sweepEveryMs) {
        sweptAt = Date.now()
        await sweep()
      }
      return true
    },
  }
}
