import type { CustomerType, Profile } from '../../customers/customer.ts'

/** One file of a submission, read only when its turn has come: together they may have 100 MB. */
export type ProviderDocument = {
  /** Stands in the place of the image in `identity`. */
  documentId: string
  mediaType: string
  read(): Promise<Buffer>
}

/** All that a provider is told. */
export type ProviderSubmission = {
  customerType: CustomerType
  profile: Profile
  /** kycData or kybData as it was submitted, with `{ documentId }` for each image. */
  identity: object
  documents: readonly ProviderDocument[]
}

export type DecidedStatus = 'APPROVED' | 'NEEDS_INFORMATION' | 'NEEDS_REVIEW'

/** As the provider wrote it: the code may be one that we do not know. */
export type ProviderIssue = { code: string; field?: string }

/** A reason is for the log: our own words and codes, never something of an answer. */
export type Sending =
  | { outcome: 'accepted' }
  /** It may have arrived or not: ask before it is sent again. */
  | { outcome: 'unknown'; reason: string }
  /** It arrived, and will never be accepted as it is. */
  | { outcome: 'refused'; reason: string }

export type ProviderAnswer =
  | { outcome: 'decided'; status: DecidedStatus; issues: readonly ProviderIssue[] }
  /** With a reason when it says something that we do not understand. */
  | { outcome: 'pending'; reason?: string }
  | { outcome: 'unknown reference' }
  | { outcome: 'no answer'; reason: string }

/**
 * Somebody outside who verifies identities. It knows a submission by our reference: the same reference twice is one
 * submission, and asking changes nothing.
 */
export type VerificationProvider = {
  submit(reference: string, submission: ProviderSubmission): Promise<Sending>
  ask(reference: string): Promise<ProviderAnswer>
}
