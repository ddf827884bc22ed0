import type { NameQuality, Strength } from '../screening.ts'
import type { Alignment } from './align.ts'
import type { BirthEvidence } from './birth-date.ts'
import { isSure, lightWeight } from './query.ts'
import type { NameKind } from './words.ts'

/** The minimum scores of a possible match, which a reviewer judges, and of practically the same name. */
export const minPossibleScore = 78
export const minMatchScore = 92

/**
 * The minimum evidence by how well the names agree: `similar` (whole, but with a typo or nickname), `short` (the first
 * given name and the first family name of a longer listed name), `contained` (the whole listed name in a row among other
 * words), `padded` (among words of trade, or more words than a name has),
 * `partial` (one side has more words), `mixed` (each side has more words). With an evidence of 1, a list has one such
 * name by chance; with 1.5, one screened name in a hundred finds one.
 */
const minEvidence = {
  person: {
    similar: 0.8,
    padded: 0.75,
    contained: 1.35,
    partial: 1.5,
    mixed: 1.9,
    reordered: 0.5,
    exchanged: 0.14,
    alternate: 0.2,
  },
  // One unique word identifies a business; words for its trade are often left out.
  business: {
    similar: 0.45,
    padded: 0.85,
    contained: 0.95,
    partial: 0.95,
    mixed: 0.97,
    reordered: 0.2,
    exchanged: 0,
    alternate: 0,
  },
} as const
/**
 * The minimum evidence of the whole name. The main name of an entry in its order needs none: a common name can be
 * listed too. Common words in exchanged places, or the commonest as an alternate name, are the name of too many others.
 */
const minWhole = { primary: 0, alternate: 1.25, weak: 1, exchanged: 1.2 } as const
const birthEvidence = { agrees: 1, close: 0.8, 'same year': 0.4, near: 0.2, unknown: 0, contradicts: -0.4 } as const
const birthPoints = { agrees: 6, close: 4, 'same year': 2, near: 0, unknown: 0 } as const
const penalties = { contradicts: 12, contradictsCommon: 120, weak: 4, mixed: 4 }
// A listed name of one word has little to compare: the screened name must be hardly more than that word.
const minOfQuery = { oneWord: 0.85, shortWord: 0.97 }
// A shorter word is a typo of too many others.
const minTypoLength = 6
const minContainedLength = 6
const minContainedEvidence = 0.85
// A short form and a name among other words is a possible match, however many words are missing.
const shortScore = 82

export type MatchScore = { score: number; strength: Strength }
export type ScoreContext = {
  kind: NameKind
  /** The evidence that a short form needs on this list. */
  minShort: number
  quality: NameQuality
  birth: BirthEvidence
  isCraft?: boolean
  /** True when a part of the screened name is compared. */
  isPart?: boolean
  oneWord?: string | undefined
}

/** Scores an alignment; undefined when it is no match. */
export function scoreAlignment(alignment: Alignment, context: ScoreContext): MatchScore | undefined {
  const { kind, quality, birth, isCraft = false, isPart = false, oneWord } = context
  const { ofListed, ofQuery, hasUnmatchedListed, hasUnmatchedQuery, kinds } = alignment
  const isWhole = !hasUnmatchedListed && !hasUnmatchedQuery
  const isMixed = hasUnmatchedListed && hasUnmatchedQuery
  const form = formOf(alignment, kind)
  const evidence = alignment.evidence + birthEvidence[birth]
  const isSame = isWhole && [...kinds].every(isSure) && !(alignment.isSyllabic && alignment.isReordered)
  if (isSame && kind === 'person' && evidence < minEvidenceOfWhole(alignment, quality)) return undefined
  if (!isSame && evidence < requiredEvidence(alignment, form, context)) return undefined
  if (!isSame && !hasCoreName(alignment, kind, birth)) return undefined
  if (alignment.isSyllabic && alignment.isReordered && alignment.matchedWords > 2) return undefined
  if (oneWord !== undefined && !isEnough(alignment, oneWord, form, isCraft)) return undefined
  if (quality === 'weak' && !isWhole && birth !== 'agrees') return undefined
  const penalty = (quality === 'weak' ? penalties.weak : 0) + (isMixed ? penalties.mixed : 0)
  const likeness = 50 * (ofListed + ofQuery) - penalty
  const floor = form === 'short' || form === 'contained' ? shortScore : 0
  const score = Math.round(Math.max(likeness, floor) + pointsOfBirth(birth, alignment))
  if (score < minPossibleScore) return undefined
  const isSameName = isSame && !isPart && birth !== 'contradicts' && quality !== 'weak'
  const isCertain = birth === 'agrees' || isSameName
  return { score: Math.min(score, 100), strength: score >= minMatchScore && isCertain ? 'match' : 'possible' }
}

