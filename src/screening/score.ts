import type { Alignment } from './align.ts'
import type { BirthEvidence } from './birth-date.ts'
import type { NameQuality, Strength } from './screening.ts'
import type { NameKind } from './words.ts'

/** From this score on somebody looks, and from that one on it is as good as the same name. */
export const possibleFrom = 78
export const matchFrom = 93

/**
 * Evidence is what the matched words tell, in shares of what singles out one entry: a list has one name by chance for an
 * evidence of 1, and one in a hundred parties meets one at about 1.5. So the less of the name is the same, the more it
 * has to tell. The same name needs nothing: a common name that is on the list is still on the list.
 */
const leastEvidence = {
  person: { similar: 0.8, partial: 1.2 },
  // One word that nobody else has makes a business; what it deals in is named beside it or not.
  business: { similar: 0.8, partial: 0.95 },
} as const
const birthEvidence = { agrees: 1, near: 0.1, unknown: 0, contradicts: -0.5 } as const
const birthPoints = { agrees: 4, near: 0, unknown: 0 } as const
const pointsOff = { contradicts: 12, contradictsCommon: 20, weak: 4 }
// A listed name of one word, and its like: more than a nickname in common is needed.
const leastOfAsked = { oneWord: 0.9, shortWord: 0.97 }

export type Judgement = { score: number; strength: Strength }
export type Judged = { kind: NameKind; quality: NameQuality; birth: BirthEvidence; oneWord?: string | undefined }

/** What a listed name and a party's name have in common, as a number and a word; undefined when it is nothing to tell. */
export function judge(alignment: Alignment, { kind, quality, birth, oneWord }: Judged): Judgement | undefined {
  const { ofListed, ofAsked, isWhole, kinds } = alignment
  const isSame = isWhole && [...kinds].every((each) => each === 'same' || each === 'spelling' || each === 'script')
  const evidence = alignment.evidence + birthEvidence[birth]
  if (!isSame && evidence < leastEvidence[kind][isWhole ? 'similar' : 'partial']) return undefined
  if (!isSame && !hasBackbone(alignment, kind, birth)) return undefined
  if (oneWord !== undefined && ofAsked < leastOfAsked[oneWord.length <= 4 ? 'shortWord' : 'oneWord']) return undefined
  if (quality === 'weak' && !isWhole && birth !== 'agrees') return undefined
  const score = Math.round(
    50 * (ofListed + ofAsked) - (quality === 'weak' ? pointsOff.weak : 0) + pointsOfBirth(birth, alignment.evidence),
  )
  if (score < possibleFrom) return undefined
  const isSure = birth === 'agrees' || (isSame && birth !== 'contradicts' && quality !== 'weak')
  const strength = score >= matchFrom && isSure ? 'match' : 'possible'
  return { score: Math.min(score, 100), strength }
}

/** A person is a family name and a given one; two words of each other are no person. */
function hasBackbone({ hasFamily, hasGiven, matchedWords }: Alignment, kind: NameKind, birth: BirthEvidence): boolean {
  if (kind === 'business') return true
  return hasFamily && hasGiven && (matchedWords >= 2 || birth === 'agrees')
}

/** Many share a common name: with another birth date it is somebody else. A rare one is looked at all the same. */
function pointsOfBirth(birth: BirthEvidence, evidence: number): number {
  if (birth !== 'contradicts') return birthPoints[birth]
  return -pointsOff.contradicts - pointsOff.contradictsCommon * Math.max(0, 1 - evidence / 1.5)
}
