import { LongText } from '../lib/long-text.ts'

type Tree = Record<string, unknown>

/** One image in a submission: where it is, and a way to put what was kept of it in its place. */
export type ImageField = { field: string; value: unknown; replace(kept: unknown): void }

const imageNames = new Set(['frontIdImage', 'backIdImage', 'proofOfAddressImage', 'documentImage'])

/** Finds every image of a submission, wherever documents can be. The submission is changed when they are replaced. */
export function findImages(value: unknown, field = ''): ImageField[] {
  if (value instanceof LongText || typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, at) => findImages(item, `${field}[${at}]`))
  return Object.entries(value).flatMap(([name, inside]) => {
    const path = field === '' ? name : `${field}.${name}`
    if (!imageNames.has(name)) return findImages(inside, path)
    const replace = (kept: unknown) => {
      ;(value as Tree)[name] = kept
    }
    return [{ field: path, value: inside, replace }]
  })
}

/** The bytes of a data URI, or undefined for what is no text at all. */
export function piecesOf(value: unknown): readonly Buffer[] | undefined {
  if (value instanceof LongText) return value.pieces
  return typeof value === 'string' ? [Buffer.from(value)] : undefined
}
