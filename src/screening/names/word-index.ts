import { type ComparableWord, compareWords, indexKeys, type Likeness, toComparable } from './likeness.ts'
import { consonantSkeletonOf } from './spelling/sound.ts'
import type { Romanization } from './words.ts'

/** The distinct words of a list, each with a number, found by similarity. */
export type WordIndex = {
  /** Finds the similar words, with how they are alike. */
  findAlike(query: ComparableWord, isJoin: boolean): Map<number, Likeness>
  textOf(word: number): string
  size: number
}

// A word that sounds like hundreds of others identifies no entry: the first ones found are enough.
const maxCompared = 4_000
const wordsPerStep = 100
const pairsPerStep = 20_000

const systems: readonly Romanization[] = [undefined, 'wade', 'korean']

type ListedWord = { text: string; system: Romanization; isJoin: boolean }

/** Numbers the distinct words of a list. */
export class WordCollector {
  readonly words: ListedWord[] = []
  readonly #numbers = new Map<string, number>()

  numberOf(text: string, system: Romanization, isJoin: boolean): number {
    const key = system ? `${text} ${system}` : text
    const known = this.#numbers.get(key)
    if (known !== undefined) {
      const word = this.words[known]
      if (word && !isJoin) word.isJoin = false
      return known
    }
    this.words.push({ text, system, isJoin })
    this.#numbers.set(key, this.words.length - 1)
    return this.words.length - 1
  }
}

/** Builds the index in steps: the caller can let other work run at each `yield`. */
export function* indexWords(words: readonly ListedWord[]): Generator<void, WordIndex> {
  const pairs: number[] = []
  const sounds: string[] = []
  for (const [number, { text, system, isJoin }] of words.entries()) {
    const word = toComparable(text, system)
    sounds.push(word.sound)
    for (const key of [`b${consonantSkeletonOf(word.sound)}`, ...indexKeys(word, { isJoin })])
      pairs.push(pairOf(hashOf(key), number))
    if (number % wordsPerStep === 0) yield
  }
  const sorted = yield* sortPairs(pairs)
  const texts = words.map(({ text }) => text)
  const codes = Uint8Array.from(words, ({ system }) => systems.indexOf(system))
  const listed = (number: number): ComparableWord => ({
    text: texts[number] ?? '',
    sound: sounds[number] ?? '',
    system: systems[codes[number] ?? 0],
  })
  return {
    findAlike: (query, isJoin) => findAlike(sorted, listed, query, queryKeys(query, isJoin)),
    textOf: (number) => texts[number] ?? '',
    size: texts.length,
  }
}

function findAlike(
  sorted: Float64Array,
  listed: (number: number) => ComparableWord,
  query: ComparableWord,
  keys: readonly string[],
): Map<number, Likeness> {
  const seen = new Set<number>()
  const alike = new Map<number, Likeness>()
  for (const key of keys) {
    const hash = hashOf(key)
    for (let at = lowerBound(sorted, pairOf(hash, 0)); at < sorted.length; at++) {
      const pair = sorted[at] ?? 0
      if (Math.floor(pair / maxWords) !== hash || seen.size > maxCompared) break
      const number = pair % maxWords
      if (seen.has(number)) continue
      seen.add(number)
      const likeness = compareWords(query, listed(number))
      if (likeness) alike.set(number, likeness)
    }
  }
  return alike
}

function queryKeys(query: ComparableWord, isJoin: boolean): string[] {
  // A final j is a vowel in some spellings: Iraj.
  if (query.arabic) return [`b${query.arabic.skeleton}`, `b${query.arabic.skeleton.replace(/k$/, '')}`]
  // A Chinese name in the other romanization has its key under the other letter.
  const keys = indexKeys(query, { isJoin })
  return [
    ...keys,
    ...keys.filter((key) => /^[wp]/.test(key)).map((key) => `${key[0] === 'w' ? 'p' : 'w'}${key.slice(1)}`),
  ]
}

// A pair holds hash and word in one number below 2^53, so a sorted array of numbers is the whole index.
const maxWords = 2 ** 21
const pairOf = (hash: number, word: number) => hash * maxWords + word

/** Hashes with FNV-1a, 32 bits. A collision costs one comparison, which drops the word. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** Sorts by the leading bits first, then each part by itself, so that no step takes long. */
function* sortPairs(pairs: readonly number[]): Generator<void, Float64Array> {
  const parts = 256
  const partOf = (pair: number) => Math.floor(pair / (maxWords * 2 ** 24))
  const starts = new Uint32Array(parts + 1)
  for (const pair of pairs) starts[partOf(pair) + 1]! += 1
  for (let part = 0; part < parts; part++) starts[part + 1]! += starts[part]!
  yield
  const sorted = new Float64Array(pairs.length)
  const next = starts.slice()
  for (const [at, pair] of pairs.entries()) {
    sorted[next[partOf(pair)]!++] = pair
    if (at % pairsPerStep === 0) yield
  }
  for (let part = 0; part < parts; part++) {
    sorted.subarray(starts[part], starts[part + 1]).sort()
    if (part % 16 === 0) yield
  }
  return sorted
}

function lowerBound(sorted: Float64Array, wanted: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return low
}
