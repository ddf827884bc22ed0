import type { Customer, Profile, Requirement } from './customer.ts'
import type { Identity } from './identity/identity.ts'

/** Checks a document file outside of the main thread. Files of one organization do not delay those of another. */
export type DocumentChecker = {
  check(
    organizationId: string,
    file: { pieces: readonly Buffer[] },
  ): Promise<CheckedDocument | { ok: false; problem: string }>
}

export type CheckedDocument = {
  ok: true
  mediaType: 'image/jpeg' | 'image/png' | 'application/pdf'
  /** The content to store: Svc's own re-encoding of a picture. */
  bytes: Buffer
  /** The length of the file as it was sent. */
  byteLength: number
  width?: number
  height?: number
  screenHints: string[]
  /** Signs that the file shows no page that a person could read. */
  pageSigns: string[]
  /** True for a picture with lines in the form of a machine-readable zone. */
  hasZoneLines?: true
}

/** The rules of verification, as far as answers about a customer show them. */
export type VerificationRules = {
  /** Lists what the customer still has to give or correct. */
  findDue(
    about: Pick<Customer, 'customerType' | 'issues' | 'readAt'> & { profile: Profile; identity: Identity },
  ): Requirement[]
  reviewDue(openedAt: Date): Date
}

/** Queues submissions for verification. `Tx` is a parameter, because a port does not import the database. */
export type SubmissionQueue<Tx> = {
  insert(tx: Tx, submission: QueuedSubmission & { state: 'QUEUED' | 'REVIEWING' }): Promise<void>
  /** False when another process started the review. */
  startReviewing(tx: Tx, submission: QueuedSubmission): Promise<boolean>
  hasOpen(tx: Tx, organizationId: string, customerId: string): Promise<boolean>
}
type QueuedSubmission = { organizationId: string; customerId: string; submission: number; delayMs: number }
