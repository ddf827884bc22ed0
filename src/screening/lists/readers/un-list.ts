import type { BirthRange, ListedDocument, ListedEntry, ListedName } from '../../screening.ts'
import { oneDay, widen, yearsFrom } from '../birth-range.ts'
import { ListProblem } from '../csv.ts'
import { readDocument } from '../document-numbers.ts'
import { type Element, elementsIn, readXml, textIn } from '../xml.ts'
import { maxEntries, maxNameLength, type ReadList, type UnreadPart } from './reader.ts'

/** Reads the consolidated list of the Security Council of the United Nations, in the XML in which it is published. */
export function readUnList(file: string, bytes: Buffer): ReadList {
  const root = readXml(file, bytes, 'CONSOLIDATED_LIST')
  const unread: UnreadPart[] = []
  const people = elementsIn(root, 'INDIVIDUALS').flatMap((group) => elementsIn(group, 'INDIVIDUAL'))
  const bodies = elementsIn(root, 'ENTITIES').flatMap((group) => elementsIn(group, 'ENTITY'))
  const entries = [
    ...people.map((element) => readEntry(file, element, 'INDIVIDUAL', unread)),
    ...bodies.map((element) => readEntry(file, element, 'ENTITY', unread)),
  ].sort((one, other) => (one.number < other.number ? -1 : 1))
  if (entries.length > maxEntries) throw new ListProblem(file, 1, `exceeds the limit of ${maxEntries} entries`)
  const repeated = entries.find(({ number }, at) => number === entries[at + 1]?.number)
  if (repeated) throw new ListProblem(file, 1, `repeats the reference number ${repeated.number}`)
  const generated = new Date(typeof root['@dateGenerated'] === 'string' ? root['@dateGenerated'] : Number.NaN)
  return { entries, unread, ...(Number.isNaN(generated.getTime()) ? {} : { publishedAt: generated }) }
}

type ElementKind = 'INDIVIDUAL' | 'ENTITY'

function readEntry(file: string, element: Element, kind: ElementKind, unread: UnreadPart[]): ListedEntry {
  const number = textIn(element, 'REFERENCE_NUMBER') || textIn(element, 'DATAID')
  if (number === '') throw new ListProblem(file, 1, `has an ${kind} without REFERENCE_NUMBER and DATAID`)
  const names = readNames(element, kind)
  if (names[0]?.quality !== 'primary' || names.some(({ text }) => text.length > maxNameLength)) {
    throw new ListProblem(file, 1, `must have a name of 1 to 1,000 characters for ${number}`)
  }
  const program = textIn(element, 'UN_LIST_TYPE')
  const births = readBirths(element, number, unread)
  const documents = readDocuments(element, number, unread)
  return {
    number,
    kind: kind === 'INDIVIDUAL' ? 'individual' : 'entity',
    names,
    births,
    addresses: [],
    ...(program === '' ? {} : { programs: [program] }),
    ...(documents.length === 0 ? {} : { documents }),
  }
}

const nameParts = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']
// The list quotes its weak names: “Chief Kahwa”.
const quotes = /^["'“”‘’«»]+|["'“”‘’«»]+$/g

function readNames(element: Element, kind: ElementKind): ListedName[] {
  const whole = nameParts
    .map((part) => textIn(element, part))
    .filter(Boolean)
    .join(' ')
  const others = elementsIn(element, `${kind}_ALIAS`).map((alias): ListedName => {
    const isWeak = textIn(alias, 'QUALITY').toLowerCase() === 'low'
    return { text: textIn(alias, 'ALIAS_NAME').replaceAll(quotes, ''), quality: isWeak ? 'weak' : 'alternate' }
  })
  const original: ListedName = { text: textIn(element, 'NAME_ORIGINAL_SCRIPT'), quality: 'alternate' }
  const names: ListedName[] = [{ text: whole, quality: 'primary' }, ...others, original]
  return names.filter(
    ({ text }, at) => text !== '' && names.findIndex((each) => each.text.toUpperCase() === text.toUpperCase()) === at,
  )
}

function readBirths(element: Element, entryNumber: string, unread: UnreadPart[]): BirthRange[] {
  return elementsIn(element, 'INDIVIDUAL_DATE_OF_BIRTH').flatMap((birth) => {
    const [type, date, year] = ['TYPE_OF_DATE', 'DATE', 'YEAR'].map((name) => textIn(birth, name))
    const [from, to] = ['FROM_YEAR', 'TO_YEAR'].map((name) => textIn(birth, name))
    const text = [date, year, from, to].filter(Boolean).join(' ')
    if (text === '') return []
    const found = date
      ? /^\d{4}-\d{2}-\d{2}/.test(date) && oneDay(date.slice(0, 10))
      : yearsFrom(year || from || '', year || to || from || '')
    if (!found) {
      unread.push({ part: 'birth date', entryNumber, text })
      return []
    }
    return [/^approx/i.test(type ?? '') ? widen(found) : found]
  })
}

function readDocuments(element: Element, entryNumber: string, unread: UnreadPart[]): ListedDocument[] {
  return elementsIn(element, 'INDIVIDUAL_DOCUMENT').flatMap((document) => {
    const text = textIn(document, 'NUMBER')
    if (text === '') return []
    const country = textIn(document, 'ISSUING_COUNTRY') || textIn(document, 'COUNTRY_OF_ISSUE')
    const found = readDocument(text, country)
    if (!found) unread.push({ part: 'document number', entryNumber, text })
    return found ?? []
  })
}
