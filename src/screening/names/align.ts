import type { Likeness, LikenessKind } from './likeness.ts'
import type { IndexedName, NameIndex } from './name-index.ts'
import { initialWeight, isSure, type QueryName } from './query.ts'

/** A screened name aligned with a listed one. `ofListed` and `ofQuery` are matched shares of weight, 0 to 1. */
export type Alignment = {
  ofListed: number
  ofQuery: number
  /** The weight of the matched words. At 1, chance leaves one name of the list. */
  evidence: number
  kinds: ReadonlySet<LikenessKind>
  /** True when this side has words that the other lacks. */
  hasUnmatchedListed: boolean
  hasUnmatchedQuery: boolean
  hasJoin: boolean
  isReordered: boolean
  matchedWords: number
  hasFamily: boolean
  hasGiven: boolean
  /** True when the first family name or the first given name is matched: people are called by these. */
  hasLead: boolean
  /** True for the first given name with the first family name: the form in which people shorten a longer name. */
  isShortForm: boolean
  /** True when the matched words stand in a row among words of trade, or among many words that are no names. */
  isPadded: boolean
  /** True when a row of matched words stands among other words. */
  isRow: boolean
  /** True when the family name is written first, and each word is a given name as well: Omar Ali is not Ali Omar. */
  isExchanged: boolean
  /** True for a name of Chinese or Korean syllables: in another order it is another name. */
  isSyllabic: boolean
  /** The weight of the heaviest word of a business that the other side lacks. */
  maxUnmatched: number
}

type Pair = Likeness & { query: number; listed: number; weight: number; span: number }

// Middle names and second family names are the first that people leave out.
const omissionFactors = { given: 0.5, family: 0.7 }

/** Pairs the units of a screened name with those of a listed name, the most similar pairs first. */
export function alignNames(index: NameIndex, query: QueryName, name: IndexedName): Alignment {
  const chosen = choosePairs(index, query, name)
  const queryMask = chosen.reduce((mask, pair) => mask | pair.query, 0)
  const listedMask = chosen.reduce((mask, pair) => mask | pair.listed, 0)
  const matched = chosen.reduce((sum, { weight, similarity }) => sum + weight * similarity, 0)
  const whole = chosen.reduce((sum, { weight }) => sum + weight, 0)
  const { familyMask } = name
  // The lowest bit above the family names is the first given name.
  const firstGiven = familyMask + 1
  const hasFamily = familyMask === 0 || (listedMask & familyMask) !== 0
  const lastBit = 1 << (name.wordCount - 1)
  return {
    ofListed: matched / (whole + unmatchedListedWeight(index, name, listedMask)),
    ofQuery: matched / (whole + unmatchedQueryWeight(query, queryMask)),
    evidence: chosen.reduce((sum, { weight, reliability }) => sum + weight * reliability, 0),
    kinds: new Set(chosen.map(({ kind }) => kind)),
    hasUnmatchedListed: listedMask !== (1 << name.wordCount) - 1,
    hasUnmatchedQuery: queryMask !== (1 << query.words.length) - 1,
    hasJoin: chosen.some(({ span }) => span > 2),
    isReordered: isReordered(chosen, familyMask),
    matchedWords: countBits(listedMask),
    hasFamily,
    hasGiven: familyMask === 0 || (listedMask & ~familyMask) !== 0,
    hasLead: familyMask === 0 || (listedMask & (1 | firstGiven)) !== 0,
    isShortForm:
      !name.isSyllabic && (listedMask & 1) !== 0 && (listedMask & (familyMask === 0 ? lastBit : firstGiven)) !== 0,
    isRow: isRun(queryMask),
    isPadded: isRun(queryMask) && isPadding(query, queryMask),
    isExchanged: isExchanged(index, name, chosen),
    isSyllabic: name.isSyllabic,
    maxUnmatched: maxUnmatchedWeight(index, query, name, queryMask, listedMask),
  }
}

const maxExtraWords = 3

function isPadding({ fillerMask, nameMask, words }: QueryName, matched: number): boolean {
  const extra = ((1 << words.length) - 1) & ~matched
  return (extra & ~fillerMask) === 0 || (countBits(extra) > maxExtraWords && (extra & nameMask) === 0)
}

/** True for bits in a row. */
function isRun(mask: number): boolean {
  const shifted = mask / (mask & -mask)
  return (shifted & (shifted + 1)) === 0
}

function maxUnmatchedWeight(
  index: NameIndex,
  query: QueryName,
  name: IndexedName,
  inQuery: number,
  inListed: number,
): number {
  let max = 0
  if (index.kind === 'person') return max
  for (const { covers, sureWeight } of query.words) if ((inQuery & covers) === 0) max = Math.max(max, sureWeight)
  for (let at = 0; at < name.wordCount; at++)
    if ((inListed & (1 << at)) === 0) max = Math.max(max, index.weightOf(index.units[name.unitsFrom + at] ?? 0))
  return max
}

