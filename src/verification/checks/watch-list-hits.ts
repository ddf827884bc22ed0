import { type Finding, needsReview, type Submission, type WatchListHit } from '../submission.ts'

/** A hit decides nothing by itself: many people share a name with somebody on a list. */
export function checkWatchListHits({ watchListHits = [] }: Submission): Finding[] {
  return watchListHits.map(findingOfHit)
}

export function findingOfHit({ field, ...watchList }: WatchListHit): Finding {
  return { ...needsReview(watchList.strength === 'match' ? 'AML_MATCH' : 'AML_WARNING', field), watchList }
}
