import type { BirthRange, ListedEntry, NameQuality } from '../screening.ts'
import { commonNameWeight } from './common-names.ts'
import { lightWords, tradeWords } from './common-words.ts'
import { indexWords, WordCollector, type WordIndex } from './word-index.ts'
import { type NameKind, parseListedName } from './words.ts'

/** A listed name. `unitsFrom` to `unitsTo` are its words in their order, then the joins of neighbours. */
export type IndexedName = {
  entry: number
  text: string
  quality: NameQuality
  wordCount: number
  /** The words before the comma, one bit each. */
  familyMask: number
  /** True for a name of Chinese or Korean syllables, none of which people leave out. */
  isSyllabic: boolean
  unitsFrom: number
  unitsTo: number
}

/** The names of one kind of entry. Persons and businesses have different rules and are not compared with each other. */
export type NameIndex = {
  kind: NameKind
  words: WordIndex
  names: readonly IndexedName[]
  /** The units of all names in a row: the number of the word, and the words of the name that it covers. */
  units: Uint32Array
  covers: Uint16Array
  /** The list number, the birth dates and the kind of each entry. */
  entryNumbers: readonly string[]
  isCraft: readonly boolean[]
  births: readonly (readonly BirthRange[])[]
  /** Returns the names that have a word. */
  namesWith(word: number): Uint32Array
  /** Counts the entries that have a word. */
  entriesWith(word: number): number
  /** The evidence that a short form needs: see `minShortEvidence`. */
  minShort: number
  /** True for a word that the list has as a family name and as a given name: Omar, Ali. */
  isEitherName(word: number): boolean
  /** The weight of a word of the list. */
  weightOf(word: number): number
  /** The weight of a word that so many entries have: 1 for one entry, towards 0 for all of them. */
  rarity(text: string, entries: number): number
}

const entriesPerStep = 100
const namesPerStep = 5_000

/** Builds the index in steps: the caller can let other work run at each `yield`. */
export function* indexNames(entries: readonly ListedEntry[], kind: NameKind): Generator<void, NameIndex> {
  const collector = new WordCollector()
  const names: IndexedName[] = []
  const units: number[] = []
  const covers: number[] = []
  for (const [entry, { names: listed }] of entries.entries()) {
    for (const { text, quality } of listed) {
      for (const { words, joins, familyMask, system, isSyllabic } of parseListedName(text, kind)) {
        const unitsFrom = units.length
        for (const word of words) units.push(collector.numberOf(word.text, system, false))
        for (const join of joins) units.push(collector.numberOf(join.text, system, true))
        for (const unit of [...words, ...joins]) covers.push(unit.covers)
        const unitsTo = units.length
        names.push({ entry, text, quality, wordCount: words.length, familyMask, isSyllabic, unitsFrom, unitsTo })
      }
    }
    if (entry % entriesPerStep === 0) yield
  }
  const words = yield* indexWords(collector.words)
  const all = Uint32Array.from(units)
  yield
  const { starts, postings, entriesWith, familyCounts, givenCounts } = yield* collectPostings(
    names,
    all,
    collector.words.length,
  )
  const size = entries.length
  const weights = new Float32Array(collector.words.length)
  const weightOf = (word: number) => {
    if (!weights[word]) weights[word] = rarity(words.textOf(word), entriesWith[word] ?? 0, size, kind)
    return weights[word] ?? 0
  }
  yield
  return {
    kind,
    minShort: kind === 'person' ? minShortEvidence(names, all, weightOf) : minShortBusiness,
    words,
    names,
    units: all,
    covers: Uint16Array.from(covers),
    entryNumbers: entries.map(({ number }) => number),
    // Ships and aircraft bear words of all languages.
    isCraft: entries.map(({ kind }) => kind === 'vessel' || kind === 'aircraft'),
    births: entries.map(({ births }) => births),
    namesWith: (word) => postings.subarray(starts[word], starts[word + 1]),
    entriesWith: (word) => entriesWith[word] ?? 0,
    isEitherName: (word) => {
      const [family, given] = [familyCounts[word] ?? 0, givenCounts[word] ?? 0]
      return Math.min(family, given) >= Math.max(minEitherNames, minEitherShare * (family + given))
    },
    weightOf,
    rarity: (text, entries) => rarity(text, entries, size, kind),
  }
}

