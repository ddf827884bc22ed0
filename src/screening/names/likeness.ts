import type { ArabicWord } from './spelling/arabic.ts'
import { pinyinKey, wadeGilesKey } from './spelling/chinese.ts'
import { koreanKeys } from './spelling/korean.ts'
import { soundOf } from './spelling/sound.ts'
import { nicknameGroups, variantGroups, type WordGroups } from './spelling/spelling-variants.ts'
import type { Romanization } from './words.ts'

/** The kinds of likeness between two words, the most reliable first. */
export type LikenessKind = 'same' | 'spelling' | 'script' | 'vowels' | 'letter' | 'nickname' | 'initial'
/** `similarity` says how much of the word is matched, `reliability` how much of its weight counts as evidence. */
export type Likeness = { kind: LikenessKind; similarity: number; reliability: number }

/** A word prepared for comparison. */
export type ComparableWord = { text: string; sound: string; arabic?: ArabicWord | undefined; system: Romanization }

export function toComparable(text: string, system: Romanization, arabic?: ArabicWord): ComparableWord {
  return { text, sound: arabic ? '' : soundOf(text), arabic, system }
}

/** Compares two words; undefined when they are different words. */
export function compareWords(query: ComparableWord, listed: ComparableWord): Likeness | undefined {
  if (query.arabic)
    return query.arabic.sounds.test(listed.sound) ? { kind: 'script', similarity: 0.93, reliability: 1 } : undefined
  if (query.text === listed.text) return { kind: 'same', similarity: 1, reliability: 1 }
  if (shareGroup(variantGroups, query.text, listed.text)) return { kind: 'spelling', similarity: 0.96, reliability: 1 }
  if (isOtherRomanization(query, listed)) return { kind: 'spelling', similarity: 0.93, reliability: 1 }
  const areKorean = query.system === 'korean' && listed.system === 'korean'
  if (areKorean && shareKoreanKey(query.text, listed.text))
    return { kind: 'spelling', similarity: 0.95, reliability: 1 }
  // In Chinese and Korean names another vowel makes another name, so only a typo counts.
  const areChinese = areKorean || (pinyinKey(query.text) !== undefined && pinyinKey(listed.text) !== undefined)
  const spelling = areChinese ? undefined : spellingOf(query, listed)
  if (spelling) return spelling
  const shorter = Math.min(query.text.length, listed.text.length)
  const isTypo = isWithinEdits(query.text, listed.text, 1) || isOneTransposition(query.text, listed.text)
  // Two syllables that Koreans use are two names: Su Bin is not Su Min.
  const areSyllables = areKorean && koreanKeys(query.text).length > 0 && koreanKeys(listed.text).length > 0
  if (shorter >= 2 && isTypo && !areSyllables)
    return {
      kind: 'letter',
      similarity: letterSimilarity(shorter),
      reliability: areChinese || shorter === 2 ? 0.3 : 0.9,
    }
  if (shareGroup(nicknameGroups, query.text, listed.text))
    return { kind: 'nickname', similarity: 0.88, reliability: 0.8 }
  return undefined
}

function spellingOf(query: ComparableWord, listed: ComparableWord): Likeness | undefined {
  if (query.sound === listed.sound) return { kind: 'spelling', similarity: 0.97, reliability: 1 }
  if (isQafWord(query.text, listed.text)) return { kind: 'spelling', similarity: 0.95, reliability: 1 }
  const distance = query.text.length > 3 ? vowelDistance(query.sound, listed.sound) : undefined
  return distance === undefined ? undefined : { kind: 'vowels', similarity: 0.95 - distance / 10, reliability: 1 }
}

/** True when one word has gh for the q of the other: Ghasemi and Qasemi. */
function isQafWord(one: string, other: string): boolean {
  const isOne = one.includes('gh')
  if (isOne === other.includes('gh')) return false
  return soundWithQ(isOne ? one : other) === soundOf(isOne ? other : one)
}

function soundWithQ(text: string): string {
  return soundOf(text.replaceAll('gh', 'q'))
}

/** One letter of three is a third of the word; one of eight is a typo. */
function letterSimilarity(letters: number): number {
  return letters >= 7 ? 0.92 : letters >= 5 ? 0.9 : letters === 4 ? 0.85 : 0.7
}

