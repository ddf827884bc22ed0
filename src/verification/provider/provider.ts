import type { CustomerType, Profile } from '../../customers/customer.ts'

/** One file of a submission, read only when it is sent: together the files may have 100 MB. */
export type ProviderDocument = {
  /** Replaces the image in `identity`. */
  documentId: string
  mediaType: string
  read(): Promise<Buffer>
}

/** The data of a submission that the provider receives. */
export type ProviderSubmission = {
  customerType: CustomerType
  profile: Profile
  /** kycData or kybData as it was submitted, with `{ documentId }` for each image. */
  identity: object
  documents: readonly ProviderDocument[]
}

export type DecidedStatus = 'APPROVED' | 'NEEDS_INFORMATION' | 'NEEDS_REVIEW'

/** An issue as the provider wrote it: the code may be unknown to us. */
export type ProviderIssue = { code: string; field?: string }

/** The result of sending. A reason is for the log: it quotes nothing of an answer. */
export type SubmitResult =
  | { outcome: 'accepted' }
  /** The submission may have arrived: poll before a retry. */
  | { outcome: 'unknown'; reason: string }
  /** The provider rejects the submission: a retry would fail too. */
  | { outcome: 'refused'; reason: string }

export type ProviderAnswer =
  | { outcome: 'decided'; status: DecidedStatus; issues: readonly ProviderIssue[] }
  /** With a reason when the answer cannot be understood. */
  | { outcome: 'pending'; reason?: string }
  | { outcome: 'unknown reference' }
  | { outcome: 'no answer'; reason: string }

/**
 * An outside service that verifies identities. Two submissions with one reference are one submission, and polling
 * changes nothing.
 */
export type VerificationProvider = {
  submit(reference: string, submission: ProviderSubmission): Promise<SubmitResult>
  poll(reference: string): Promise<ProviderAnswer>
}
