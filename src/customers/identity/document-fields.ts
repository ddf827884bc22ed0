import { LongText } from '../../lib/long-text.ts'

type Tree = Record<string, unknown>

/** One image of a submission, its field, and a way to replace it by a reference to the stored file. */
export type ImageField = { field: string; value: unknown; replace(kept: unknown): void }

const idImages = ['frontIdImage', 'backIdImage', 'proofOfAddressImage']

/** Finds every image of a submission, in the fields where the contract has documents. */
export function findImages({ kycData, kybData }: { kycData?: unknown; kybData?: unknown }): ImageField[] {
  const persons = listIn(kybData, 'associatedPersons')
  return [
    ...imagesIn(kycData, 'kycData', 'documents', idImages),
    ...persons.flatMap((person, at) => imagesIn(person, `kybData.associatedPersons[${at}]`, 'documents', idImages)),
    ...imagesIn(kybData, 'kybData', 'businessDocuments', ['documentImage']),
  ]
}

function imagesIn(parent: unknown, field: string, list: string, names: readonly string[]): ImageField[] {
  return listIn(parent, list).flatMap((document, at) => {
    if (!isTree(document)) return []
    const present = names.filter((name) => document[name] !== undefined)
    return present.map((name) => ({
      field: `${field}.${list}[${at}].${name}`,
      value: document[name],
      replace: (kept: unknown) => {
        document[name] = kept
      },
    }))
  })
}

function listIn(parent: unknown, name: string): unknown[] {
  const list = isTree(parent) ? parent[name] : undefined
  return Array.isArray(list) ? list : []
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LongText)
}

/** Returns the bytes of a data URI; undefined for a value that is no text. */
export function piecesOf(value: unknown): readonly Buffer[] | undefined {
  if (value instanceof LongText) return value.pieces
  return typeof value === 'string' ? [Buffer.from(value)] : undefined
}
