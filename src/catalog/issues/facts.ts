/**
 * The contract's five groups of issues, each with its advice to the integrator. ADDRESS, DOCUMENT and INFORMATION are
 * for the customer to mend, REVIEW may be, SUPPORT is not.
 */
export const issueCategories = {
  DOCUMENT: 'Have the customer upload valid documents that are sharp and show everything.',
  ADDRESS: 'Have the customer give the whole address, as it stands on a document.',
  INFORMATION: 'Have the customer check what was entered, and correct it.',
  REVIEW: 'Go through the submission with the customer; contact support if it was right.',
  SUPPORT: 'Contact support.',
} as const

export type IssueCategory = keyof typeof issueCategories

export type IssueSource = 'engine' | 'provider' | 'sandbox'

/** A provider can report each code, and the sandbox can be asked for it. Some are found by our own checks too. */
export const foundByProviders: readonly IssueSource[] = ['provider', 'sandbox']
export const foundByUsToo: readonly IssueSource[] = ['engine', 'provider', 'sandbox']

export type IssueFacts = {
  /** What the end customer reads: what to correct. Says what to do, and suspects nobody. */
  message: string
  /** Back to the customer for more information, or to a person of ours for review. */
  leadsTo: 'information' | 'review'
  raisedBy: readonly IssueSource[]
  /** Advice to the integrator where that of the category is not exact enough. */
  resolution?: string
}

/** All that a customer is told where more would tip somebody off. The same words for each, so that they tell nothing. */
export const contactSupport = 'Please contact support to continue with this verification.'
