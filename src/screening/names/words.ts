import { endings, honorifics, legalForms, particles } from './common-words.ts'
import { type ArabicWord, readArabicWord } from './spelling/arabic.ts'
import { isWadeGiles, pinyinKey, wadeGilesKey } from './spelling/chinese.ts'
import { spellHanzi } from './spelling/hanzi.ts'
import { spellInLatin } from './spelling/scripts.ts'

/** A word of a name, or two neighbours written as one. */
export type Unit = {
  /** In Latin letters without case and marks; as it was written if it is Arabic. */
  text: string
  /** Which words of the name it covers, a bit for each. */
  covers: number
  arabic?: ArabicWord
}

export type ReadName = {
  /** The words that tell one party from another. */
  words: Unit[]
  /** Neighbours joined: Xiao Ping as xiaoping, al-Tikriti as altikriti. */
  joins: Unit[]
  /** The words before the comma of "LAST, First Middle", a bit for each; none when there was no comma. */
  familyMask: number
  isWadeGiles: boolean
  /** Whether some word is in a script that we cannot compare. */
  hasUnreadable: boolean
}

export type NameKind = 'person' | 'business'

const mostWords = 16
// Longer than any name: a pasted text must not cost more than a name does.
const longestName = 400
const longestWord = 40
const longestJoin = 14
const arabicLetter = /\p{Script=Arabic}/u

/** Takes a name apart. Only a listed person's name has its family name before a comma. */
export function readName(name: string, kind: NameKind, hasFamilyFirst = false): ReadName {
  const comma = hasFamilyFirst ? name.indexOf(',') : -1
  const [family, rest] = comma > 0 ? [name.slice(0, comma), name.slice(comma + 1)] : ['', name]
  const familyTokens = tokensOf(family, kind)
  const tokens = [...familyTokens, ...tokensOf(rest, kind)].slice(0, mostWords)
  const isChinese = kind === 'person' && isChineseName(tokens)
  const kept = isChinese ? tokens.map(() => true) : keepDistinctive(tokens, kind, familyTokens.length)
  const words: Unit[] = []
  const coverOf = tokens.map((text, at) => {
    if (!kept[at]) return 0
    const covers = 1 << words.length
    words.push(unitOf(text, covers))
    return covers
  })
  const familyMask = coverOf.slice(0, familyTokens.length).reduce((mask, covers) => mask | covers, 0)
  const latin = words.map(({ text }) => text)
  return {
    words,
    joins: joinNeighbours(tokens, coverOf),
    familyMask,
    isWadeGiles: kind === 'person' && isWadeGiles(name, latin),
    hasUnreadable: words.some(({ text, arabic }) => !arabic && /[^a-z0-9]/.test(text)),
  }
}

/**
 * A listed name as it stands, and once more as it is spoken when its parts belong together: "GHANI, Abdul" is Abdulghani,
 * "AL RAHMAN, Umar Abd" is Umar Abdulrahman, and "DIN, Salah al" is Salah al-Din.
 */
export function readListedName(name: string, kind: NameKind): ReadName[] {
  const asListed = readName(name, kind, kind === 'person')
  const [family = '', given] = kind === 'person' ? name.split(/,(.*)/s) : []
  const last = tokensOf(given ?? '', kind).at(-1) ?? ''
  return servant.test(last) || particles.has(last) ? [asListed, readName(`${given} ${family}`, kind)] : [asListed]
}

function unitOf(text: string, covers: number): Unit {
  const arabic = arabicLetter.test(text) ? readArabicWord(text) : undefined
  return arabic ? { text, covers, arabic } : { text, covers }
}

function tokensOf(name: string, kind: NameKind): string[] {
  const spelt = spellHanzi(name.slice(0, longestName).normalize('NFKC'))
  const tokens = splitWords(spelt, kind === 'business' ? dotOfAbbreviation : undefined)
    .map((word) => spellInLatin(word).slice(0, longestWord))
    .filter((token) => token !== '')
  return kind === 'person' ? joinServants(tokens) : tokens
}

// S.A. and L.L.C. are one word; J.R. Example has two initials.
const dotOfAbbreviation = /(?<=(?<!\p{L})\p{L})\.(?=\p{L}(?!\p{L}))/gu

/** Splits a name into words without case, marks and apostrophes. A dot ends a word unless it is a joining one. */
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

/** Abd al-Rahman, Abdul Rahman, Abdurrahman and Abderrahmane are one name: "servant of" and one of 99 words. */
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
  // "Abd Allah" has its article inside the word.
  return `abd${of === 'alah' ? 'ah' : of.replace(/e$/, '')}`
}

const mostChinese = 4

/** Names of Chinese syllables alone have no particles: An, Le, Lo and De are family names there. */
function isChineseName(tokens: readonly string[]): boolean {
  return tokens.length <= mostChinese && tokens.every((token) => pinyinKey(token) ?? wadeGilesKey(token))
}

/**
 * Which tokens tell something. An article or "son of" stands before another word, never last in the name or before the
 * comma. If less than two words would be left, all count: a business can be called "The Company".
 */
function keepDistinctive(tokens: readonly string[], kind: NameKind, familyLength: number): boolean[] {
  const isLast = (at: number) => at === tokens.length - 1 || at === familyLength - 1
  const kept = tokens.map((token, at) => {
    if (kind === 'business') return !legalForms.has(token)
    return !honorifics.has(token) && (!particles.has(token) || (isLast(at) && !endings.has(token)))
  })
  const least = kind === 'person' ? Math.min(2, tokens.length) : 1
  return kept.filter(Boolean).length >= least ? kept : tokens.map(() => true)
}

function joinNeighbours(tokens: readonly string[], coverOf: readonly number[]): Unit[] {
  return tokens.slice(1).flatMap((second, at) => {
    const first = tokens[at] ?? ''
    const covers = (coverOf[at] ?? 0) | (coverOf[at + 1] ?? 0)
    const isWord = (text: string) => text.length > 1 || text === 'i'
    const isShort = isWord(first) && isWord(second) && first.length + second.length <= longestJoin
    return isShort && covers !== 0 && !arabicLetter.test(first + second) ? [{ text: first + second, covers }] : []
  })
}
