import type { Tree } from './types.ts'

/** Reads `kycData.documents[0].subtype` from the answers. */
export function read(values: unknown, path: string): unknown {
  return stepsOf(path).reduce<unknown>((inside, step) => (inside as Tree | undefined)?.[step], values)
}

export function readText(values: unknown, path: string): string {
  const value = read(values, path)
  return value === undefined || value === null ? '' : String(value)
}

/** Returns the answers with one value changed; undefined removes it, and an item from its list. */
export function write<Value>(values: Value, path: string, value: unknown): Value {
  return put(values, stepsOf(path), value) as Value
}

function put(inside: unknown, [step, ...rest]: string[], value: unknown): unknown {
  if (step === undefined) return value
  const isIndex = /^\d+$/.test(step)
  const copy: unknown = isIndex ? [...((inside as unknown[] | undefined) ?? [])] : { ...(inside as Tree | undefined) }
  const tree = copy as Tree
  if (rest.length > 0) tree[step] = put(tree[step], rest, value)
  else if (value !== undefined) tree[step] = value
  else if (Array.isArray(copy)) copy.splice(Number(step), 1)
  else delete tree[step]
  return copy
}

function stepsOf(path: string): string[] {
  return path.split(/[.[\]]+/).filter((step) => step !== '')
}

export function listAt(values: unknown, path: string): Tree[] {
  const list = read(values, path)
  return Array.isArray(list) ? (list as Tree[]) : []
}

/** The place of a person's document of a type: the first one, or where a new one would be. */
export function documentPath(values: unknown, person: string, type: 'GOVERNMENT_ID' | 'PROOF_OF_ADDRESS'): string {
  const documents = listAt(values, `${person}.documents`)
  const at = documents.findIndex((document) => document.type === type)
  return `${person}.documents[${at === -1 ? documents.length : at}]`
}

/** Tells whether a problem with `field` is shown at `place`, which may lie inside of it. */
export function concerns(field: string, place: string): boolean {
  return field === place || place.startsWith(`${field}.`) || place.startsWith(`${field}[`)
}

/**
 * The documents that corrections are about when a proof of address is among them, in order, so that each has its type
 * before its first answer: a document can only be added after those before it.
 */
export function newDocumentsIn(fields: readonly string[]): [document: string, type: string][] {
  const documents = [...new Set(fields.flatMap((path) => /^(.*\.documents\[\d+\])\./.exec(path)?.[1] ?? []))].sort()
  const isProof = (document: string) => fields.includes(`${document}.proofOfAddressImage`)
  if (!documents.some(isProof)) return []
  return documents.map((document) => [document, isProof(document) ? 'PROOF_OF_ADDRESS' : 'GOVERNMENT_ID'])
}
