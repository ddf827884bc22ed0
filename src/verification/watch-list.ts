import type { Party } from './parties.ts'
import type { WatchListEntry } from './submission.ts'

export type ScreeningHit = WatchListEntry & { strength: 'match' | 'possible'; field?: string }

/** Compares names with the watch list that is loaded. */
export type WatchList = {
  screen(parties: readonly Party[]): Promise<readonly ScreeningHit[]>
  /** The number of the list that `screen` compares with; undefined when none is loaded. Higher is newer. */
  currentVersion(): Promise<number | undefined>
}