function shareGroup(groups: WordGroups, one: string, other: string): boolean {
  const found = groups.get(other)
  return found !== undefined && (groups.get(one)?.some((number) => found.includes(number)) ?? false)
}

function shareKoreanKey(one: string, other: string): boolean {
  const keys = koreanKeys(other)
  return koreanKeys(one).some((key) => keys.includes(key))
}

function isOtherRomanization(query: ComparableWord, listed: ComparableWord): boolean {
  const isWade = query.system === 'wade'
  if (isWade === (listed.system === 'wade')) return false
  const [wade, pinyin] = isWade ? [query, listed] : [listed, query]
  const key = wadeGilesKey(wade.text)
  return key !== undefined && key === pinyinKey(pinyin.text)
}

// The cost of one vowel in place of another. One step passes as a spelling; Hasan and Husayn do not.
const vowelCosts: Readonly<Record<string, number>> = { ai: 0.4, ia: 0.4, au: 0.5, ua: 0.5 }
const missingVowelCost = 0.4
const otherVowelCost = 0.6
const edgeVowelCost = 0.3
// With few consonants, another vowel makes another word: Green is not Gorin.
const maxVowelDistances = [0, 0, 0.4, 0.5]
const maxVowelDistance = 0.8

/** The cost of the different vowels of two sounds; undefined when the consonants differ or the cost is too high. */
function vowelDistance(one: string, other: string): number | undefined {
  const [left, right] = [gapsOf(one), gapsOf(other)]
  if (left.consonants !== right.consonants) return undefined
  let cost = 0
  for (const [at, gap] of left.gaps.entries()) {
    const against = right.gaps[at] ?? ''
    if (gap === against) continue
    const isEdge = at === 0 || at === left.gaps.length - 1
    if (gap === '' || against === '') cost += missingVowelCost + (isEdge ? edgeVowelCost : 0)
    else cost += vowelCosts[gap + against] ?? otherVowelCost
  }
  return cost <= (maxVowelDistances[left.consonants.length] ?? maxVowelDistance) ? cost : undefined
}

/** The consonants of a sound, and the vowels between them. */
function gapsOf(sound: string): { consonants: string; gaps: string[] } {
  return { consonants: sound.replaceAll(/[aiu]/g, ''), gaps: sound.split(/[^aiu]/) }
}

/** Tells whether the edit distance (Levenshtein) of two words is at most `max`. */
export function isWithinEdits(one: string, other: string, max: number): boolean {
  if (Math.abs(one.length - other.length) > max) return false
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const [left, right] = [one.slice(at), other.slice(at)]
  if (left === right) return true
  if (max === 0) return false
  return (
    isWithinEdits(left.slice(1), right.slice(1), max - 1) ||
    isWithinEdits(left.slice(1), right, max - 1) ||
    isWithinEdits(left, right.slice(1), max - 1)
  )
}

/** Tells whether swapping two neighbouring letters turns one word into the other. */
function isOneTransposition(one: string, other: string): boolean {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2)
}

/** Lists the index keys of a word. Similar words share a key, except for initials. */
export function indexKeys(word: ComparableWord, { isJoin = false } = {}): string[] {
  const { text, sound } = word
  const groups = (letter: string, table: WordGroups) => (table.get(text) ?? []).map((number) => `${letter}${number}`)
  const isWade = word.system === 'wade'
  const chinese = isWade ? wadeGilesKey(text) : pinyinKey(text)
  const consonants = sound.replaceAll(/[aiu]/g, '')
  return [
    `=${sound}`,
    // Half the list shares one or two consonants.
    ...(consonants.length > 2 && !isJoin ? [`s${consonants}`] : []),
    ...(text.includes('gh') && !isJoin ? [`=${soundWithQ(text)}`] : []),
    ...groups('v', variantGroups),
    ...groups('n', nicknameGroups),
    ...(chinese ? [`${isWade ? 'w' : 'p'}${chinese}`] : []),
    ...(word.system === 'korean' ? koreanKeys(text).map((key) => `k${key}`) : []),
    // A typo in a join is too rare to look for.
    ...(isJoin ? [] : deletionKeys(text)),
  ]
}

/** Lists the word and its forms without one letter: two words that are one edit apart share a form. */
export function deletionKeys(text: string): string[] {
  if (text.length < 3) return [`d${text}`]
  return [`d${text}`, ...Array.from(text, (_, at) => `d${text.slice(0, at)}${text.slice(at + 1)}`)]
}
