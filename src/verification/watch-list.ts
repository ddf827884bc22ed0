import type { ScreenedName, ScreeningMatch } from '../screening/screening.ts'

/** Compares names with the watch list in force. */
export type WatchList = {
  screen(parties: readonly ScreenedName[]): Promise<readonly ScreeningMatch[]>
  /** The number of the list that `screen` compares with; undefined when there is none. Higher is newer. */
  currentVersion(): Promise<number | undefined>
}
