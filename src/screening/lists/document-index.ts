import { normalizeDocumentNumber } from '../document-number.ts'
import type { ListedEntry, ScreenedDocument } from '../screening.ts'

export type DocumentMatch = { entryNumber: string; listedName: string; isSameCountry: boolean }

export type DocumentIndex = (screened: ScreenedDocument) => DocumentMatch[]

type Indexed = { entryNumber: string; listedName: string; country: string | undefined }

/** Indexes the document numbers of entries: persons are compared with persons, businesses with businesses. */
export function indexDocuments(entries: readonly ListedEntry[]): DocumentIndex {
  const byNumber = new Map<string, Indexed[]>()
  for (const { number: entryNumber, kind, names, documents = [] } of entries) {
    for (const { number, country } of documents) {
      const key = `${kind === 'individual' ? 'INDIVIDUAL' : 'BUSINESS'} ${number}`
      const indexed = { entryNumber, listedName: names[0]?.text ?? '', country }
      const known = byNumber.get(key)
      if (known) known.push(indexed)
      else byNumber.set(key, [indexed])
    }
  }
  return ({ kind, number, country }) => {
    const found = byNumber.get(`${kind} ${normalizeDocumentNumber(number)}`) ?? []
    const wanted = country?.toUpperCase() || undefined
    const fitting = found.filter((each) => !each.country || !wanted || each.country === wanted)
    // One match for each entry, the surest one: an entry may list a number twice.
    return [...Map.groupBy(fitting, (each) => each.entryNumber).values()].flatMap(([first, ...others]) => {
      if (!first) return []
      const isSameCountry = [first, ...others].some((each) => wanted !== undefined && each.country === wanted)
      return [{ entryNumber: first.entryNumber, listedName: first.listedName, isSameCountry }]
    })
  }
}
