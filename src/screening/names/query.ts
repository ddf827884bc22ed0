import { commonNameWeight } from './common-names.ts'
import { lightWords, tradeWords } from './common-words.ts'
import { type Likeness, type LikenessKind, toComparable } from './likeness.ts'
import type { NameIndex } from './name-index.ts'
import { pinyinKey } from './spelling/chinese.ts'
import { type NameUnit, type ParsedName, parseScreenedName, type Romanization } from './words.ts'

/** A unit of the screened name with its lookup on the list. */
export type QueryUnit = NameUnit & {
  /** The similar words of the list. */
  alike: ReadonlyMap<number, Likeness>
  /** The weight of the word if only sure forms count, and if doubtful ones count too. */
  sureWeight: number
  looseWeight: number
}

export type QueryName = {
  words: readonly QueryUnit[]
  /** The words, then the joins of neighbours. */
  units: readonly QueryUnit[]
  /** The similar units of each word of the list. */
  unitsLike: ReadonlyMap<number, readonly { unit: QueryUnit; likeness: Likeness }[]>
  hasInitial: boolean
  /** The words of trade, one bit each: fillers, not names. */
  fillerMask: number
  /** The words that are known as names, one bit each. */
  nameMask: number
  isOtherScript: boolean
  /** The evidence that a match with a part of the screened name needs; undefined for the whole name. */
  minEvidence: number | undefined
}

// An initial stands for many names: it adds little, and costs little where it is missing.
export const initialWeight = 0.1
// Up to this weight a word of a business says its trade, group or country.
export const lightWeight = 0.25
// The weight of a word that is not on the list: most names are rare, so it counts as fairly rare.
const unknownWeight = 0.7
// A word that two entries have is a name of its own, and hardly a typo of another.
const knownWordEntries = 2

/** True for another spelling of the same word. A word that is a letter off may be another word. */
export function isSure(kind: LikenessKind): boolean {
  return kind === 'same' || kind === 'spelling' || kind === 'script' || kind === 'vowels'
}

/** Looks up the words of a name and their joins, in each way that the name can be read. */
export function lookUpName(index: NameIndex, name: string): QueryName[] {
  const isOtherScript = /\p{L}/u.test(name.replaceAll(/\p{Script=Latin}/gu, ''))
  return parseScreenedName(name, index.kind).readings.map((parsed) => lookUpReading(index, parsed, isOtherScript))
}

function lookUpReading(index: NameIndex, parsed: ParsedName, isOtherScript: boolean): QueryName {
  const { words, joins, system, minEvidence } = parsed
  const queryWords = words.map((unit) => lookUpUnit(index, unit, system, false))
  const queryJoins = joins.map((unit) => capJoinWeight(lookUpUnit(index, unit, system, true), queryWords))
  const units = [...queryWords, ...queryJoins]
  const unitsLike = new Map<number, { unit: QueryUnit; likeness: Likeness }[]>()
  for (const unit of units) {
    for (const [word, likeness] of unit.alike) {
      const known = unitsLike.get(word)
      if (known) known.push({ unit, likeness })
      else unitsLike.set(word, [{ unit, likeness }])
    }
  }
  return {
    words: queryWords,
    units,
    unitsLike,
    hasInitial: words.some(({ text }) => text.length === 1),
    fillerMask: queryWords.reduce((mask, word) => (isFiller(index, word) ? mask | word.covers : mask), 0),
    nameMask: queryWords.reduce((mask, word) => (isName(index, word) ? mask | word.covers : mask), 0),
    isOtherScript,
    minEvidence,
  }
}

function isName(index: NameIndex, { text, alike }: QueryUnit): boolean {
  return alike.size > 0 || (index.kind === 'person' && commonNameWeight(text) !== undefined)
}

/** True for a word that says little about a business, and that no person is called by. */
function isFiller({ kind }: NameIndex, { text, sureWeight }: QueryUnit): boolean {
  if (kind === 'business') return sureWeight <= lightWeight
  return tradeWords.has(text) || lightWords.has(text)
}

/** Two words written as one weigh no more than the two. */
function capJoinWeight(join: QueryUnit, words: readonly QueryUnit[]): QueryUnit {
  const covered = words.filter(({ covers }) => (covers & join.covers) !== 0)
  const max = covered.reduce((sum, { sureWeight }) => sum + sureWeight, 0)
  return { ...join, sureWeight: Math.min(join.sureWeight, max), looseWeight: Math.min(join.looseWeight, max) }
}

function lookUpUnit(index: NameIndex, unit: NameUnit, system: Romanization, isJoin: boolean): QueryUnit {
  const { text, arabic } = unit
  const found = index.words.findAlike(toComparable(text, system, arabic), isJoin)
  const own = [...found].find(([, { kind }]) => kind === 'same')?.[0]
  const isListed = own !== undefined && index.entriesWith(own) >= knownWordEntries
  const isKnown = isListed || (index.kind === 'person' && commonNameWeight(text) !== undefined)
  const discounted = isKnown ? new Map([...found].flatMap((each) => discountTypo(index, text, each))) : found
  const alike = index.kind === 'business' ? dropShort(index, text, discounted) : discounted
  let [sure, loose] = [0, 0]
  for (const [word, { kind }] of alike) {
    loose += index.entriesWith(word)
    if (isSure(kind)) sure += index.entriesWith(word)
  }
  const weigh = (entries: number) => {
    if (text.length === 1) return initialWeight
    return entries === 0 ? Math.min(unknownWeight, index.rarity(text, 1)) : index.rarity(text, entries)
  }
  return { ...unit, alike, sureWeight: weigh(sure), looseWeight: weigh(loose) }
}

// A short word of a business sounds like too many others: Quik is not Kek.
const shortWord = 3

/** Drops the words of three letters or fewer that only sound or look alike. */
function dropShort(
  index: NameIndex,
  text: string,
  alike: ReadonlyMap<number, Likeness>,
): ReadonlyMap<number, Likeness> {
  const isLong = (word: number) => Math.min(text.length, index.words.textOf(word).length) > shortWord
  const kept = [...alike].filter(([word, { kind }]) => kind === 'same' || kind === 'script' || isLong(word))
  return kept.length === alike.size ? alike : new Map(kept)
}

const areCommon = (...names: string[]) => names.every((name) => commonNameWeight(name) !== undefined)

// Up to this length, names that are one letter apart are two names: Hill and Hall, Mary and Mark.
const shortName = 5

/** Discounts a typo in a word that is itself a listed name. */
function discountTypo(index: NameIndex, text: string, [word, likeness]: [number, Likeness]): [number, Likeness][] {
  const { kind, similarity, reliability } = likeness
  if (kind !== 'letter' && kind !== 'vowels') return [[word, likeness]]
  if (text.length <= shortName || pinyinKey(text) !== undefined) return []
  // Two common names are two names: Kazuko and Kazuo, Ramesh and Rajesh.
  if (index.kind === 'person' && areCommon(text, index.words.textOf(word))) return []
  return kind === 'vowels'
    ? [[word, { kind: 'letter', similarity: similarity - 0.04, reliability: 0.6 }]]
    : [[word, { kind, similarity: similarity - 0.06, reliability: reliability / 3 }]]
}
