import type { NameQuality } from '../screening.ts'
import type { Alignment } from './align.ts'
import type { BirthEvidence } from './birth-date.ts'

export type Described = { quality: NameQuality; birth: BirthEvidence; isOtherScript: boolean }

/** Why a name was told, in words for whoever decides. They quote nobody's name. */
export function describeMatch(alignment: Alignment, { quality, birth, isOtherScript }: Described): string[] {
  const { kinds, hasListedRest, hasAskedRest, hasJoin, isReordered } = alignment
  const isSame = !hasListedRest && !hasAskedRest && kinds.size === 1 && kinds.has('same')
  const told: readonly (readonly [boolean, string])[] = [
    [isSame && !isOtherScript && !isReordered && !hasJoin, 'the same name'],
    [isOtherScript, 'written in another script'],
    [kinds.has('spelling') || kinds.has('vowels'), 'a word is another spelling of the same name'],
    [kinds.has('letter'), 'a word differs in one letter'],
    [kinds.has('nickname'), 'a word is a short form of the listed one'],
    [kinds.has('initial'), 'an initial stands for a word'],
    [hasJoin, 'words are joined or split'],
    [isReordered, 'the words are in another order'],
    [hasListedRest, 'part of the listed name is missing'],
    [hasAskedRest, 'the listed name lacks a word of this one'],
    [quality === 'alternate', 'an alternate name on the list'],
    [quality === 'weak', 'a weak alternate name on the list'],
    [birth === 'agrees', 'the birth date agrees'],
    [birth === 'same year', 'the birth year agrees'],
    [birth === 'near', 'the birth year is within three years'],
    [birth === 'contradicts', 'the birth date contradicts'],
  ]
  return told.filter(([isSo]) => isSo).map(([, words]) => words)
}
