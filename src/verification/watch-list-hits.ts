import { type Finding, needsReview, type Submission } from './submission.ts'

/** A hit decides nothing by itself: many people share a name with somebody on a list. */
export function checkWatchListHits({ watchListHits = [] }: Submission): Finding[] {
  return watchListHits.map(({ field, ...watchList }) => ({
    ...needsReview(watchList.strength === 'match' ? 'AML_MATCH' : 'AML_WARNING', field),
    watchList,
  }))
}
