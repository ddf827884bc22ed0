import { mergeDeep } from '../../lib/merge.ts'
import type { Identity } from './identity.ts'

export const maskedNames = new Set(['nationalIdNumber', 'documentIdNumber'])
export const imageNames = new Set(['frontIdImage', 'backIdImage', 'proofOfAddressImage', 'documentImage'])

/** Masks numbers and leaves images out: a reader sees which fields are there and cannot misuse them. */
export function maskIdentity(identity: Identity): object {
  return maskTree(mergeDeep<Identity>({}, identity)) as object
}

function maskTree(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskTree)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !imageNames.has(name))
  return Object.fromEntries(
    kept.map(([name, inside]) => [name, maskedNames.has(name) ? maskNumber(inside) : maskTree(inside)]),
  )
}

/** Shows the last four characters of a number that is long enough to hide the rest. */
export function maskNumber(value: unknown): string {
  const text = String(value)
  const shown = text.length >= 8 ? text.slice(-4) : ''
  return '*'.repeat(text.length - shown.length) + shown
}
