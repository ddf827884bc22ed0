import { honorifics, legalForms, particles, patronymicEndings } from './common-words.ts'
import { type ArabicWord, readArabicWord } from './spelling/arabic.ts'
import { isWadeGiles, pinyinKey, wadeGilesKey } from './spelling/chinese.ts'
import { spellHanzi } from './spelling/hanzi.ts'
import { spellInLatin } from './spelling/scripts.ts'

/** A word of a name, or two neighbours written as one. */
export type NameUnit = {
  /** The word in lower-case Latin letters without marks; an Arabic word stays as written. */
  text: string
  /** The words of the name that it covers, one bit each. */
  covers: number
  arabic?: ArabicWord
}

export type ParsedName = {
  /** The words that distinguish one name from another. */
  words: NameUnit[]
  /** Neighbours joined: Xiao Ping as xiaoping, al-Tikriti as altikriti. */
  joins: NameUnit[]
  /** The words before the comma of "LAST, First Middle", one bit each; 0 without a comma. */
  familyMask: number
  isWadeGiles: boolean
  /** True when a word is in a script that cannot be compared. */
  hasUnreadable: boolean
}

export type NameKind = 'person' | 'business'

const maxWords = 16
// Longer than any name. A pasted text is cut here, so that it costs no more than a name.
const maxNameLength = 400
const maxWordLength = 40
const maxJoinLength = 14
const arabicLetter = /\p{Script=Arabic}/u

/** Splits a name into units. Only a listed person's name has its family name before a comma. */
export function parseName(name: string, kind: NameKind, hasFamilyFirst = false): ParsedName {
  const comma = hasFamilyFirst ? name.indexOf(',') : -1
  const [family, rest] = comma > 0 ? [name.slice(0, comma), name.slice(comma + 1)] : ['', name]
  const familyTokens = tokensOf(family, kind)
  const tokens = [...familyTokens, ...tokensOf(rest, kind)].slice(0, maxWords)
  const isChinese = kind === 'person' && isChineseName(tokens)
  const kept = isChinese ? tokens.map(() => true) : keepDistinctive(tokens, kind, familyTokens.length)
  const words: NameUnit[] = []
  const masks = tokens.map((text, at) => {
    if (!kept[at]) return 0
    const covers = 1 << words.length
    words.push(unitOf(text, covers))
    return covers
  })
  const familyMask = masks.slice(0, familyTokens.length).reduce((mask, covers) => mask | covers, 0)
  const latin = words.map(({ text }) => text)
  return {
    words,
    joins: joinNeighbours(tokens, masks),
    familyMask,
    isWadeGiles: kind === 'person' && isWadeGiles(name, latin),
    hasUnreadable: words.some(({ text, arabic }) => !arabic && /[^a-z0-9]/.test(text)),
  }
}

/**
 * Parses a listed name, and again in spoken order when the comma splits a word: "GHANI, Abdul" is Abdulghani,
 * "AL RAHMAN, Umar Abd" is Umar Abdulrahman, and "DIN, Salah al" is Salah al-Din.
 */
export function parseListedName(name: string, kind: NameKind): ParsedName[] {
  const asListed = parseName(name, kind, kind === 'person')
  const [family = '', given] = kind === 'person' ? name.split(/,(.*)/s) : []
  const last = tokensOf(given ?? '', kind).at(-1) ?? ''
  return servant.test(last) || particles.has(last) ? [asListed, parseName(`${given} ${family}`, kind)] : [asListed]
}

function unitOf(text: string, covers: number): NameUnit {
  const arabic = arabicLetter.test(text) ? readArabicWord(text) : undefined
  return arabic ? { text, covers, arabic } : { text, covers }
}

function tokensOf(name: string, kind: NameKind): string[] {
  const spelt = spellHanzi(name.slice(0, maxNameLength).normalize('NFKC'))
  const tokens = splitWords(spelt, kind === 'business' ? dotOfAbbreviation : undefined)
    .map((word) => spellInLatin(word).slice(0, maxWordLength))
    .filter((token) => token !== '')
  return kind === 'person' ? joinServants(tokens) : tokens
}

// S.A. and L.L.C. are one word; J.R. Example has two initials.
const dotOfAbbreviation = /(?<=(?<!\p{L})\p{L})\.(?=\p{L}(?!\p{L}))/gu

/** Splits a name into words without case, marks and apostrophes. A dot ends a word unless `joiningDot` matches it. */
export function splitWords(name: string, joiningDot?: RegExp): string[] {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}'’ʼ`´ʻʿʾ"“”]/gu, '')
  const joined = joiningDot ? plain.replaceAll(joiningDot, '') : plain
  return joined.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

const servant = /^abd(?:[aeiou]{1,2})?[lrsndtzh]?$/
const joinedServant = /^abd[aeiou]{0,2}(?:l(?=..)|(?=[rsntdz]))(.{2,})$/

/** Joins "servant of" with the next word: Abd al-Rahman, Abdul Rahman, Abdurrahman and Abderrahmane are one name. */
function joinServants(tokens: readonly string[]): string[] {
  const joined: string[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? ''
    const isServant = servant.test(token) || token === 'عبد'
    const next = isServant && particles.has(tokens[at + 1] ?? '') ? at + 2 : at + 1
    const of = tokens[next]
    const isJoined = isServant && of !== undefined && of.length > 2
    joined.push(spellServant(isJoined ? `${token === 'عبد' ? token : 'abdl'}${of}` : token))
    if (isJoined) at = next
  }
  return joined
}

function spellServant(token: string): string {
  if (token.startsWith('عبد')) return token.replace('عبدالله', 'عبداه').replace(/^عبدال/, 'عبد')
  const of = joinedServant.exec(token.replaceAll(/(.)\1/g, '$1'))?.[1]
  if (!of) return token
  // Abd Allah has its article inside the word.
  return `abd${of === 'alah' ? 'ah' : of.replace(/e$/, '')}`
}

const maxChineseWords = 4

/** A name of Chinese syllables alone has no particles: An, Le, Lo and De are family names there. */
function isChineseName(tokens: readonly string[]): boolean {
  return tokens.length <= maxChineseWords && tokens.every((token) => pinyinKey(token) ?? wadeGilesKey(token))
}

/**
 * Marks the distinctive tokens. An article or "son of" precedes another word: it is never last in the name or before
 * the comma. If too few words would be left, all are kept: a business can be called "The Company".
 */
function keepDistinctive(tokens: readonly string[], kind: NameKind, familyLength: number): boolean[] {
  const isLast = (at: number) => at === tokens.length - 1 || at === familyLength - 1
  const kept = tokens.map((token, at) => {
    if (kind === 'business') return !legalForms.has(token)
    return !honorifics.has(token) && (!particles.has(token) || (isLast(at) && !patronymicEndings.has(token)))
  })
  const minKept = kind === 'person' ? Math.min(2, tokens.length) : 1
  return kept.filter(Boolean).length >= minKept ? kept : tokens.map(() => true)
}

function joinNeighbours(tokens: readonly string[], masks: readonly number[]): NameUnit[] {
  return tokens.slice(1).flatMap((second, at) => {
    const first = tokens[at] ?? ''
    const covers = (masks[at] ?? 0) | (masks[at + 1] ?? 0)
    const isWord = (text: string) => text.length > 1 || text === 'i'
    const isShort = isWord(first) && isWord(second) && first.length + second.length <= maxJoinLength
    return isShort && covers !== 0 && !arabicLetter.test(first + second) ? [{ text: first + second, covers }] : []
  })
}
