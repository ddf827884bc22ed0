import type { NameQuality, Strength } from '../screening.ts'
import type { Alignment } from './align.ts'
import type { BirthEvidence } from './birth-date.ts'
import { isSure } from './query.ts'
import type { NameKind } from './words.ts'

/** The minimum scores of a possible match, which a reviewer judges, and of practically the same name. */
export const minPossibleScore = 78
export const minMatchScore = 92

/**
 * The minimum evidence by how well the names agree: `similar` (whole, but with a typo or nickname), `partial` (one side
 * has more words), `mixed` (each side has more words). With an evidence of 1, a list has one such name by chance; with
 * 1.5, one screened name in a hundred finds one. An equal name needs no evidence: a common name can be listed too.
 */
const minEvidence = {
  person: { similar: 0.8, partial: 1.44, mixed: 1.9, reordered: 0.5 },
  // One unique word identifies a business; words for its trade are often left out.
  business: { similar: 0.8, partial: 0.95, mixed: 0.97, reordered: 0.2 },
} as const
const birthEvidence = { agrees: 1, 'same year': 0.35, near: 0.05, unknown: 0, contradicts: -0.4 } as const
const birthPoints = { agrees: 6, 'same year': 2, near: 0, unknown: 0 } as const
const penalties = { contradicts: 12, contradictsCommon: 30, weak: 4, mixed: 4 }
// A listed name of one word has little to compare: the screened name must be hardly more than that word.
const minOfQuery = { oneWord: 0.9, shortWord: 0.97 }

export type MatchScore = { score: number; strength: Strength }
export type ScoreContext = { kind: NameKind; quality: NameQuality; birth: BirthEvidence; oneWord?: string | undefined }

/** Scores an alignment; undefined when it is no match. */
export function scoreAlignment(
  alignment: Alignment,
  { kind, quality, birth, oneWord }: ScoreContext,
): MatchScore | undefined {
  const { ofListed, ofQuery, hasUnmatchedListed, hasUnmatchedQuery, kinds } = alignment
  const isWhole = !hasUnmatchedListed && !hasUnmatchedQuery
  const isMixed = hasUnmatchedListed && hasUnmatchedQuery
  const isSame = isWhole && [...kinds].every(isSure)
  const evidence = alignment.evidence + birthEvidence[birth]
  if (!isSame && evidence < requiredEvidence(alignment, kind)) return undefined
  if (!isSame && !hasCoreName(alignment, kind, birth)) return undefined
  if (oneWord !== undefined && ofQuery < minOfQuery[oneWord.length <= 4 ? 'shortWord' : 'oneWord']) return undefined
  if (quality === 'weak' && !isWhole && birth !== 'agrees') return undefined
  const penalty = (quality === 'weak' ? penalties.weak : 0) + (isMixed ? penalties.mixed : 0)
  const score = Math.round(50 * (ofListed + ofQuery) - penalty + pointsOfBirth(birth, alignment.evidence))
  if (score < minPossibleScore) return undefined
  const isCertain = birth === 'agrees' || (isSame && birth !== 'contradicts' && quality !== 'weak')
  return { score: Math.min(score, 100), strength: score >= minMatchScore && isCertain ? 'match' : 'possible' }
}

function requiredEvidence({ hasUnmatchedListed, hasUnmatchedQuery, isReordered }: Alignment, kind: NameKind): number {
  const min = minEvidence[kind]
  if (!hasUnmatchedListed && !hasUnmatchedQuery) return min.similar
  return (hasUnmatchedListed && hasUnmatchedQuery ? min.mixed : min.partial) + (isReordered ? min.reordered : 0)
}

/**
 * A person must match by a family name and a given name: two given names identify no person. A part of a business name
 * must match exactly or by spelling.
 */
function hasCoreName(alignment: Alignment, kind: NameKind, birth: BirthEvidence): boolean {
  const { hasFamily, hasGiven, hasLead, matchedWords, hasUnmatchedListed, hasUnmatchedQuery, kinds } = alignment
  if (kind === 'person') return hasFamily && hasGiven && hasLead && (matchedWords >= 2 || birth === 'agrees')
  return (!hasUnmatchedListed && !hasUnmatchedQuery) || !(kinds.has('vowels') || kinds.has('letter'))
}

/** A common name with another birth date is another person. A rare name loses fewer points. */
function pointsOfBirth(birth: BirthEvidence, evidence: number): number {
  if (birth !== 'contradicts') return birthPoints[birth]
  return -penalties.contradicts - penalties.contradictsCommon * Math.max(0, 1 - evidence / 1.5)
}
