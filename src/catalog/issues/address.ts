import { type IssueFacts, reportedByEngineToo, reportedByProviders } from './facts.ts'

/** The contract's groups "address" and "review and correct the information". */
export const addressIssues = {
  ID_REQUIRES_ADDITIONAL_VERIFICATION: {
    message: 'We need one more document. Please check the address, and upload a recent proof of it.',
    about:
      'Please check {what}: a post office box alone is not enough. Enter where you live or work, or upload a recent ' +
      'proof of the address.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
    resolution: 'Check the address, and add a document of type PROOF_OF_ADDRESS.',
  },
  DATABASE_CHECK_FAILED_ON_STREET_NAME: {
    message: 'We could not confirm the street. Please check the street and house number.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  DATABASE_CHECK_FAILED_ON_CITY: {
    message: 'We could not confirm the city. Please check its name and spelling.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  DATABASE_CHECK_FAILED_ON_SUBDIVISION: {
    message: 'We could not confirm the state, region or province. Please check that it belongs to the address.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE: {
    message: 'We could not confirm the postal code. Please check that it belongs to the address.',
    about: 'We could not confirm {what}. Please check that it belongs to the city and the state.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  ADDRESS_TOO_SHORT: {
    message: 'The address is not complete. Please enter the street with house number, the city and the postal code.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY: {
    message: 'The proof of address is too old. Please upload one that was issued within the last 3 months.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
    resolution: 'Replace the proof of address with one whose issuanceDate is within the last 3 months.',
  },
  ADDRESS_DOCUMENT_MISSING_NAME: {
    message: 'The proof of address shows no name. Please upload one that shows the full name.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  ADDRESS_DOCUMENT_MISSING_ADDRESS: {
    message: 'The proof of address shows no address. Please upload one that shows the full address.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  ADDRESS_DOCUMENT_UNRECOGNIZED_DOCUMENT: {
    message:
      'We cannot accept this document as proof of address. Please upload a utility bill, a bank statement or a letter from a government office.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
    resolution: 'Replace the proof of address with a utility bill, a bank statement or a letter from an authority.',
  },
  ADDRESS_DOCUMENT_NAME_VERIFICATION_FAILED: {
    message: 'The name on the proof of address differs from the name entered. Please correct the one that is wrong.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
} as const satisfies Record<string, IssueFacts>

export const informationIssues = {
  ID_DATA_MISMATCH: {
    message: 'Some of the details entered differ from those on the ID. Please enter them exactly as on the ID.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  INVALID_PARAMETERS: {
    message: 'Some of the information is missing or not valid. Please check every field, and correct what is wrong.',
    about: 'Please check {what}: it is not valid.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
} as const satisfies Record<string, IssueFacts>
