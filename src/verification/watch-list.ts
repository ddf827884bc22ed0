import type { ScreenedName, ScreeningMatch } from '../screening/screening.ts'

/** Screens names against the current watch list. */
export type WatchList = {
  screen(names: readonly ScreenedName[]): Promise<readonly ScreeningMatch[]>
  /** Returns the version of the current list; undefined when no list is imported. Higher is newer. */
  currentVersion(): Promise<number | undefined>
}
