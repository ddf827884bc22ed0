import { compareWords, toComparable } from './names/likeness.ts'
import { type NameKind, type ParsedName, parseScreenedName } from './names/words.ts'

const kinds: readonly NameKind[] = ['person', 'business']
// A word that is a letter off counts as the same one, if it is long enough that this is a typo.
const minReliability = 0.5
// Banks cut long names, so that the last letters of a word are missing.
const minPrefix = 4

/**
 * True when two names can name the same person or business: each word of the shorter name is in the other one, in any
 * order, spelling and script, or as an initial. Titles and legal forms do not count. A name that cannot be compared is
 * not a different one.
 */
export function isSameName(one: string, other: string): boolean {
  return kinds.some((kind) => compare(one, other, kind) ?? true)
}

/** True when two names name the same one for certain: a name that cannot be compared must be written the same. */
export function isOwnName(one: string, other: string): boolean {
  const fold = (name: string) => name.normalize('NFKC').toLowerCase().trim()
  return fold(one) === fold(other) || kinds.some((kind) => compare(one, other, kind) === true)
}

/** Undefined when one of the names cannot be compared. */
function compare(one: string, other: string, kind: NameKind): boolean | undefined {
  const [left, right] = [readingsOf(one, kind), readingsOf(other, kind)]
  if (!left || !right) return undefined
  return left.some((name) => right.some((against) => hasSameWords(name, against)))
}

/** The readings of a whole name; undefined when it has no words, or words that cannot be compared. */
function readingsOf(name: string, kind: NameKind): ParsedName[] | undefined {
  const { readings, isComparable } = parseScreenedName(name, kind)
  const whole = readings.filter(({ minEvidence, words }) => minEvidence === undefined && words.length > 0)
  return isComparable && whole.length > 0 ? whole : undefined
}

type Word = ParsedName['words'][number]

function hasSameWords(one: ParsedName, other: ParsedName): boolean {
  const [shorter, longer] = one.words.length <= other.words.length ? [one, other] : [other, one]
  // Two words of one name may be one word of the other: Xiao Ping and Xiaoping.
  return isCovered(shorter.words, longer, shorter) || isCovered(longer.words, shorter, longer)
}

/** True when each word has a partner of its own among the words and joins of the other name. */
function isCovered(words: readonly Word[], { words: others, joins, system }: ParsedName, own: ParsedName): boolean {
  let used = 0
  let named = 0
  // Whole words choose before initials.
  for (const word of [...words].sort((left, right) => right.text.length - left.text.length)) {
    const partner = [...others, ...joins].find(
      (each) =>
        (each.covers & used) === 0 &&
        isSameWord(toComparable(word.text, own.system, word.arabic), toComparable(each.text, system, each.arabic)),
    )
    if (!partner) return false
    used |= partner.covers
    if (Math.min(word.text.length, partner.text.length) > 1) named += 1
  }
  return named > 0
}

type Comparable = ReturnType<typeof toComparable>

function isSameWord(one: Comparable, other: Comparable): boolean {
  const [short, long] = one.text.length <= other.text.length ? [one.text, other.text] : [other.text, one.text]
  if (!one.arabic && !other.arabic && long.startsWith(short) && (short.length === 1 || short.length >= minPrefix))
    return true
  const likeness = compareWords(one, other) ?? compareWords(other, one)
  return likeness !== undefined && likeness.reliability >= minReliability
}
