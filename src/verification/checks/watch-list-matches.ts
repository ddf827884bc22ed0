import { type Finding, needsReview, type Submission, type WatchListMatch } from '../submission.ts'

/** A watch-list match decides nothing by itself: many people share a name with a listed person. */
export function checkWatchListMatches({ watchListMatches = [] }: Submission): Finding[] {
  return watchListMatches.map(findingOfMatch)
}

export function findingOfMatch({ field, ...watchList }: WatchListMatch): Finding {
  return { ...needsReview(watchList.strength === 'match' ? 'AML_MATCH' : 'AML_WARNING', field), watchList }
}
