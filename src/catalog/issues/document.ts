import { type IssueFacts, reportedByEngineToo, reportedByProviders } from './facts.ts'

/** The contract's group "document quality or upload". */
export const documentIssues = {
  DOCUMENT_MISSING_BACK: {
    message: 'Please upload a picture of the back of the ID as well.',
    about: 'Please upload {what} as well.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  DOCUMENT_MISSING_FRONT: {
    message: 'Please upload a picture of the front of the ID as well.',
    about: 'Please upload {what} as well.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  DOCUMENT_NUMBER_UNREADABLE: {
    message: 'We could not read the number of the document. Please upload a sharper picture without glare.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  DOC_QUALITY_POOR: {
    message:
      'The picture of the document is not clear enough. Please upload a sharp colour picture with all four corners.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  NAME_UNREADABLE: {
    message: 'We could not read the name on the document. Please upload a sharper picture without glare.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  NO_FACE_PORTRAIT: {
    message: 'We could not see the photo on the ID. Please upload a picture that shows the side with the photo.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  MISSING_ID_DETAILS: {
    message: 'Please complete the details of the ID: its type, its number and the country that issued it.',
    about: 'Please enter {what}.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
    resolution: 'Send nationalIdType, nationalIdNumber and nationalIdIssuingCountry together in one PATCH.',
  },
  DOCUMENT_EXPIRED: {
    message: 'The document has expired. Please upload one that is still valid.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  NO_GOVERNMENT_ID: {
    message: 'Please upload a photo ID issued by a government, such as a passport or a national ID card.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
    resolution: 'Add at least one document of type GOVERNMENT_ID with its image.',
  },
  DOCUMENT_NOT_FOUND: {
    message: 'We could not find a document in the upload. Please upload a picture of the whole document.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  UNREADABLE_DOCUMENT: {
    message: 'We could not read the document. Please upload a sharp picture in which nothing is covered.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
  },
  UNRECOGNIZED_DOCUMENT: {
    message: 'We do not recognise this kind of document. Please upload a passport or a national ID card.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  MISSING_DOCUMENT_NUMBER: {
    message: 'Please enter the number of the document.',
    about: 'Please enter {what}.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
    resolution: 'Send documentIdNumber with the document.',
  },
  MISSING_ISSUE_DATE: {
    message: 'Please enter the date on which the document was issued.',
    about: 'Please enter {what}.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
    resolution: 'Send issuanceDate with the document.',
  },
  MISSING_EXPIRY_DATE: {
    message: 'Please enter the date on which the document expires.',
    about: 'Please enter {what}.',
    leadsTo: 'information',
    raisedBy: reportedByEngineToo,
    resolution: 'Send expirationDate with the document.',
  },
  DOCUMENT_FRONT_OR_BACK_MISSING: {
    message: 'One side of the document is missing. Please upload pictures of both the front and the back.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
  DOCUMENT_BACK_MISSING: {
    message: 'The back of the document is missing. Please upload a picture of it.',
    leadsTo: 'information',
    raisedBy: reportedByProviders,
  },
} as const satisfies Record<string, IssueFacts>
