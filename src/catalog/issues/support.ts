import { contactSupport, foundByProviders, foundByUsToo, type IssueFacts } from './facts.ts'

/** The contract's group "contact support". */
export const supportIssues = {
  FACE_PREVIOUSLY_ONBOARDED: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: foundByProviders,
  },
  ID_PREVIOUSLY_SEEN: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: foundByUsToo,
  },
  ID_PREVIOUSLY_ATTEMPTED: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: foundByUsToo,
  },
  SUSPICIOUS_USER_BEHAVIOUR: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: foundByProviders,
  },
  WORKFLOW_CONFIG_ERROR: {
    message: 'This verification is not set up correctly on our side. Please contact support.',
    leadsTo: 'review',
    raisedBy: foundByProviders,
  },
  FRAUD_WARNING: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: foundByProviders,
  },
} as const satisfies Record<string, IssueFacts>
