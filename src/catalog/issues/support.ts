import { contactSupport, type IssueFacts, reportedByEngineToo, reportedByProviders } from './facts.ts'

/** The contract's group "contact support". */
export const supportIssues = {
  FACE_PREVIOUSLY_ONBOARDED: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: reportedByProviders,
  },
  ID_PREVIOUSLY_SEEN: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: reportedByEngineToo,
  },
  ID_PREVIOUSLY_ATTEMPTED: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: reportedByEngineToo,
  },
  SUSPICIOUS_USER_BEHAVIOUR: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: reportedByProviders,
  },
  WORKFLOW_CONFIG_ERROR: {
    message: 'This verification is not set up correctly on our side. Please contact support.',
    leadsTo: 'review',
    raisedBy: reportedByProviders,
  },
  FRAUD_WARNING: {
    message: contactSupport,
    leadsTo: 'review',
    raisedBy: reportedByProviders,
  },
} as const satisfies Record<string, IssueFacts>
