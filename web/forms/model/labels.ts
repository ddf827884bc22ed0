import { byPath, nameOf, textAt, texts } from '../texts/words.ts'
import { readText } from './paths.ts'
import type { Change } from './types.ts'

/** The label of a field in words. Regions and postal codes are named as in their country. */
export function labelOf(path: string, values: unknown = {}): string {
  const name = nameOf(path)
  const parent = path.slice(0, -(name.length + 1))
  const isProof = readText(values, `${parent}.type`) === 'PROOF_OF_ADDRESS'
  const country = readText(values, `${parent}.countryCode`)
  const exact =
    (isProof && textAt(texts.proofLabels, name)) ||
    (name === 'stateRegionProvince' && textAt(texts.regionLabels, country)) ||
    (name === 'postalCode' && textAt(texts.postalLabels, country))
  if (exact) return exact
  const field = path.replace(/\[\d+\]$/, '')
  return byPath<string>(texts.bank.labels, field) ?? byPath(texts.labels, field) ?? texts.unnamed
}

/** The name of a person behind a business, or its number. */
export function nameOfPerson(values: unknown, at: number): string {
  const person = `kybData.associatedPersons[${at}]`
  const names = ['legalFirstName', 'legalLastName'].map((name) => readText(values, `${person}.${name}`))
  return names.join(' ').trim() || texts.people.person(at + 1)
}

/** The person, and which of several documents, that a field belongs to; empty for other fields. */
export function ownerOf(field: string, values: unknown): string {
  const [, paper] = /^kybData\.businessDocuments\[(\d+)\]/.exec(field) ?? []
  if (paper !== undefined) return texts.papers.paper(Number(paper) + 1)
  const [, person, document] = /^kybData\.associatedPersons\[(\d+)\](?:\.documents\[(\d+)\])?/.exec(field) ?? []
  if (person === undefined) return ''
  const name = nameOfPerson(values, Number(person))
  const at = Number(document ?? 0)
  return at === 0 ? name : texts.papers.paperOf(name, at + 1)
}

/** Names a change, with the answers that it was made in: later the same place may be that of another item. */
export function labelOfChange({ field, value }: Change, values: unknown): string {
  const isRemoval = field.endsWith(']') && value === null
  return isRemoval ? texts.removalOf(ownerOf(field, values) || labelOf(field, values)) : fullLabelOf(field, values)
}

/** The label of a field, with the person or the document that it belongs to. */
export function fullLabelOf(field: string, values: unknown): string {
  const owner = ownerOf(field, values)
  return owner === '' ? labelOf(field, values) : texts.about(owner, labelOf(field, values))
}
