import { createHmac } from 'node:crypto'
import type { CustomerType, Profile } from '../customers/customer.ts'
import type { Identity, StoredImage } from '../customers/identity/identity.ts'
import { KeptImage } from '../customers/identity/kept-image.ts'
import { isImage, leavesOf, type Steps, schemaAt, setAt, valueAt, writePath } from './paths.ts'

/** The answers of a customer before they are submitted: whole data, with references to stored files. */
export type Draft = {
  /** The page on which the customer was last. */
  page?: string
  /** How often an item was removed from a list, which changes the places of the items after it. */
  moves?: number
  /** The key of the marks. */
  salt?: string
  identity: Identity
}

/** A draft as a browser may see it: without numbers and files, which are only told to be there. */
export type ShownDraft = {
  page?: string
  values: object
  /** The fields with a number that the form never shows. */
  given: string[]
  files: Record<string, ShownFile>
  /** Tell one hidden number or file from another, by its field: a window learns that another device changed it. */
  marks: Record<string, string>
}

export type ShownFile = { mediaType: string; byteLength: number; isNew: boolean }

const hiddenNames = new Set(['nationalIdNumber', 'documentIdNumber'])

/** Starts a draft from what the API has sent, and from the name that the customer was created with. */
export function startDraft(customerType: CustomerType, profile: Partial<Profile>, stored: Identity): Draft {
  const identity = structuredClone(stored)
  if (customerType === 'BUSINESS') {
    const kybData = identity.kybData ?? {}
    const legalBusinessName = kybData.businessInfo?.legalBusinessName ?? profile.businessName
    const businessInfo = { ...kybData.businessInfo, ...(legalBusinessName ? { legalBusinessName } : {}) }
    return { identity: { ...identity, kybData: { ...kybData, businessInfo } } }
  }
  const kycData = identity.kycData ?? {}
  const names = {
    legalFirstName: kycData.legalFirstName ?? profile.firstName,
    legalLastName: kycData.legalLastName ?? profile.lastName,
  }
  const given = Object.fromEntries(Object.entries(names).filter(([, name]) => name !== undefined))
  return { identity: { ...identity, kycData: { ...kycData, ...given } } }
}

/** Shows a draft to a browser: the fields that `isShown` selects, at their places. */
export function showDraft(
  { page, salt = '', identity }: Draft,
  stored: Identity,
  isShown: (steps: Steps) => boolean = () => true,
): ShownDraft {
  const values = {}
  const given: string[] = []
  const files: ShownDraft['files'] = {}
  const marks: ShownDraft['marks'] = {}
  for (const item of itemsOf(identity)) setAt(values, item, {})
  for (const { steps, value } of leavesOf(identity)) {
    if (!isShown(steps)) continue
    const path = writePath(steps)
    if (isImage(schemaAt(steps))) {
      const { blobId, mediaType, byteLength } = value as StoredImage
      const before = valueAt(stored, steps) as StoredImage | undefined
      files[path] = { mediaType, byteLength, isNew: before?.blobId !== blobId }
      marks[path] = markOf('file', blobId)
    } else if (hiddenNames.has(String(steps.at(-1)))) {
      given.push(path)
      // Without a salt someone could try all numbers. A draft that was never changed has one state alone.
      marks[path] = salt === '' ? '' : markOf(salt, String(value))
    } else setAt(values, steps, value)
  }
  return { ...(page === undefined ? {} : { page }), values, given, files, marks }
}

function markOf(salt: string, value: string): string {
  return createHmac('sha256', salt).update(value).digest('base64url').slice(0, 12)
}

/** The places of people and documents, also of those without answers: problems and corrections name them by place. */
function itemsOf({ kycData, kybData }: Identity) {
  const persons = kybData?.associatedPersons ?? []
  return [
    ...(kycData?.documents ?? []).map((_, at) => ['kycData', 'documents', at]),
    ...persons.flatMap(({ documents = [] }, at) => [
      ['kybData', 'associatedPersons', at],
      ...documents.map((_, index) => ['kybData', 'associatedPersons', at, 'documents', index]),
    ]),
    ...(kybData?.businessDocuments ?? []).map((_, at) => ['kybData', 'businessDocuments', at]),
  ]
}

/** The files of a draft that no submission refers to. */
export function newBlobIds(identity: Identity, stored: Identity): string[] {
  const kept = new Set(blobIdsOf(stored))
  return blobIdsOf(identity).filter((blobId) => !kept.has(blobId))
}

export function blobIdsOf(identity: Identity): string[] {
  return leavesOf(identity)
    .filter(({ steps }) => isImage(schemaAt(steps)))
    .map(({ value }) => (value as StoredImage).blobId)
}

/**
 * Writes the body of the submission: the whole draft, with null for every stored field that the customer has emptied.
 */
export function submissionOf({ identity }: Draft, stored: Identity): Record<string, unknown> {
  const body = tidy(identity, [], (image) => new KeptImage(image)) as Record<string, unknown>
  for (const list of lists) if (valueAt(stored, list) && valueAt(body, list) === undefined) setAt(body, list, [])
  for (const { steps } of leavesOf(stored)) {
    // Lists are replaced as a whole.
    const isInList = steps.some((step) => typeof step === 'number')
    if (!isInList && valueAt(body, steps) === undefined) setAt(body, steps, null)
  }
  return body
}

const lists = [
  ['kycData', 'documents'],
  ['kybData', 'associatedPersons'],
  ['kybData', 'businessDocuments'],
]

/** The data of a draft as a submission would store it: texts trimmed, empty answers dropped. */
export function tidyUp(identity: Identity): Identity {
  return tidy(identity, [], (image) => image, true) as Identity
}

/** Keeps the items of lists, empty or not, because problems name them by their place. */
function tidy(value: unknown, steps: Steps, onImage: (image: StoredImage) => unknown, isTyped = false): unknown {
  // A number that is none yet is a problem of the submission, and no number for the rules.
  if (isTyped && typeof value === 'string' && schemaAt(steps)?.type === 'number') return undefined
  if (typeof value === 'string') return tidyText(value, String(steps.at(-1)))
  if (typeof value !== 'object' || value === null) return value
  if (isImage(schemaAt(steps))) return onImage(value as StoredImage)
  if (Array.isArray(value)) {
    const items = value.map((item, at) => tidy(item, [...steps, at], onImage, isTyped))
    return items.filter((item) => item !== undefined)
  }
  const entries = Object.entries(value).map(
    ([key, item]) => [key, tidy(item, [...steps, key], onImage, isTyped)] as const,
  )
  const kept = entries.filter(([, item]) => item !== undefined)
  const isItem = typeof steps.at(-1) === 'number'
  return kept.length === 0 && steps.length > 0 && !isItem ? undefined : Object.fromEntries(kept)
}

function tidyText(value: string, name: string): string | undefined {
  const text = value.trim()
  if (text === '') return undefined
  // People write a number in groups; the contract has digits alone. They leave out how a web address begins.
  if (name === 'phoneNumber') return text.replaceAll(/[\s().\-/]/g, '') || undefined
  return name === 'website' && /^[\w-]+(?:\.[\w-]+)+(?:[/?#]|$)/.test(text) ? `https://${text}` : text
}