function minEvidenceOfWhole({ isSyllabic, isExchanged, matchedWords }: Alignment, quality: NameQuality): number {
  if (isSyllabic || matchedWords < 2) return 0
  return Math.max(minWhole[quality], isExchanged ? minWhole.exchanged : 0)
}

/** A listed name of one word must be hardly less than the screened name; a long rare one may stand among fillers. */
function isEnough(
  { ofQuery, kinds, evidence, isPadded }: Alignment,
  oneWord: string,
  form: Form,
  isCraft: boolean,
): boolean {
  if (kinds.has('letter') && oneWord.length < minTypoLength) return false
  const isAmongFillers = form === 'short' || (form === 'contained' && isPadded)
  const isLong = oneWord.length >= minContainedLength && !isCraft
  if (isAmongFillers && isLong && evidence >= minContainedEvidence) return true
  return ofQuery >= minOfQuery[oneWord.length <= 4 ? 'shortWord' : 'oneWord']
}

type Form = 'whole' | 'short' | 'contained' | 'partial' | 'mixed'

/** Tells in which form the two names agree. */
function formOf(alignment: Alignment, kind: NameKind): Form {
  const { hasUnmatchedListed, hasUnmatchedQuery, isShortForm, isReordered, maxUnmatched, kinds } = alignment
  if (!hasUnmatchedListed && !hasUnmatchedQuery) return 'whole'
  // Two trades behind words that only sound alike are two businesses.
  const isTwoTrades = hasUnmatchedListed && hasUnmatchedQuery && kinds.size + (kinds.has('same') ? 0 : 1) > 1
  if (kind === 'business' && maxUnmatched <= lightWeight && !isTwoTrades) return 'short'
  // A part of a name with other vowels is another name: Tabov is not Tobov.
  const areSure = [...kinds].every((each) => isSure(each) && each !== 'vowels')
  if (!hasUnmatchedQuery) return kind === 'person' && isShortForm && areSure && !isReordered ? 'short' : 'partial'
  if (!hasUnmatchedListed) return alignment.isRow && areSure && !isReordered ? 'contained' : 'partial'
  return 'mixed'
}

function requiredEvidence(alignment: Alignment, form: Form, { kind, quality, minShort }: ScoreContext): number {
  const { isReordered, isExchanged, isPadded } = alignment
  const min = minEvidence[kind]
  if (form === 'whole') return min.similar
  if (form === 'contained' && isPadded) return min.padded
  const isOther = form === 'short' && isExchanged
  const extra = (isReordered ? min.reordered : 0) + (isOther ? min.exchanged : 0)
  // Lists add a person's name in many forms, some of them of two common words.
  return (form === 'short' ? minShort : min[form]) + extra + (quality === 'primary' ? 0 : min.alternate)
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

// Few syllables make all Chinese and Korean names, so that one of them is never very rare.
const syllabicShare = 0.8

/** A common name with another birth date is another person. A rare name loses fewer points. */
function pointsOfBirth(birth: BirthEvidence, { evidence, isSyllabic }: Alignment): number {
  if (birth !== 'contradicts') return birthPoints[birth]
  const rare = evidence * (isSyllabic ? syllabicShare : 1)
  return -penalties.contradicts - penalties.contradictsCommon * Math.max(0, 1 - rare / 1.5)
}
