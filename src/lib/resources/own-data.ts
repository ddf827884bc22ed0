import { mergeDeep } from '../merge.ts'
import { badField, Refusal } from '../refusal.ts'

/** Pairs that the caller keeps with a resource. Svc never reads them, and treats them as personal data. */
export type Metadata = Record<string, string>

/** The caller's own data of a stored resource. */
export type OwnData = { externalId: string | null; metadata: Metadata | null }

/** The caller's own data in the body of a POST. */
export type NewOwnData = { externalId?: string; metadata?: Metadata }

/** A change of own data: null clears, and a null inside metadata clears one pair. */
export type OwnDataChange = { externalId?: string | null; metadata?: Record<string, string | null> | null }

export const mostPairs = 20

/** Presents own data, each part only if it is set. */
export function presentOwnData({ externalId, metadata }: Partial<OwnData>): NewOwnData {
  return { ...presentExternalId({ externalId }), ...presentMetadata({ metadata }) }
}

export function presentExternalId({ externalId }: { externalId?: string | null | undefined }): { externalId?: string } {
  return externalId === null || externalId === undefined ? {} : { externalId }
}

export function presentMetadata({ metadata }: { metadata?: Metadata | null | undefined }): { metadata?: Metadata } {
  return metadata && Object.keys(metadata).length > 0 ? { metadata } : {}
}

/** Applies a change of metadata; undefined leaves it as it is. The number of pairs is checked after the merge. */
export function mergeMetadata(stored: Metadata | null, change: OwnDataChange['metadata']): Metadata | null {
  if (change === undefined) return stored
  if (change === null) return null
  const merged = mergeDeep<Metadata>(stored ?? {}, change as Metadata)
  if (Object.keys(merged).length > mostPairs) throw badField('metadata', `must have at most ${mostPairs} pairs`)
  return Object.keys(merged).length > 0 ? merged : null
}

/** Writes metadata for its column; null without pairs. */
export function writeMetadata(metadata: Metadata | null | undefined): string | null {
  return metadata && Object.keys(metadata).length > 0 ? JSON.stringify(metadata) : null
}

export function externalIdTaken(): Refusal {
  const [field, message] = ['externalId', 'is already used by another resource of this kind in the organization']
  return new Refusal('EXTERNAL_ID_ALREADY_USED', `${field} ${message}`, { details: [{ field, message }] })
}

/** Tells whether a unique index `<table>_external_id` refused a row: another request was first. */
export function isExternalIdTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' && constraint?.endsWith('_external_id') === true
}

/** Turns a violation of a unique index `<table>_external_id` into a refusal. */
export async function refusingTakenIds<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    throw isExternalIdTaken(error) ? externalIdTaken() : error
  }
}
