import { honorifics, particles, patronymicEndings } from './common-words.ts'
import { markLegalForm, mayEndWithForm } from './legal-forms.ts'
import { type ArabicWord, readArabicWord } from './spelling/arabic.ts'
import { isWadeGiles, pinyinKey, wadeGilesKey } from './spelling/chinese.ts'
import { isKoreanName } from './spelling/korean.ts'
import { readDigits } from './spelling/look-alikes.ts'
import { partsOfBusiness, partsOfPerson } from './spelling/parts.ts'
import { readName } from './spelling/readings.ts'
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
  system: Romanization
  /** True for a name of Chinese or Korean syllables, none of which people leave out. */
  isSyllabic: boolean
  /** True when the syllables can be Korean as well as Chinese. */
  isEither: boolean
  /** The evidence that a match with a part of the screened name needs; undefined for the whole name. */
  minEvidence?: number
  /** False when a word is in a script that cannot be compared, or the name has more words than are compared. */
  isComparable: boolean
}

/** The system in which the whole name is spelt, where the words show it. */
export type Romanization = 'wade' | 'korean' | undefined

export type NameKind = 'person' | 'business'

const maxWords = 16
const maxTokens = 48
// Longer than any name. A pasted text is cut here, so that it costs no more than a name.
const maxNameLength = 400
const maxWordLength = 40
const maxJoinLength = 14
const arabicLetter = /\p{Script=Arabic}/u

/** Parses a screened name in each way that it can be read. */
export function parseScreenedName(name: string, kind: NameKind): { readings: ParsedName[]; isComparable: boolean } {
  const { texts, isSure } = readName(name.slice(0, maxNameLength))
  const isHangul = /[가-힣]/.test(name)
  const readings = texts
    .flatMap((text) => (kind === 'person' ? [text, ...withoutLegalForm(text)] : [text]))
    .flatMap((text) => parseBoth(text, kind))
    .map((parsed) => (isHangul && parsed.isEither ? asKorean(parsed) : parsed))
  const isWhole = name.length <= maxNameLength && readings.every(({ isComparable }) => isComparable)
  const isComparable = isSure && isWhole && !hidesLetters(name, readings)
  const parts = texts
    .flatMap((text) => (kind === 'person' ? partsOfPerson(text) : partsOfBusiness(text)))
    .map(({ text, minEvidence }) => ({ ...parseName(text, kind), minEvidence }))
  return { readings: [...readings, ...parts], isComparable }
}

// Symbols such as 🅸, and @ or $ inside a word, imitate letters. N° 5, Acme® and Yahoo! are names of businesses.
const symbol = /(?![°®©])\p{So}|\p{L}[\p{Sc}@!]\p{L}/u
const maxInitials = 4

/** True for a name with letters that its words do not have: symbols for letters, or a word spaced out letter by letter. */
function hidesLetters(name: string, readings: readonly ParsedName[]): boolean {
  const isSymbolic = symbol.test(name.normalize('NFKC'))
  const isSpacedOut = readings.some(
    ({ words }) => words.filter(({ text, arabic }) => text.length === 1 && !arabic).length > maxInitials,
  )
  const isEmpty = name.trim() !== '' && readings.every(({ words }) => words.length === 0)
  return isSymbolic || isSpacedOut || isEmpty
}

/** The name of a person who is declared as a business, without the legal form at its end; none for other names. */
function withoutLegalForm(name: string): string[] {
  if (!mayEndWithForm(name)) return []
  const tokens = tokensOf(name, 'business')
  const end = markLegalForm(tokens).findLastIndex((isForm) => !isForm) + 1
  return end > 1 && end < tokens.length ? [tokens.slice(0, end).join(' ')] : []
}

/** Parses a name, and again with "Abdul" as a name of its own where a blank follows it: Abdul Khan. */
function parseBoth(name: string, kind: NameKind, hasFamilyFirst = false): ParsedName[] {
  const parsed = parseName(name, kind, { hasFamilyFirst })
  return kind === 'person' && /\babd[aeu]l\s/i.test(name)
    ? [parsed, parseName(name, kind, { hasFamilyFirst, isApart: true })]
    : [parsed]
}

type ParseOptions = { hasFamilyFirst?: boolean; isApart?: boolean }

