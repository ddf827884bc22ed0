import { foundByProviders, foundByUsToo, type IssueFacts } from './facts.ts'

/** The contract's group "document quality or upload". */
export const documentIssues = {
  DOCUMENT_MISSING_BACK: {
    message: 'Please upload a picture of the back of the ID as well.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
  },
  DOCUMENT_MISSING_FRONT: {
    message: 'Please upload a picture of the front of the ID as well.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
  },
  DOCUMENT_NUMBER_UNREADABLE: {
    message: 'We could not read the number of the document. Please upload a sharper picture without glare.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  DOC_QUALITY_POOR: {
    message:
      'The picture of the document is not clear enough. Please upload a sharp colour picture with all four corners.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  NAME_UNREADABLE: {
    message: 'We could not read the name on the document. Please upload a sharper picture without glare.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  NO_FACE_PORTRAIT: {
    message: 'We could not see the photo on the ID. Please upload a picture that shows the side with the photo.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  MISSING_ID_DETAILS: {
    message: 'Please complete the details of the ID: its type, its number and the country that issued it.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
    resolution: 'Send nationalIdType, nationalIdNumber and nationalIdIssuingCountry together in one PATCH.',
  },
  DOCUMENT_EXPIRED: {
    message: 'The document has expired. Please upload one that is still valid.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
  },
  NO_GOVERNMENT_ID: {
    message: 'Please upload a photo ID issued by a government, such as a passport or a national ID card.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
    resolution: 'Add at least one document of type GOVERNMENT_ID with its image.',
  },
  DOCUMENT_NOT_FOUND: {
    message: 'We could not find a document in the upload. Please upload a picture of the whole document.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  UNREADABLE_DOCUMENT: {
    message: 'We could not read the document. Please upload a sharp picture in which nothing is covered.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  UNRECOGNIZED_DOCUMENT: {
    message: 'We do not recognise this kind of document. Please upload a passport or a national ID card.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  MISSING_DOCUMENT_NUMBER: {
    message: 'Please enter the number of the document.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
    resolution: 'Send documentIdNumber with the document.',
  },
  MISSING_ISSUE_DATE: {
    message: 'Please enter the date on which the document was issued.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
    resolution: 'Send issuanceDate with the document.',
  },
  MISSING_EXPIRY_DATE: {
    message: 'Please enter the date on which the document expires.',
    leadsTo: 'information',
    raisedBy: foundByUsToo,
    resolution: 'Send expirationDate with the document.',
  },
  DOCUMENT_FRONT_OR_BACK_MISSING: {
    message: 'One side of the document is missing. Please upload pictures of both the front and the back.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
  DOCUMENT_BACK_MISSING: {
    message: 'The back of the document is missing. Please upload a picture of it.',
    leadsTo: 'information',
    raisedBy: foundByProviders,
  },
} as const satisfies Record<string, IssueFacts>
