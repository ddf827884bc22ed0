import type { NameQuality, Strength } from '../screening.ts'
import type { Alignment } from './align.ts'
import { isSure } from './ask.ts'
import type { BirthEvidence } from './birth-date.ts'
import type { NameKind } from './words.ts'

/** From this score on somebody looks, and from that one on it is as good as the same name. */
export const possibleFrom = 78
export const matchFrom = 92

/**
 * Evidence is what the matched words tell, in shares of what singles out one entry: for an evidence of 1 a list has one
 * name by chance, for 1.5 one party in a hundred meets one. So the less of a name is the same, the more it has to tell:
 * whole but with a letter off or a nickname; with words that one side lacks; with words that each side lacks. The same
 * name needs nothing: a common name that is on the list is still on the list.
 */
const leastEvidence = {
  person: { similar: 0.8, partial: 1.44, mixed: 1.9, reordered: 0.5 },
  // One word that nobody else has makes a business; what it deals in is named beside it or not.
  business: { similar: 0.8, partial: 0.95, mixed: 0.97, reordered: 0.2 },
} as const
const birthEvidence = { agrees: 1, 'same year': 0.35, near: 0.05, unknown: 0, contradicts: -0.4 } as const
const birthPoints = { agrees: 6, 'same year': 2, near: 0, unknown: 0 } as const
const pointsOff = { contradicts: 12, contradictsCommon: 30, weak: 4, mixed: 4 }
// A listed name of one word has little to compare: the party's name must be hardly more than that word.
const leastOfAsked = { oneWord: 0.9, shortWord: 0.97 }

export type Judgement = { score: number; strength: Strength }
export type Judged = { kind: NameKind; quality: NameQuality; birth: BirthEvidence; oneWord?: string | undefined }

/** What a listed name and a party's name have in common, as a number and a word; undefined when it is nothing to tell. */
export function judge(alignment: Alignment, { kind, quality, birth, oneWord }: Judged): Judgement | undefined {
  const { ofListed, ofAsked, hasListedRest, hasAskedRest, kinds } = alignment
  const isWhole = !hasListedRest && !hasAskedRest
  const isMixed = hasListedRest && hasAskedRest
  const isSame = isWhole && [...kinds].every(isSure)
  const evidence = alignment.evidence + birthEvidence[birth]
  if (!isSame && evidence < needed(alignment, kind)) return undefined
  if (!isSame && !hasBackbone(alignment, kind, birth)) return undefined
  if (oneWord !== undefined && ofAsked < leastOfAsked[oneWord.length <= 4 ? 'shortWord' : 'oneWord']) return undefined
  if (quality === 'weak' && !isWhole && birth !== 'agrees') return undefined
  const off = (quality === 'weak' ? pointsOff.weak : 0) + (isMixed ? pointsOff.mixed : 0)
  const score = Math.round(50 * (ofListed + ofAsked) - off + pointsOfBirth(birth, alignment.evidence))
  if (score < possibleFrom) return undefined
  const isCertain = birth === 'agrees' || (isSame && birth !== 'contradicts' && quality !== 'weak')
  return { score: Math.min(score, 100), strength: score >= matchFrom && isCertain ? 'match' : 'possible' }
}

function needed({ hasListedRest, hasAskedRest, isReordered }: Alignment, kind: NameKind): number {
  const least = leastEvidence[kind]
  if (!hasListedRest && !hasAskedRest) return least.similar
  return (hasListedRest && hasAskedRest ? least.mixed : least.partial) + (isReordered ? least.reordered : 0)
}

/**
 * A person is a family name and a given one; two given names of somebody are nobody yet. Part of the name of a business
 * has to be that part, and not something like it.
 */
function hasBackbone(alignment: Alignment, kind: NameKind, birth: BirthEvidence): boolean {
  const { hasFamily, hasGiven, hasLead, matchedWords, hasListedRest, hasAskedRest, kinds } = alignment
  if (kind === 'person') return hasFamily && hasGiven && hasLead && (matchedWords >= 2 || birth === 'agrees')
  return (!hasListedRest && !hasAskedRest) || !(kinds.has('vowels') || kinds.has('letter'))
}

/** Many share a common name: with another birth date it is somebody else. A rare one is looked at all the same. */
function pointsOfBirth(birth: BirthEvidence, evidence: number): number {
  if (birth !== 'contradicts') return birthPoints[birth]
  return -pointsOff.contradicts - pointsOff.contradictsCommon * Math.max(0, 1 - evidence / 1.5)
}
