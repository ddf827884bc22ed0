/**
 * The contract's five groups of issues, each with its advice to the integrator. The customer can correct ADDRESS,
 * DOCUMENT and INFORMATION, sometimes REVIEW, never SUPPORT.
 */
export const issueCategories = {
  DOCUMENT: 'Ask the customer to upload valid, sharp pictures of the whole document.',
  ADDRESS: 'Ask the customer for the complete address, exactly as on a document.',
  INFORMATION: 'Ask the customer to check the submitted data and to correct it.',
  REVIEW: 'Check the submission with the customer. Contact support if it is correct.',
  SUPPORT: 'Contact support.',
} as const

export type IssueCategory = keyof typeof issueCategories

export type IssueSource = 'engine' | 'provider' | 'sandbox'

/** A provider can report every code, and a sandbox test can request it. Our own checks raise some of them too. */
export const reportedByProviders: readonly IssueSource[] = ['provider', 'sandbox']
export const reportedByEngineToo: readonly IssueSource[] = ['engine', 'provider', 'sandbox']

export type IssueFacts = {
  /** The text for the customer: what to correct, without any suspicion. */
  message: string
  /** The same about one field, for which {what} stands. Without it, the field is added to the message. */
  about?: string
  /** Returns the submission to the customer, or sends it to a reviewer. */
  leadsTo: 'information' | 'review'
  raisedBy: readonly IssueSource[]
  /** Advice to the integrator, where the advice of the category is not exact enough. */
  resolution?: string
}

/** The one text for all issues whose reason would tip the customer off. Equal texts reveal nothing. */
export const contactSupport = 'Please contact support to continue with this verification.'