type Postings = {
  starts: Uint32Array
  postings: Uint32Array
  entriesWith: Uint32Array
  /** How many names have the word before the comma, and after it. */
  familyCounts: Uint32Array
  givenCounts: Uint32Array
}

function* collectPostings(names: readonly IndexedName[], units: Uint32Array, words: number): Generator<void, Postings> {
  const starts = new Uint32Array(words + 1)
  // Entries are counted, not names: ten spellings of one name in an entry do not make its words common.
  const entriesWith = new Uint32Array(words)
  const lastEntry = new Int32Array(words).fill(-1)
  const [familyCounts, givenCounts] = [new Uint32Array(words), new Uint32Array(words)]
  for (const [number, { unitsFrom, unitsTo, entry, familyMask, wordCount }] of names.entries()) {
    for (let at = 0; familyMask !== 0 && at < wordCount; at++)
      ((familyMask & (1 << at)) !== 0 ? familyCounts : givenCounts)[units[unitsFrom + at]!]! += 1
    for (const unit of units.subarray(unitsFrom, unitsTo)) {
      starts[unit + 1]! += 1
      if (lastEntry[unit] !== entry) entriesWith[unit]! += 1
      lastEntry[unit] = entry
    }
    if (number % namesPerStep === 0) yield
  }
  for (let word = 0; word < words; word++) starts[word + 1]! += starts[word]!
  const next = starts.slice()
  const postings = new Uint32Array(starts[words] ?? 0)
  for (const [number, { unitsFrom, unitsTo }] of names.entries()) {
    for (const unit of units.subarray(unitsFrom, unitsTo)) postings[next[unit]!++] = number
    if (number % namesPerStep === 0) yield
  }
  return { starts, postings, entriesWith, familyCounts, givenCounts }
}

// The share of the listed persons whose first and last name is too common to be a match without more.
const tooCommonShare = 0.008
const minShortBusiness = 0.7
const shortEvidence = { min: 0.72, max: 0.95 }

/**
 * The evidence that the first given name with the first family name needs. The bound follows the list: the commonest
 * few short forms are below it, because they are the names of the most people who are not listed.
 */
function minShortEvidence(
  names: readonly IndexedName[],
  units: Uint32Array,
  weightOf: (word: number) => number,
): number {
  const evidence = names
    .filter(({ quality, familyMask, wordCount, isSyllabic }) => {
      return quality === 'primary' && familyMask !== 0 && wordCount > 2 && !isSyllabic
    })
    .map(({ familyMask, unitsFrom }) => {
      const firstGiven = unitsFrom + 31 - Math.clz32(familyMask + 1)
      return weightOf(units[unitsFrom] ?? 0) + weightOf(units[firstGiven] ?? 0)
    })
    .sort((one, other) => one - other)
  const bound = evidence[Math.floor(evidence.length * tooCommonShare)] ?? 0
  // Weights are rounded to 32 bits.
  return Math.min(shortEvidence.max, Math.max(shortEvidence.min, bound)) - 1e-6
}

// Fathers and grandfathers are among the given names of many, so a small share is enough.
const minEitherShare = 0.02
const minEitherNames = 3
const minWeight = 0.05
const maxTradeWeight = 0.2
const maxLightWeight = 0.08
// On a short list every word would look common.
const minListSize = 1_000

/** The information of the word in bits, as a share of the bits that identify one entry. */
function rarity(text: string, entries: number, entryCount: number, kind: NameKind): number {
  const share = 1 - Math.log(Math.max(1, entries)) / Math.log(Math.max(entryCount, minListSize))
  // A list has few of the people of a region, so a name that is common there may look rare.
  if (kind === 'person') return Math.max(minWeight, Math.min(share, commonNameWeight(text) ?? 1))
  return Math.max(minWeight, Math.min(share, tradeWeight(text)))
}

function tradeWeight(text: string): number {
  if (lightWords.has(text)) return maxLightWeight
  return tradeWords.has(text) ? maxTradeWeight : 1
}