/** Tells cheaply whether enough units of a name are similar to align it. */
export function isWorthAligning(index: NameIndex, query: QueryName, name: IndexedName): boolean {
  if (index.kind === 'business' || query.hasInitial || query.words.length < 2 || name.wordCount < 2) return true
  let covered = 0
  for (let at = name.unitsFrom; at < name.unitsTo; at++) {
    if (query.unitsLike.has(index.units[at] ?? 0)) covered |= index.covers[at] ?? 0
  }
  return countBits(covered) > 1
}

function choosePairs(index: NameIndex, query: QueryName, name: IndexedName): Pair[] {
  const pairs: Pair[] = []
  for (let at = name.unitsFrom; at < name.unitsTo; at++) {
    const listed = index.covers[at] ?? 0
    for (const { unit, likeness } of query.unitsLike.get(index.units[at] ?? 0) ?? []) {
      const { covers, sureWeight, looseWeight } = unit
      const span = countBits(covers) + countBits(listed)
      pairs.push({ query: covers, listed, ...likeness, weight: isSure(likeness.kind) ? sureWeight : looseWeight, span })
    }
  }
  // More similar pairs first, then single words before joined ones, then rare words before common ones.
  pairs.sort((one, other) => other.similarity - one.similarity || one.span - other.span || other.weight - one.weight)
  const chosen: Pair[] = []
  let [queryMask, listedMask] = [0, 0]
  for (const pair of pairs) {
    if ((queryMask & pair.query) !== 0 || (listedMask & pair.listed) !== 0) continue
    chosen.push(pair)
    queryMask |= pair.query
    listedMask |= pair.listed
  }
  return index.kind === 'person' ? [...chosen, ...matchInitials(index, query, name, queryMask, listedMask)] : chosen
}

/** Pairs the words that are left over: a single letter may stand for a word that begins with it. */
function matchInitials(
  index: NameIndex,
  query: QueryName,
  name: IndexedName,
  queryMask: number,
  listedMask: number,
): Pair[] {
  const pairs: Pair[] = []
  let taken = queryMask
  for (let at = 0; at < name.wordCount; at++) {
    if ((listedMask & (1 << at)) !== 0) continue
    const listed = index.words.textOf(index.units[name.unitsFrom + at] ?? 0)
    const found = query.words.find(
      ({ text, covers }) =>
        (taken & covers) === 0 && (text.length === 1 || listed.length === 1) && text[0] === listed[0],
    )
    if (!found) continue
    taken |= found.covers
    const initial = { kind: 'initial', similarity: 0.9, reliability: 1, weight: initialWeight, span: 2 } as const
    pairs.push({ query: found.covers, listed: 1 << at, ...initial })
  }
  return pairs
}

/** Sums the weight of the unmatched words of the listed name. */
function unmatchedListedWeight(index: NameIndex, name: IndexedName, matched: number): number {
  let sum = 0
  for (let at = 0; at < name.wordCount; at++) {
    const bit = 1 << at
    if ((matched & bit) !== 0) continue
    const part = (name.familyMask & bit) !== 0 ? name.familyMask : ~name.familyMask
    // People leave out a given or family name when another one is there.
    const isOmittable = name.familyMask !== 0 && (matched & part) !== 0
    const factor = isOmittable ? omissionFactors[part === name.familyMask ? 'family' : 'given'] : 1
    sum += index.weightOf(index.units[name.unitsFrom + at] ?? 0) * factor
  }
  return sum
}

function unmatchedQueryWeight({ words }: QueryName, matched: number): number {
  return words.reduce((sum, { covers, sureWeight }) => ((matched & covers) !== 0 ? sum : sum + sureWeight), 0)
}

/** True unless the words are in the listed order, with the family name first or last. */
function isReordered(chosen: readonly Pair[], familyMask: number): boolean {
  return !isInOrder(chosen, ({ listed }) => listed) && !isInOrder(chosen, givenFirstPlace(familyMask))
}

function isInOrder(chosen: readonly Pair[], place: (pair: Pair) => number): boolean {
  const places = chosen.toSorted((one, other) => one.query - other.query).map(place)
  return places.every((each, at) => at === 0 || each > (places[at - 1] ?? 0))
}

function isExchanged(index: NameIndex, { familyMask, unitsFrom }: IndexedName, chosen: readonly Pair[]): boolean {
  if (familyMask === 0 || isInOrder(chosen, givenFirstPlace(familyMask))) return false
  const wordOf = (listed: number) => index.units[unitsFrom + 31 - Math.clz32(listed)] ?? 0
  return chosen.every(({ listed }) => countBits(listed) === 1 && index.isEitherName(wordOf(listed)))
}

/** The place of a listed word when the family name comes last. */
function givenFirstPlace(familyMask: number): (pair: Pair) => number {
  return ({ listed }) => ((listed & familyMask) !== 0 ? listed * 65_536 : listed)
}

function countBits(mask: number): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1
  return count
}
