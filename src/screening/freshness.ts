import type { LoadedLists } from './lists/load.ts'
import type { WatchList } from './lists/store.ts'

/** The demands on watch lists. `isRequired`: without them no one is approved or paid without a person. */
export type Freshness = { isRequired: boolean; maxAgeSeconds: number }

/** NO_LIST: none is imported. OLD_LIST: one was not imported for too long. NOT_LOADED: this process is reading one. */
export type ScreeningGap = 'NO_LIST' | 'OLD_LIST' | 'NOT_LOADED'

/** Finds what is missing for screening. An operator removes a list that is no longer kept up to date. */
export function findGap(
  { maxAgeSeconds }: Freshness,
  inForce: readonly Pick<WatchList, 'list' | 'version' | 'ageSeconds'>[],
  { lists: loaded }: Pick<LoadedLists, 'lists'>,
): ScreeningGap | undefined {
  if (inForce.length === 0) return 'NO_LIST'
  if (inForce.some(({ ageSeconds }) => ageSeconds > maxAgeSeconds)) return 'OLD_LIST'
  // A version counts from when this process compares with it, not from its import.
  const isLoaded = ({ list, version }: Pick<WatchList, 'list' | 'version'>) =>
    loaded.some((each) => each.list === list && each.version >= version)
  return inForce.every(isLoaded) ? undefined : 'NOT_LOADED'
}
