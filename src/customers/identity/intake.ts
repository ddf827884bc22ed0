import { mergeDeep } from '../../lib/merge.ts'
import { badField, badFields, type FieldProblem } from '../../lib/refusal.ts'
import type { Validated } from '../../lib/validated.ts'
import type { BlobStore } from '../blobs.ts'
import type { CustomerType } from '../customer.ts'
import { type FileQuota, requireRoomForFiles } from '../files/quota.ts'
import type { CheckedDocument, DocumentChecker } from '../ports.ts'
import type { CustomerKey } from '../sealed-customer.ts'
import { dropEmptyValues } from './clearable.ts'
import { findImages, type ImageField, piecesOf } from './document-fields.ts'
import type { Identity, StoredImage } from './identity.ts'
import { KeptImage } from './kept-image.ts'
import { findIdentityProblems } from './validate.ts'

export type IntakeOptions = FileQuota & {
  documents: DocumentChecker
  /** The organization for which the files are checked. */
  organizationId: string
  blobs: BlobStore
  createId(): string
}

type Checking = Pick<IntakeOptions, 'documents' | 'organizationId'>
type SentIdentity = { kycData?: unknown; kybData?: unknown }
type AcceptedImage = { image: ImageField; checked: CheckedDocument }

/** A valid submission. Its files are checked but not stored yet. */
export type Intake = { identity: Identity; images: AcceptedImage[] }

/**
 * Checks a whole submission and refuses it with every problem at once: those of the schema, of the rules over several
 * fields after the merge, and of each file. Stores nothing.
 */
export async function inspectIdentity(
  { documents, organizationId }: IntakeOptions,
  customerType: CustomerType | undefined,
  inspected: Validated<unknown>,
  existing: Identity,
): Promise<Intake> {
  const sent = identityIn(inspected.value)
  dropEmptyValues(sent)
  const identity = mergeDeep<Identity>(existing, sent as Identity)
  const images = findImages(sent).filter((image) => !acceptKept(image))
  if (images.length > mostFiles) throw badField('body', `must not have more than ${mostFiles} files`)
  const checked = await checkImages({ documents, organizationId }, images)
  const problems: FieldProblem[] = [
    ...(inspected.ok ? [] : inspected.problems),
    ...typeProblems(customerType, sent),
    ...findIdentityProblems(identity, sent),
    ...checked.flatMap((each) => ('message' in each ? [each] : [])),
  ]
  if (problems.length > 0) throw badFields(problems)
  return { identity, images: checked.flatMap((each) => ('message' in each ? [] : [each])) }
}

/** Accepts a file that was checked and stored before. */
function acceptKept({ value, replace }: ImageField): boolean {
  if (!(value instanceof KeptImage)) return false
  replace(value.stored)
  return true
}

/** A large business with many owners sends some dozens of files. */
const mostFiles = 300
const mostBadFiles = 20

/** Checks two files at a time, so that one large request leaves room for others. Stops after many bad files. */
async function checkImages(
  checking: Checking,
  images: readonly ImageField[],
): Promise<(AcceptedImage | FieldProblem)[]> {
  const results: (AcceptedImage | FieldProblem)[] = []
  const waiting = images[Symbol.iterator]()
  let bad = 0
  const checkOneByOne = async () => {
    for (const image of waiting) {
      if (bad >= mostBadFiles) return
      const checked = await checkImage(checking, image)
      if ('message' in checked) bad += 1
      results.push(checked)
    }
  }
  await Promise.all([checkOneByOne(), checkOneByOne()])
  return results
}

/** Stores the files sealed with the customer's key, and replaces each image field by a reference to its file. */
export async function storeImages(
  options: IntakeOptions,
  { images }: Intake,
  key: CustomerKey,
): Promise<StoredImage[]> {
  await requireRoomForFiles(options, options.organizationId, sumBytes(images))
  const files: StoredImage[] = []
  for (const { image, checked } of images) {
    const stored = await storeFile(options, checked, key)
    files.push(stored)
    image.replace(stored)
  }
  return files
}

function sumBytes(images: readonly AcceptedImage[]): number {
  return images.reduce((sum, { checked }) => sum + checked.byteLength, 0)
}

/** Stores one checked file sealed with the customer's key. */
export async function storeFile(
  { blobs, createId }: Pick<IntakeOptions, 'blobs' | 'createId'>,
  checked: CheckedDocument,
  key: CustomerKey,
): Promise<StoredImage> {
  const blobId = createId()
  const { mediaType, byteLength, width, height, screenHints, pageSigns, hasZoneLines } = checked
  await blobs.put(blobId, key.seal({ table: 'blobs', row: blobId, column: 'bytes' }, checked.bytes))
  return {
    blobId,
    mediaType,
    byteLength,
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
    ...(screenHints.length > 0 ? { screenHints } : {}),
    ...(pageSigns.length > 0 ? { pageSigns } : {}),
    ...(hasZoneLines ? { hasZoneLines } : {}),
  }
}

function identityIn(body: unknown): SentIdentity {
  const { kycData, kybData } = (typeof body === 'object' && body !== null ? body : {}) as SentIdentity
  return { ...(kycData === undefined ? {} : { kycData }), ...(kybData === undefined ? {} : { kybData }) }
}

function typeProblems(customerType: CustomerType | undefined, { kycData, kybData }: SentIdentity): FieldProblem[] {
  if (customerType === 'BUSINESS' && kycData !== undefined)
    return [{ field: 'kycData', message: 'is for individuals; send kybData for a business' }]
  if (customerType === 'INDIVIDUAL' && kybData !== undefined)
    return [{ field: 'kybData', message: 'is for businesses; send kycData for an individual' }]
  return []
}

async function checkImage(checking: Checking, image: ImageField): Promise<AcceptedImage | FieldProblem> {
  const checked = await checkFile(checking, image.field, piecesOf(image.value))
  return 'message' in checked ? checked : { image, checked }
}

/** Checks one file, given as the bytes of a data URI. */
export async function checkFile(
  { documents, organizationId }: Checking,
  field: string,
  pieces: readonly Buffer[] | undefined,
): Promise<CheckedDocument | FieldProblem> {
  if (!pieces) return { field, message: 'must be a base64 data URI' }
  const checked = await documents.check(organizationId, { pieces })
  return checked.ok ? checked : { field, message: checked.problem }
}
