import { findImages } from '../customers/identity/document-fields.ts'
import type { Identity, StoredImage } from '../customers/identity/identity.ts'
import type { CustomerService } from '../customers/service.ts'
import type { Audit } from '../db/audit/audit.ts'
import type { Database } from '../db/database.ts'
import type { Caller } from '../lib/caller.ts'
import { notFound, Refusal, unavailable } from '../lib/refusal.ts'
import type { ReviewAuthority } from './authority.ts'
import * as store from './store.ts'

/** Writes lines of text all over a stored document, outside of the main thread; undefined when it takes too long. */
export type Watermarker = (
  /** The organization of the reviewer. */
  organizationId: string,
  mediaType: StoredImage['mediaType'],
  lines: readonly string[],
  read: () => Promise<Buffer>,
) => Promise<Buffer | undefined>

export type DocumentDeps = {
  database: Database
  audit: Audit
  customers: CustomerService
  watermark: Watermarker
  authority: ReviewAuthority
}

/** A document of the customer's data as it is now. `n` counts from 1 in the order of the fields. */
export type ReviewDocument = Pick<StoredImage, 'blobId' | 'mediaType' | 'byteLength' | 'width' | 'height'> & {
  n: number
  field: string
  signs: string[]
}

export function listDocuments(identity: Identity): ReviewDocument[] {
  return findImages(identity).map(({ field, value }, at) => {
    const image = value as StoredImage
    const { blobId, mediaType, byteLength, width, height } = image
    const size = width === undefined || height === undefined ? {} : { width, height }
    return { n: at + 1, field, blobId, mediaType, byteLength, ...size, signs: signsOf(image) }
  })
}

const zoneSigns = {
  dateOfBirth: 'MRZ_BIRTH_DATE',
  documentIdNumber: 'MRZ_NUMBER',
  expirationDate: 'MRZ_EXPIRY_DATE',
  countryCode: 'MRZ_COUNTRY',
  names: 'MRZ_NAMES',
} as const

function signsOf({ screenHints = [], pageSigns = [], machineZone }: StoredImage): string[] {
  const agreeing = machineZone?.agrees.map((field) => `${zoneSigns[field]}_AGREES`) ?? []
  const differing = machineZone?.differs.map((field) => `${zoneSigns[field]}_DIFFERS`) ?? []
  return [...screenHints, ...pageSigns, ...differing, ...agreeing]
}

const fileEndings = { 'image/jpeg': 'jpg', 'image/png': 'png', 'application/pdf': 'pdf' } as const

export type ShownDocument = { mediaType: StoredImage['mediaType']; name: string; bytes: Buffer }

/** Shows documents to reviewers. */
export function createDocumentOperations({ database, audit, customers, watermark, authority }: DocumentDeps) {
  return {
    /** Reads one document with the reader and the time written all over it. The audit log records the read. */
    readDocument: async (caller: Caller, customerId: string, n: string): Promise<ShownDocument> => {
      const opened = await authority.open(caller, customerId)
      const { organizationId, customerId: subjectId, erasedAt } = opened.customer
      const review = await store.findReview(database, opened.customer)
      if (!review) throw notFound()
      if (erasedAt) throw new Refusal('CUSTOMER_ERASED', 'The customer was erased, with all documents')
      const document = listDocuments(customers.readIdentity(opened)).find((each) => String(each.n) === n)
      if (!document) throw notFound()
      const { blobId, mediaType, field } = document
      const actor = `api_key:${caller.apiKeyId}`
      // Real time, as the audit log has it.
      const lines = [actor, new Date().toISOString()]
      const bytes = await watermark(caller.organizationId, mediaType, lines, () => customers.readImage(opened, blobId))
      if (!bytes) throw unavailable('The document could not be prepared in time: try again', 5)
      const details = { reviewId: review.reviewId, submission: opened.customer.submission, field }
      const act = { actor, action: 'customer.document_read', subjectId, details }
      await database.inTx((tx) => audit.append(tx, { organizationId, ...act }))
      return { mediaType, name: `document-${n}.${fileEndings[mediaType]}`, bytes }
    },
  }
}
