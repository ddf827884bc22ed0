import type { NameQuality } from '../screening.ts'
import type { Alignment } from './align.ts'
import type { BirthEvidence } from './birth-date.ts'

export type MatchContext = { quality: NameQuality; birth: BirthEvidence; isOtherScript: boolean; isPart: boolean }

/** Explains a match to the reviewer. The reasons quote no name. */
export function describeMatch(alignment: Alignment, { quality, birth, isOtherScript, isPart }: MatchContext): string[] {
  const { kinds, hasUnmatchedListed, hasUnmatchedQuery, hasJoin, isReordered } = alignment
  const isSame = !hasUnmatchedListed && !hasUnmatchedQuery && kinds.size === 1 && kinds.has('same')
  const reasons: readonly (readonly [boolean, string])[] = [
    [isSame && !isOtherScript && !isReordered && !hasJoin && !isPart, 'the same name'],
    [isPart, 'the listed name is a part of this name'],
    [isOtherScript, 'written in another script'],
    [kinds.has('spelling') || kinds.has('vowels'), 'a word is another spelling of the same name'],
    [kinds.has('letter'), 'a word differs in one letter'],
    [kinds.has('nickname'), 'a word is a short form of the listed one'],
    [kinds.has('initial'), 'an initial stands for a word'],
    [hasJoin, 'words are joined or split'],
    [isReordered, 'the words are in another order'],
    [hasUnmatchedListed, 'part of the listed name is missing'],
    [hasUnmatchedQuery, 'this name has a word that the listed name lacks'],
    [quality === 'alternate', 'an alternate name on the list'],
    [quality === 'weak', 'a weak alternate name on the list'],
    [birth === 'agrees', 'the birth date agrees'],
    [birth === 'close', 'the birth date is a slip away'],
    [birth === 'same year', 'the birth year agrees'],
    [birth === 'near', 'the birth year is within three years'],
    [birth === 'contradicts', 'the birth date contradicts'],
  ]
  return reasons.filter(([applies]) => applies).map(([, reason]) => reason)
}
