import { type Finding, needsReview, type Submission, type WatchListMatch } from '../submission.ts'

/** A hit decides nothing by itself: many people share a name with somebody on a list. */
export function checkWatchListMatches({ watchListMatches = [] }: Submission): Finding[] {
  return watchListMatches.map(findingOfMatch)
}

export function findingOfMatch({ field, ...watchList }: WatchListMatch): Finding {
  return { ...needsReview(watchList.strength === 'match' ? 'AML_MATCH' : 'AML_WARNING', field), watchList }
}
