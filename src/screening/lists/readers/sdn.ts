import type { EntryKind, ListedEntry, ListedName } from '../../screening.ts'
import { ListProblem, readCsvLine } from '../csv.ts'
import { readRemarkDocuments } from '../document-numbers.ts'
import { findUnreadRemarks, readAddresses, readBirths, readWeakNames } from '../remarks.ts'
import { maxEntries, maxNameLength, maxNames, type UnreadPart } from './reader.ts'

/**
 * The lists that the Office of Foreign Assets Control of the United States Treasury publishes as CSV without a heading:
 * sdn.csv (one line an entry), alt.csv (their other names), sdn_comments.csv (the rest of long remarks).
 */
export const listFiles = {
  'sdn.csv': { columns: 12, isRequired: true },
  'alt.csv': { columns: 5, isRequired: true },
  'sdn_comments.csv': { columns: 2, isRequired: false },
} as const
export type ListFile = keyof typeof listFiles

const kinds: Readonly<Record<string, EntryKind>> = {
  '': 'entity',
  entity: 'entity',
  individual: 'individual',
  vessel: 'vessel',
  aircraft: 'aircraft',
}

const quoted = /^\s*'(.*)'\s*$/

type Draft = { number: string; kind: EntryKind; programs: string[]; names: ListedName[]; remarks: string }

const sdnNames = { 'sdn.csv': 'sdn.csv', 'alt.csv': 'alt.csv', 'sdn_comments.csv': 'sdn_comments.csv' } as const

/**
 * Reads a list line by line: first all of sdn.csv, then the other files. Throws at the first line that is wrong. Other
 * lists of the same form have other file names, which errors tell.
 */
export function createListReader(fileNames: Readonly<Record<ListFile, string>> = sdnNames) {
  const drafts = new Map<string, Draft>()
  let nameCount = 0

  const addName = (draft: Draft, { text, quality }: ListedName, problem: (what: string) => ListProblem) => {
    const name = { text: text.trim(), quality }
    if (name.text === '' || name.text.length > maxNameLength) throw problem('must have a name of 1 to 1,000 characters')
    if (++nameCount > maxNames) throw problem(`exceeds the limit of ${maxNames} names`)
    draft.names.push(name)
  }

  const readers: Record<ListFile, (fields: string[], problem: (what: string) => ListProblem) => void> = {
    'sdn.csv': ([number = '', name = '', type = '', program = '', ...rest], problem) => {
      const kind = kinds[type.trim().toLowerCase()]
      if (!kind) throw problem('has a type other than individual, entity, vessel and aircraft')
      if (drafts.has(number)) throw problem(`repeats the entry number ${number}`)
      if (drafts.size >= maxEntries) throw problem(`exceeds the limit of ${maxEntries} entries`)
      const programs = program.split(/[[\]]+/).map((text) => text.trim())
      const draft: Draft = { number, kind, programs: programs.filter(Boolean), names: [], remarks: rest.at(-1) ?? '' }
      addName(draft, { text: name, quality: 'primary' }, problem)
      drafts.set(number, draft)
    },
    'alt.csv': ([number = '', , type = '', name = '', remarks = ''], problem) => {
      const draft = drafts.get(number) ?? unknown(number, fileNames['sdn.csv'], problem)
      const isWeak = /\bweak\b/i.test(`${type} ${remarks}`) || quoted.test(name)
      addName(draft, { text: name.replace(quoted, '$1'), quality: isWeak ? 'weak' : 'alternate' }, problem)
    },
    'sdn_comments.csv': ([number = '', remarks = ''], problem) => {
      const draft = drafts.get(number) ?? unknown(number, fileNames['sdn.csv'], problem)
      draft.remarks += remarks
    },
  }

  return {
    readLine: (file: ListFile, lineNumber: number, line: string): void => {
      const problem = (what: string) => new ListProblem(fileNames[file], lineNumber, what)
      // Published files end with the control-Z that once marked the end of a text file.
      const text = line.replace('\uFEFF', '').replaceAll('\u001A', '').trimEnd()
      if (text.trim() === '') return
      const fields = readCsvLine(text)
      const { columns, isRequired } = listFiles[file]
      if (!fields) throw problem('is not a line of CSV')
      // An optional file may have more columns than we read.
      const isRight = isRequired ? fields.length === columns : fields.length >= columns
      if (!isRight) throw problem(`has ${fields.length} fields instead of ${columns}`)
      if (!/^\d{1,12}$/.test(fields[0] ?? '')) throw problem('must begin with the number of an entry')
      readers[file](fields, problem)
    },

    /** Returns every entry, by its number. */
    finish: (): ListedEntry[] =>
      [...drafts.values()].sort((one, other) => Number(one.number) - Number(other.number)).map(toEntry),

    /** Lists the parts of remarks that say something about an entry and cannot be read. */
    findUnread: (): UnreadPart[] =>
      [...drafts.values()].flatMap(({ number: entryNumber, kind, remarks }) => [
        ...findUnreadRemarks(remarks).map((unread) => ({ ...unread, entryNumber })),
        ...documentsOf(kind, remarks).flatMap(({ text, document }) =>
          document ? [] : [{ part: 'document number' as const, entryNumber, text }],
        ),
      ]),
  }
}

function toEntry({ number, kind, programs, names, remarks }: Draft): ListedEntry {
  const documents = documentsOf(kind, remarks).flatMap(({ document }) => document ?? [])
  return {
    number,
    kind,
    names: [...names, ...weakNamesOf(names, remarks)],
    births: readBirths(remarks),
    addresses: readAddresses(remarks),
    ...(programs.length === 0 ? {} : { programs }),
    ...(documents.length === 0 ? {} : { documents }),
  }
}

/** The numbers of persons and businesses; those of vessels and aircraft identify things. */
function documentsOf(kind: EntryKind, remarks: string) {
  return kind === 'individual' || kind === 'entity' ? readRemarkDocuments(remarks) : []
}

function weakNamesOf(known: readonly ListedName[], remarks: string): ListedName[] {
  const texts = new Set(known.map(({ text }) => text.toUpperCase()))
  return [...new Set(readWeakNames(remarks))]
    .filter((text) => text.length <= maxNameLength && !texts.has(text.toUpperCase()))
    .map((text) => ({ text, quality: 'weak' }))
}

function unknown(number: string, file: string, problem: (what: string) => ListProblem): never {
  throw problem(`is about entry ${number}, which ${file} does not have: the files belong to different lists`)
}
