import type { BirthRange, ListedEntry, NameQuality } from '../screening.ts'
import { commonNames, tradeWords } from './common-words.ts'
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
  /** The list number and the birth dates of each entry. */
  entryNumbers: readonly string[]
  births: readonly (readonly BirthRange[])[]
  /** Returns the names that have a word. */
  namesWith(word: number): Uint32Array
  /** Counts the entries that have a word. */
  entriesWith(word: number): number
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
      for (const { words, joins, familyMask, isWadeGiles } of parseListedName(text, kind)) {
        const unitsFrom = units.length
        for (const word of words) units.push(collector.numberOf(word.text, isWadeGiles, false))
        for (const join of joins) units.push(collector.numberOf(join.text, isWadeGiles, true))
        for (const unit of [...words, ...joins]) covers.push(unit.covers)
        names.push({ entry, text, quality, wordCount: words.length, familyMask, unitsFrom, unitsTo: units.length })
      }
    }
    if (entry % entriesPerStep === 0) yield
  }
  const words = yield* indexWords(collector.words)
  const all = Uint32Array.from(units)
  yield
  const { starts, postings, entriesWith } = yield* collectPostings(names, all, collector.words.length)
  const size = entries.length
  return {
    kind,
    words,
    names,
    units: all,
    covers: Uint16Array.from(covers),
    entryNumbers: entries.map(({ number }) => number),
    births: entries.map(({ births }) => births),
    namesWith: (word) => postings.subarray(starts[word], starts[word + 1]),
    entriesWith: (word) => entriesWith[word] ?? 0,
    rarity: (text, entries) => rarity(text, entries, size, kind),
  }
}

type Postings = { starts: Uint32Array; postings: Uint32Array; entriesWith: Uint32Array }

function* collectPostings(names: readonly IndexedName[], units: Uint32Array, words: number): Generator<void, Postings> {
  const starts = new Uint32Array(words + 1)
  // Entries are counted, not names: ten spellings of one name in an entry do not make its words common.
  const entriesWith = new Uint32Array(words)
  const lastEntry = new Int32Array(words).fill(-1)
  for (const [number, { unitsFrom, unitsTo, entry }] of names.entries()) {
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
  return { starts, postings, entriesWith }
}

const minWeight = 0.05
const maxCommonWeight = { person: 0.45, business: 0.2 } as const
// On a short list every word would look common.
const minListSize = 1_000

/** The information of the word in bits, as a share of the bits that identify one entry. */
function rarity(text: string, entries: number, entryCount: number, kind: NameKind): number {
  const share = 1 - Math.log(Math.max(1, entries)) / Math.log(Math.max(entryCount, minListSize))
  const isCommon = kind === 'person' ? commonNames.has(text) : tradeWords.has(text)
  return Math.max(minWeight, isCommon ? Math.min(share, maxCommonWeight[kind]) : share)
}
