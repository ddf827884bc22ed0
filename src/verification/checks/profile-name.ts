import { isWithinEdits } from '../../screening/names/likeness.ts'
import { spellLatin } from '../../screening/names/spelling/scripts.ts'
import { nicknameGroups } from '../../screening/names/spelling/spelling-variants.ts'
import { splitWords } from '../../screening/names/words.ts'
import { type Finding, isBlank, needsInformation, type Submission } from '../submission.ts'

/** Words that many businesses have in their names. */
const commonWords: ReadonlySet<string> = new Set(
  `the and of de la inc incorporated corp corporation co company llc llp lp ltd limited plc gmbh ag kg sa sas sarl srl spa
  bv nv ab as oy pty pte pvt private holding holdings group international global services`.split(/\s+/),
)

/**
 * Compares the name given on creation with the legal name, if both are whole. The customer corrects the one that is
 * wrong. People swap their names and go by nicknames: only a clear difference counts.
 */
export function checkProfileName({ customerType, profile, identity: { kycData, kybData } }: Submission): Finding[] {
  if (customerType === 'BUSINESS') {
    const { legalBusinessName = '', dbaName = '' } = kybData?.businessInfo ?? {}
    if (isBlank(legalBusinessName)) return []
    const isOther = isOtherBusiness(profile.businessName ?? '', `${legalBusinessName} ${dbaName}`)
    return isOther ? [needsInformation('ID_DATA_MISMATCH', 'kybData.businessInfo.legalBusinessName')] : []
  }
  const { legalFirstName = '', legalMiddleName = '', legalLastName = '' } = kycData ?? {}
  if (isBlank(legalFirstName) || isBlank(legalLastName)) return []
  const legal = wordsOf(`${legalFirstName} ${legalMiddleName} ${legalLastName}`)
  const last = wordsOf(profile.lastName ?? '')
  return [
    ...(isOtherFirstName(wordsOf(profile.firstName ?? ''), legal)
      ? [needsInformation('ID_DATA_MISMATCH', 'kycData.legalFirstName')]
      : []),
    ...(isComparable(last, legal) && !haveAlikeWords(last, legal)
      ? [needsInformation('ID_DATA_MISMATCH', 'kycData.legalLastName')]
      : []),
  ]
}

/** Bill is William and Peggy is Margaret; other first names that share an initial or two letters in a row may be one. */
function isOtherFirstName(first: readonly string[], legal: readonly string[]): boolean {
  if (!isComparable(first, legal) || haveAlikeWords(first, legal)) return false
  if (first.some((word) => legal.some((each) => isNickname(word, each)))) return false
  const hints = first.flatMap((word) => Array.from(word.slice(1), (_, at) => word.slice(at, at + 2)))
  const sharesInitial = first.some((word) => legal.some((each) => each.startsWith(word.charAt(0))))
  return !sharesInitial && !hints.some((hint) => legal.some((each) => each.includes(hint)))
}

function isNickname(word: string, name: string): boolean {
  const groups = nicknameGroups.get(name) ?? []
  return (nicknameGroups.get(word) ?? []).some((group) => groups.includes(group))
}

function isOtherBusiness(given: string, legal: string): boolean {
  const [givenWords, legalWords] = [tellingWords(given), tellingWords(legal)]
  if (!isComparable(givenWords, legalWords) || haveAlikeWords(givenWords, legalWords)) return false
  return !isShortFor(givenWords, legal) && !isShortFor(legalWords, given)
}

/** ABC for Alpha Beta Cables Ltd. */
function isShortFor(words: readonly string[], name: string): boolean {
  const initials = wordsOf(name)
    .map((word) => word.charAt(0))
    .join('')
  return words.some((word) => word.length > 1 && initials.startsWith(word))
}

function tellingWords(name: string): string[] {
  const words = wordsOf(name)
  const telling = words.filter((word) => !commonWords.has(word))
  return telling.length > 0 ? telling : words
}

/** Two names can be compared letter by letter when both are in Latin script, or neither is. */
function isComparable(one: readonly string[], other: readonly string[]): boolean {
  const isLatin = (words: readonly string[]) => words.some((word) => /\p{Script=Latin}/u.test(word))
  return one.length > 0 && other.length > 0 && isLatin(one) === isLatin(other)
}

export function wordsOf(name: string): string[] {
  return splitWords(name, /\./g).map(spellLatin)
}

function haveAlikeWords(one: readonly string[], other: readonly string[]): boolean {
  return one.some((word) => other.some((each) => areAlike(word, each)))
}

/**
 * True for the same word, an initial, a part of the other, or a typo. Screening also accepts nicknames and spellings of
 * one sound. Here these would let another family name pass: Mayer for Meier, Bill for William.
 */
export function areAlike(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  if (short === '') return false
  if (long.startsWith(short) || (short.length >= 4 && long.includes(short))) return true
  return isWithinEdits(short, long, short.length >= 7 ? 2 : short.length >= 4 ? 1 : 0)
}
