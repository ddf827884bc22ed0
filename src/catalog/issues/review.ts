import { contactSupport, type IssueFacts, reportedByEngineToo, reportedByProviders } from './facts.ts'

/** The contract's group "review the submission or contact support". */
export const reviewIssues = {
  INCORRECT_ID_TYPE: {
    message: 'The selected type does not match the ID. Please select the matching type, or upload another ID.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  ID_COUNTRY_MISMATCH: {
    message: 'The country entered is not the one that issued the ID. Please check the country.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  GOVERNMENT_ID_VERIFICATION_FAILED: {
    message: 'We could not verify the ID. Please upload clear pictures of it, or of another ID.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  DATABASE_CHECK_FAILED_ON_NAME_FIRST: {
    message: 'We could not confirm the first name. Please enter it exactly as on the ID.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  DATABASE_CHECK_FAILED_ON_NAME_LAST: {
    message: 'We could not confirm the last name. Please enter it exactly as on the ID.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER: {
    message: 'We could not confirm the social security number. Please check the number.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  INCONSISTENT_INFORMATION: {
    message: 'Some fields contradict each other. Please check every field, and correct what is wrong.',
    about: 'Please check {what}: some contradict each other.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  INCONSISTENT_DETAILS: {
    message: 'Some details differ between documents. Please check the details and the documents.',
    about: 'Please check {what}: it does not fit the other dates.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  VERIFICATION_ISSUE: {
    message: 'We could not complete the verification. Please contact support, who will look into it.',
    leadsTo: 'review',
    raisedBy: reportedByEngineToo,
    resolution: 'No more exact code applies. Contact support, who will look into it.',
  },
  API_ERROR: {
    message: 'A technical problem on our side delays the verification. Please contact support if it takes long.',
    leadsTo: 'review',
    raisedBy: reportedByProviders,
  },
  NAME_VERIFICATION_FAILED: {
    message: 'We could not confirm the name. Please enter the full legal name exactly as on the ID.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  ID_TYPE_MISMATCH: {
    message: 'The uploaded ID is not of the selected type. Please select the type of the uploaded ID.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  BIRTH_DATE_MISMATCH: {
    message: 'We could not confirm the date of birth. Please enter it exactly as on the ID.',
    about: 'We could not confirm {what}. Please enter it exactly as on the ID.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  ID_NUMBER_NOT_VERIFIED: {
    message: 'We could not confirm the number of the ID. Please check the number.',
    about: 'We could not confirm {what}. Please check it.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  MISSING_NAME: {
    message: 'The name is not complete. Please enter the full legal name exactly as on the ID.',
    about: 'Please enter {what} exactly as on the ID.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  ID_NOT_ALLOWED: {
    message: 'We cannot accept this ID. Please upload another one, such as a passport.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  SCREEN_DETECTED: {
    message: 'Please take a picture of the document itself, not a screenshot or a picture of a screen.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  AML_MATCH: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: reportedByEngineToo,
  },
  DATABASE_LOOKUP_ISSUE: {
    message: 'We could not look up information that we need. Please contact support if the verification takes long.',
    leadsTo: 'review',
    raisedBy: reportedByProviders,
  },
  THIRD_PARTY_API_FAILED: {
    message: 'A service that we rely on did not answer. Please contact support if the verification takes long.',
    leadsTo: 'review',
    raisedBy: reportedByProviders,
  },
  API_DATA_REQUIREMENTS_NOT_MET: {
    message: 'We need some more information. Please fill in the fields that are still empty.',
    about: 'Please provide {what}.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
    resolution: 'Send the missing fields that the verification flow requires.',
  },
  ID_WARNING: {
    message: 'We are reviewing the ID. Please contact support with questions.',
    leadsTo: 'review',
    raisedBy: reportedByProviders,
  },
  AML_WARNING: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: reportedByEngineToo,
  },
  ADDITIONAL_WARNING: {
    message: 'We are reviewing the submission. Please contact support with questions.',
    leadsTo: 'review',
    raisedBy: reportedByEngineToo,
  },
} as const satisfies Record<string, IssueFacts>