/** Splits a name into units. Only a listed person's name has its family name before a comma. */
function parseName(name: string, kind: NameKind, { hasFamilyFirst, isApart }: ParseOptions = {}): ParsedName {
  const comma = hasFamilyFirst ? name.indexOf(',') : -1
  const [family, rest] = comma > 0 ? [name.slice(0, comma), name.slice(comma + 1)] : ['', name]
  const tokensIn = (text: string) =>
    kind === 'person' && !isApart ? joinServants(tokensOf(text, kind)) : tokensOf(text, kind)
  const familyTokens = tokensIn(family)
  const tokens = [...familyTokens, ...tokensIn(rest)]
  const untitled = tokens.filter((token) => !honorifics.has(token))
  const isChinese = kind === 'person' && (isChineseName(tokens) || isChineseName(untitled))
  const isKorean = kind === 'person' && (isKoreanName(tokens) || isKoreanName(untitled))
  const kept =
    isChinese || isKorean
      ? tokens.map((token) => untitled.length < 2 || !honorifics.has(token))
      : keepDistinctive(tokens, kind, familyTokens.length)
  const words: NameUnit[] = []
  const masks = tokens.map((text, at) => {
    // Titles and articles go before the name is cut, so that they cannot push the name out.
    if (!kept[at] || words.length >= maxWords) return 0
    const covers = 1 << words.length
    words.push(unitOf(isKorean ? spellKoreanVowel(text) : text, covers))
    return covers
  })
  const familyMask = masks.slice(0, familyTokens.length).reduce((mask, covers) => mask | covers, 0)
  const latin = words.map(({ text }) => text)
  const isCut = kept.filter(Boolean).length > words.length
  return {
    words,
    joins: joinNeighbours(tokens.slice(0, maxTokens), masks),
    familyMask,
    system: systemOf(name, kind, latin, isKorean && !isChinese),
    isSyllabic: isChinese || isKorean,
    isEither: isChinese && isKorean,
    isComparable: !isCut && words.every(({ text, arabic }) => arabic !== undefined || !/[^a-z0-9]/.test(text)),
  }
}

function asKorean(parsed: ParsedName): ParsedName {
  return { ...parsed, system: 'korean' }
}

function systemOf(name: string, kind: NameKind, latin: readonly string[], isKorean: boolean): Romanization {
  if (isKorean) return 'korean'
  return kind === 'person' && isWadeGiles(name, latin) ? 'wade' : undefined
}

/** A family name of one vowel is no initial: O and U are Oh and Woo. */
function spellKoreanVowel(text: string): string {
  return { o: 'oh', u: 'woo', i: 'yi' }[text] ?? text
}

/**
 * Parses a listed name, and again in spoken order when the comma splits a word: "GHANI, Abdul" is Abdulghani,
 * "AL RAHMAN, Umar Abd" is Umar Abdulrahman, and "DIN, Salah al" is Salah al-Din.
 */
export function parseListedName(name: string, kind: NameKind): ParsedName[] {
  const asListed = parseBoth(readName(name).texts[0] ?? name, kind, kind === 'person').flatMap((parsed) =>
    parsed.isEither ? [parsed, asKorean(parsed)] : [parsed],
  )
  const [family = '', given] = kind === 'person' ? name.split(/,(.*)/s) : []
  const last = tokensOf(given ?? '', kind).at(-1) ?? ''
  return servant.test(last) || particles.has(last) ? [...asListed, parseName(`${given} ${family}`, kind)] : asListed
}

function unitOf(text: string, covers: number): NameUnit {
  const arabic = arabicLetter.test(text) ? readArabicWord(text) : undefined
  return arabic ? { text, covers, arabic } : { text, covers }
}

function tokensOf(name: string, kind: NameKind): string[] {
  return splitWords(name, kind === 'business' ? dotOfAbbreviation : undefined)
    .map((word) => spellInLatin(kind === 'person' ? readDigits(word) : word).slice(0, maxWordLength))
    .filter((token) => token !== '')
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

// Abdi and Abdo are names of their own.
const servant = /^abd(?!i$|o$|ou$)(?:[aeiou]{1,2})?[lrsndtzh]?$/
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

const doubleSurnames: ReadonlySet<string> = new Set(['ouyang', 'sima', 'szuma', 'zhuge', 'shangguan', 'situ', 'xiahou'])

/**
 * A name of Chinese syllables alone has no particles: An, Le, Lo and De are family names there. The family name has one
 * syllable: Hadi Karimi is no Chinese name.
 */
function isChineseName(tokens: readonly string[]): boolean {
  const keys = tokens.map((token) => pinyinKey(token) ?? wadeGilesKey(token))
  const isSurname = (at: number) => keys.at(at)?.includes('-') === false || doubleSurnames.has(tokens.at(at) ?? '')
  return tokens.length <= maxChineseWords && keys.every((key) => key !== undefined) && (isSurname(0) || isSurname(-1))
}

/**
 * Marks the distinctive tokens. An article or "son of" precedes another word: it is never last in the name or before
 * the comma. If too few words would be left, all are kept: a business can be called "The Company".
 */
function keepDistinctive(tokens: readonly string[], kind: NameKind, familyLength: number): boolean[] {
  const isLast = (at: number) => at === tokens.length - 1 || at === familyLength - 1
  const forms = kind === 'business' ? markLegalForm(tokens) : []
  const kept = tokens.map((token, at) => {
    if (kind === 'business') return !forms[at]
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
    // A word in two scripts is none.
    const isOneScript = arabicLetter.test(first) === arabicLetter.test(second)
    return isShort && covers !== 0 && isOneScript ? [unitOf(first + second, covers)] : []
  })
}
