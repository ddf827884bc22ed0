import { lightWords, particles, tradeWords } from '../common-words.ts'
import { isKoreanName } from './korean.ts'

/** A part of a name, and the evidence that a match with it needs at least. */
export type NamePart = { text: string; minEvidence: number }

// Many people have a double name, and one word can be split in many places.
const minEvidence = { people: 0, fillers: 0, camel: 0, half: 1, split: 0.9 }
const maxParts = 24
const minPartLength = 4
// Spanish surnames have "y" and "e" inside.
const between = /\s(?:and|or|und|oder|et|ou|и|или|aka|alias|dba|c\/o)\s|[&+;|/]/iu
const camel = /(?<=\p{Ll}{2})(?=\p{Lu}\p{Ll}{2})/gu

/** Lists the parts of a person's name that may be a name: of two people, of a double name, of words written as one. */
export function partsOfPerson(name: string): NamePart[] {
  const people = between.test(name) ? name.split(between).map((each) => each.trim()) : []
  return [
    ...asParts(
      people.filter((each) => /\p{L}\s+\p{L}/u.test(each)),
      minEvidence.people,
    ),
    ...asParts(withoutFillers(name), minEvidence.fillers),
    ...asParts(withoutHyphen(name), minEvidence.half),
    ...asParts(splitCamel(name), minEvidence.camel),
    ...asParts(splitOneWord(name.trim()), minEvidence.split),
  ].slice(0, maxParts)
}

const asParts = (texts: readonly string[], least: number) => texts.map((text) => ({ text, minEvidence: least }))

/** Lists the ways to split a business name that is written as one word with its trade: RoskalTrading, roskaltrading. */
export function partsOfBusiness(name: string): NamePart[] {
  const split = name.replaceAll(/[a-z]{9,}/gi, (word) => splitTrade(word) ?? word)
  return asParts(split === name ? splitCamel(name) : [...splitCamel(name), split], minEvidence.camel)
}

/** The name without words of trade: Igor Voroshkin Payment Services. */
function withoutFillers(name: string): string[] {
  const words = name.split(/\s+/)
  // Hong, An and Do are Korean names.
  if (isKoreanName(words.map((word) => word.toLowerCase()))) return []
  const kept = words.filter((word) => !tradeWords.has(word.toLowerCase()) && !lightWords.has(word.toLowerCase()))
  return kept.length > 1 && kept.length < words.length ? [kept.join(' ')] : []
}

/** The name with one half of each double word: Igor Voroshkin-Smith as Igor Voroshkin and as Igor Smith. */
function withoutHyphen(name: string): string[] {
  if (!name.includes('-')) return []
  const double = /(?<!\p{L}|-)(\p{L}{4,})-(\p{L}{4,})(?!\p{L}|-)/u.exec(name)
  const [both = '', first = '', second = ''] = double ?? []
  if (both === '' || particles.has(first.toLowerCase())) return []
  return [name.replace(both, first), name.replace(both, second)]
}

function splitCamel(name: string): string[] {
  if (!/\p{Ll}\p{Lu}/u.test(name)) return []
  const split = name.replaceAll(camel, ' ')
  if (split === name) return []
  // An article stands before the capital: SabiralQaraduni.
  const apart = split.replaceAll(/(?<=\p{Ll}{2})(?=[ae]l \p{Lu})/gu, ' ')
  return apart === split ? [split] : [split, apart]
}

const oneWord = /^\p{L}{8,24}$/u
const minHalf = 3

/** Each way to split a name of one long word in two. */
function splitOneWord(name: string): string[] {
  if (name.includes(' ') || !oneWord.test(name) || name.search(camel) >= 0) return []
  const places = Array.from({ length: name.length - 2 * minHalf + 1 }, (_, at) => at + minHalf)
  return places.map((at) => `${name.slice(0, at)} ${name.slice(at)}`)
}

/** Splits a word before the longest word of trade that it ends with. */
function splitTrade(word: string): string | undefined {
  const text = word.toLowerCase()
  for (let at = minPartLength + 1; at <= text.length - minPartLength; at++) {
    const end = text.slice(at)
    if (tradeWords.has(end) || lightWords.has(end)) return `${word.slice(0, at)} ${word.slice(at)}`
  }
  return undefined
}
