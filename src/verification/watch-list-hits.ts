import { type Finding, needsReview, type Submission, type WatchListHit } from './submission.ts'

/** A hit decides nothing by itself: many people share a name with somebody on a list. */
export function checkWatchListHits({ watchListHits = [] }: Submission): Finding[] {
  return watchListHits.map(findingOfHit)
}

export function findingOfHit(hit: WatchListHit): Finding {
  const { field, strength, listVersion, entryNumber, listedName, score, reasons = [] } = hit
  const finding = needsReview(strength === 'match' ? 'AML_MATCH' : 'AML_WARNING', field)
  if (listVersion === undefined || entryNumber === undefined || listedName === undefined) return finding
  return { ...finding, watchList: { listVersion, entryNumber, listedName, score: score ?? 0, strength, reasons } }
}
