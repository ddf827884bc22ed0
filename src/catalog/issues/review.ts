import { contactSupport, foundByProviders, foundByUsToo, type IssueFacts } from './facts.ts'

/** The contract's "review the submission or contact support". */
export const reviewIssues = {
  INCORRECT_ID_TYPE: {
    message: 'The type of ID does not fit the ID. Please choose the type that fits, or upload another ID.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
  },
  ID_COUNTRY_MISMATCH: {
    message: 'The country entered is not the one that issued the ID. Please check the country.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
  },
  GOVERNMENT_ID_VERIFICATION_FAILED: {
    message: 'We could not verify the ID. Please upload clear pictures of it again, or another ID.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  DATABASE_CHECK_FAILED_ON_NAME_FIRST: {
    message: 'We could not confirm the first name. Please enter it exactly as on the ID.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  DATABASE_CHECK_FAILED_ON_NAME_LAST: {
    message: 'We could not confirm the last name. Please enter it exactly as on the ID.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER: {
    message: 'We could not confirm the social security number. Please check the number.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  INCONSISTENT_INFORMATION: {
    message: 'Some of the information does not fit together. Please check every field, and correct what is wrong.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
  },
  INCONSISTENT_DETAILS: {
    message: 'Some details differ from document to document. Please check the details and the documents.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
  },
  VERIFICATION_ISSUE: {
    message: 'We could not finish the verification. Please contact support, who will look into it.',
    leadsTo: 'review',
    raisedBy: foundByUsToo,
    resolution: 'No exact code fits this one. Contact support, who will look into it.',
  },
  API_ERROR: {
    message: 'Something went wrong on our side during the verification. Please contact support if it takes long.',
    leadsTo: 'review',
    raisedBy: foundByProviders,
  },
  NAME_VERIFICATION_FAILED: {
    message: 'We could not confirm the name. Please enter the full legal name exactly as on the ID.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  ID_TYPE_MISMATCH: {
    message: 'The ID uploaded is of another type than the one chosen. Please choose the type that fits the ID.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  BIRTH_DATE_MISMATCH: {
    message: 'The date of birth could not be confirmed. Please enter it exactly as on the ID.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
  },
  ID_NUMBER_NOT_VERIFIED: {
    message: 'We could not confirm the number of the ID. Please check the number.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
  },
  MISSING_NAME: {
    message: 'The name is not complete. Please enter the full legal name exactly as on the ID.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
  },
  ID_NOT_ALLOWED: {
    message: 'We cannot accept this ID. Please upload another one, such as a passport.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
  },
  SCREEN_DETECTED: {
    message: 'Please take a picture of the document itself, not a screenshot or a picture of a screen.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
  },
  AML_MATCH: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: foundByUsToo,
  },
  DATABASE_LOOKUP_ISSUE: {
    message: 'We could not look up the information that we need. Please contact support if it takes long.',
    leadsTo: 'review',
    raisedBy: foundByProviders,
  },
  THIRD_PARTY_API_FAILED: {
    message: 'A service that we rely on did not answer. Please contact support if the verification takes long.',
    leadsTo: 'review',
    raisedBy: foundByProviders,
  },
  API_DATA_REQUIREMENTS_NOT_MET: {
    message: 'We need some more information. Please fill in the fields that are still empty.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
    resolution: 'Send the fields that the verification flow requires and that are still missing.',
  },
  ID_WARNING: {
    message: 'We are taking a closer look at the ID. Please contact support with questions.',
    leadsTo: 'review',
    raisedBy: foundByUsToo,
  },
  AML_WARNING: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: foundByUsToo,
  },
  ADDITIONAL_WARNING: {
    message: 'We are taking a closer look at the submission. Please contact support with questions.',
    leadsTo: 'review',
    raisedBy: foundByUsToo,
  },
} as const satisfies Record<string, IssueFacts>
