/** Checks a document file outside of the main thread. */
export type DocumentChecker = {
  check(file: { pieces: readonly Buffer[] }): Promise<CheckedDocument | { ok: false; problem: string }>
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
}

/** Queues submissions for verification. `Tx` is a parameter, because a port does not import the database. */
export type SubmissionQueue<Tx> = {
  insert(tx: Tx, submission: QueuedSubmission & { state: 'QUEUED' | 'REVIEWING' }): Promise<void>
  /** False when another process started the review. */
  startReviewing(tx: Tx, submission: QueuedSubmission): Promise<boolean>
  hasOpen(tx: Tx, organizationId: string, customerId: string): Promise<boolean>
}
type QueuedSubmission = { organizationId: string; customerId: string; submission: number; delayMs: number }
