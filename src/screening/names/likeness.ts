import type { ArabicWord } from './spelling/arabic.ts'
import { pinyinKey, wadeGilesKey } from './spelling/chinese.ts'
import { soundOf } from './spelling/sound.ts'
import { nicknameGroups, variantGroups, type WordGroups } from './spelling/spelling-variants.ts'

/** How one word stands for another, from the surest down. */
export type LikenessKind = 'same' | 'spelling' | 'script' | 'vowels' | 'letter' | 'nickname' | 'initial'
/** `share` is how much of the word is there, `tells` how much of what the word tells can be relied on. */
export type Likeness = { kind: LikenessKind; share: number; tells: number }

/** A word of a party's name, prepared for comparisons. */
export type Compared = { text: string; sound: string; arabic?: ArabicWord | undefined; isWadeGiles: boolean }

export function compared(text: string, isWadeGiles: boolean, arabic?: ArabicWord): Compared {
  return { text, sound: arabic ? '' : soundOf(text), arabic, isWadeGiles }
}

/** How alike two words are; undefined is another word. */
export function likenessOf(asked: Compared, listed: Compared): Likeness | undefined {
  if (asked.arabic)
    return asked.arabic.sounds.test(listed.sound) ? { kind: 'script', share: 0.93, tells: 1 } : undefined
  if (asked.text === listed.text) return { kind: 'same', share: 1, tells: 1 }
  if (isOtherRomanization(asked, listed)) return { kind: 'spelling', share: 0.93, tells: 1 }
  // In Chinese names another vowel is another name: only a slip can make them one.
  const areChinese = pinyinKey(asked.text) !== undefined && pinyinKey(listed.text) !== undefined
  const spelling = areChinese ? undefined : spellingOf(asked, listed)
  if (spelling) return spelling
  const shorter = Math.min(asked.text.length, listed.text.length)
  const isSlip = isFewLettersOff(asked.text, listed.text, 1) || isOneSwapOff(asked.text, listed.text)
  if (shorter >= 2 && isSlip)
    return { kind: 'letter', share: letterShare(shorter), tells: areChinese || shorter === 2 ? 0.3 : 0.9 }
  if (shareGroup(nicknameGroups, asked.text, listed.text)) return { kind: 'nickname', share: 0.88, tells: 0.8 }
  return undefined
}

function spellingOf(asked: Compared, listed: Compared): Likeness | undefined {
  if (asked.sound === listed.sound) return { kind: 'spelling', share: 0.97, tells: 1 }
  if (shareGroup(variantGroups, asked.text, listed.text)) return { kind: 'spelling', share: 0.96, tells: 1 }
  const distance = asked.text.length > 3 ? vowelDistance(asked.sound, listed.sound) : undefined
  return distance === undefined ? undefined : { kind: 'vowels', share: 0.95 - distance / 10, tells: 1 }
}

/** One letter of three is a third of the word; one of eight is a slip. */
function letterShare(letters: number): number {
  return letters >= 7 ? 0.92 : letters >= 5 ? 0.9 : letters === 4 ? 0.85 : 0.7
}

function shareGroup(groups: WordGroups, one: string, other: string): boolean {
  const found = groups.get(other)
  return found !== undefined && (groups.get(one)?.some((number) => found.includes(number)) ?? false)
}

function isOtherRomanization(asked: Compared, listed: Compared): boolean {
  if (asked.isWadeGiles === listed.isWadeGiles) return false
  const [wade, pinyin] = asked.isWadeGiles ? [asked, listed] : [listed, asked]
  const key = wadeGilesKey(wade.text)
  return key !== undefined && key === pinyinKey(pinyin.text)
}

// The cost of taking one vowel for another. Two that are one step apart pass for a spelling; Hasan and Husayn do not.
const vowelCosts: Readonly<Record<string, number>> = { ai: 0.4, ia: 0.4, au: 0.5, ua: 0.5 }
const missingVowel = 0.4
const otherVowels = 0.6
const mostVowelDistance = 0.8

/** The cost of turning the vowels of one sound into those of another with the same consonants; undefined is too much. */
function vowelDistance(one: string, other: string): number | undefined {
  const [left, right] = [gapsOf(one), gapsOf(other)]
  if (left.consonants !== right.consonants) return undefined
  let cost = 0
  for (const [at, gap] of left.gaps.entries()) {
    const against = right.gaps[at] ?? ''
    if (gap === against) continue
    cost += gap === '' || against === '' ? missingVowel : (vowelCosts[gap + against] ?? otherVowels)
  }
  return cost <= mostVowelDistance ? cost : undefined
}

/** The consonants of a sound, and the vowels between them. */
function gapsOf(sound: string): { consonants: string; gaps: string[] } {
  return { consonants: sound.replaceAll(/[aiu]/g, ''), gaps: sound.split(/[^aiu]/) }
}

/** Tells whether putting in, leaving out or exchanging at most so many letters turns one word into the other. */
export function isFewLettersOff(one: string, other: string, most: number): boolean {
  if (Math.abs(one.length - other.length) > most) return false
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const [left, right] = [one.slice(at), other.slice(at)]
  if (left === right) return true
  if (most === 0) return false
  return (
    isFewLettersOff(left.slice(1), right.slice(1), most - 1) ||
    isFewLettersOff(left.slice(1), right, most - 1) ||
    isFewLettersOff(left, right.slice(1), most - 1)
  )
}

/** Tells whether two neighbouring letters that changed places turn one word into the other. */
function isOneSwapOff(one: string, other: string): boolean {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2)
}

/** The keys under which alike words are found: all words that are alike share a key, but for initials. */
export function keysOf(word: Compared, { isJoin = false } = {}): string[] {
  const { text, sound } = word
  const groups = (letter: string, table: WordGroups) => (table.get(text) ?? []).map((number) => `${letter}${number}`)
  const chinese = word.isWadeGiles ? wadeGilesKey(text) : pinyinKey(text)
  const consonants = sound.replaceAll(/[aiu]/g, '')
  return [
    `=${sound}`,
    // One or two consonants are shared by half the list.
    ...(consonants.length > 2 && !isJoin ? [`s${consonants}`] : []),
    ...groups('v', variantGroups),
    ...groups('n', nicknameGroups),
    ...(chinese ? [`${word.isWadeGiles ? 'w' : 'p'}${chinese}`] : []),
    // A slip in a word that is also joined differently is too rare to look for.
    ...(isJoin ? [] : slipsOf(text)),
  ]
}

/** The word and what is left of it without one of its letters: two words that are one slip apart share one of these. */
export function slipsOf(text: string): string[] {
  if (text.length < 3) return [`d${text}`]
  return [`d${text}`, ...Array.from(text, (_, at) => `d${text.slice(0, at)}${text.slice(at + 1)}`)]
}
