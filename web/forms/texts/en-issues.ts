const otherName =
  'Please check “{field}”: it differs from the name that we were given for you. Correct it if it is wrong.'

/** The words for issues, by their code: what the customer is asked for. */
export const issues = {
  DOCUMENT_MISSING_BACK: 'Please upload a picture of the back of the ID as well.',
  DOCUMENT_MISSING_FRONT: 'Please upload a picture of the front of the ID as well.',
  DOCUMENT_NUMBER_UNREADABLE:
    'We could not read the number of the document. Please upload a sharper picture without glare.',
  DOC_QUALITY_POOR:
    'The picture of the document is not clear enough. Please upload a sharp colour picture with all four corners.',
  NAME_UNREADABLE: 'We could not read the name on the document. Please upload a sharper picture without glare.',
  NO_FACE_PORTRAIT: 'We could not see the photo on the ID. Please upload a picture that shows the side with the photo.',
  MISSING_ID_DETAILS: 'Please complete the details of the ID: its type, its number and the country that issued it.',
  DOCUMENT_EXPIRED: 'The document has expired. Please upload one that is still valid.',
  NO_GOVERNMENT_ID: 'Please upload a photo ID issued by a government, such as a passport or a national ID card.',
  DOCUMENT_NOT_FOUND: 'We could not find a document in the upload. Please upload a picture of the whole document.',
  UNREADABLE_DOCUMENT: 'We could not read the document. Please upload a sharp picture in which nothing is covered.',
  UNRECOGNIZED_DOCUMENT: 'We do not recognise this kind of document. Please upload a passport or a national ID card.',
  MISSING_DOCUMENT_NUMBER: 'Please enter the number of the document.',
  MISSING_ISSUE_DATE: 'Please enter the date on which the document was issued.',
  MISSING_EXPIRY_DATE: 'Please enter the date on which the document expires.',
  DOCUMENT_FRONT_OR_BACK_MISSING:
    'One side of the document is missing. Please upload pictures of both the front and the back.',
  DOCUMENT_BACK_MISSING: 'The back of the document is missing. Please upload a picture of it.',
  ID_REQUIRES_ADDITIONAL_VERIFICATION:
    'We need one more document. Please check the address, and upload a recent proof of it.',
  DATABASE_CHECK_FAILED_ON_STREET_NAME: 'We could not confirm the street. Please check the street and house number.',
  DATABASE_CHECK_FAILED_ON_CITY: 'We could not confirm the city. Please check its name and spelling.',
  DATABASE_CHECK_FAILED_ON_SUBDIVISION:
    'We could not confirm the state, region or province. Please check that it belongs to the address.',
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE:
    'We could not confirm the postal code. Please check that it belongs to the address.',
  ADDRESS_TOO_SHORT:
    'The address is not complete. Please enter the street with house number, the city and the postal code.',
  ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY:
    'The proof of address is too old. Please upload one that was issued within the last 3 months.',
  ADDRESS_DOCUMENT_MISSING_NAME: 'The proof of address shows no name. Please upload one that shows the full name.',
  ADDRESS_DOCUMENT_MISSING_ADDRESS:
    'The proof of address shows no address. Please upload one that shows the full address.',
  ADDRESS_DOCUMENT_UNRECOGNIZED_DOCUMENT:
    'We cannot accept this document as proof of address. Please upload a utility bill, a bank statement or a letter from a government office.',
  ADDRESS_DOCUMENT_NAME_VERIFICATION_FAILED:
    'The name on the proof of address differs from the name entered. Please correct the one that is wrong.',
  ID_DATA_MISMATCH: 'Some of the details entered differ from those on the ID. Please enter them exactly as on the ID.',
  INVALID_PARAMETERS:
    'Some of the information is missing or not valid. Please check every field, and correct what is wrong.',
  INCORRECT_ID_TYPE: 'The selected type does not match the ID. Please select the matching type, or upload another ID.',
  ID_COUNTRY_MISMATCH: 'The country entered is not the one that issued the ID. Please check the country.',
  GOVERNMENT_ID_VERIFICATION_FAILED:
    'We could not verify the ID. Please upload clear pictures of it, or of another ID.',
  DATABASE_CHECK_FAILED_ON_NAME_FIRST: 'We could not confirm the first name. Please enter it exactly as on the ID.',
  DATABASE_CHECK_FAILED_ON_NAME_LAST: 'We could not confirm the last name. Please enter it exactly as on the ID.',
  DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER:
    'We could not confirm the social security number. Please check the number.',
  INCONSISTENT_INFORMATION: 'Some fields contradict each other. Please check every field, and correct what is wrong.',
  INCONSISTENT_DETAILS: 'Some details differ between documents. Please check the details and the documents.',
  VERIFICATION_ISSUE: 'We could not complete the verification. Please contact support, who will look into it.',
  API_ERROR: 'A technical problem on our side delays the verification. Please contact support if it takes long.',
  NAME_VERIFICATION_FAILED: 'We could not confirm the name. Please enter the full legal name exactly as on the ID.',
  ID_TYPE_MISMATCH: 'The uploaded ID is not of the selected type. Please select the type of the uploaded ID.',
  BIRTH_DATE_MISMATCH: 'We could not confirm the date of birth. Please enter it exactly as on the ID.',
  ID_NUMBER_NOT_VERIFIED: 'We could not confirm the number of the ID. Please check the number.',
  MISSING_NAME: 'The name is not complete. Please enter the full legal name exactly as on the ID.',
  ID_NOT_ALLOWED: 'We cannot accept this ID. Please upload another one, such as a passport.',
  SCREEN_DETECTED: 'Please take a picture of the document itself, not a screenshot or a picture of a screen.',
  DATABASE_LOOKUP_ISSUE:
    'We could not look up information that we need. Please contact support if the verification takes long.',
  THIRD_PARTY_API_FAILED:
    'A service that we rely on did not answer. Please contact support if the verification takes long.',
  API_DATA_REQUIREMENTS_NOT_MET: 'We need some more information. Please fill in the fields that are still empty.',
  ID_WARNING: 'We are reviewing the ID. Please contact support with questions.',
  ADDITIONAL_WARNING: 'We are reviewing the submission. Please contact support with questions.',
  WORKFLOW_CONFIG_ERROR: 'This verification is not set up correctly on our side. Please contact support.',
}

/** The same about one field. */
export const issuesAbout = {
  DOCUMENT_MISSING_BACK: 'Please upload “{field}” as well.',
  DOCUMENT_MISSING_FRONT: 'Please upload “{field}” as well.',
  MISSING_ID_DETAILS: 'Please enter “{field}”.',
  MISSING_DOCUMENT_NUMBER: 'Please enter “{field}”.',
  MISSING_ISSUE_DATE: 'Please enter “{field}”.',
  MISSING_EXPIRY_DATE: 'Please enter “{field}”.',
  ID_REQUIRES_ADDITIONAL_VERIFICATION:
    'Please check “{field}”: a post office box alone is not enough. Enter where you live or work, or upload a recent proof of the address.',
  DATABASE_CHECK_FAILED_ON_POSTAL_CODE:
    'We could not confirm “{field}”. Please check that it belongs to the city and the state.',
  INVALID_PARAMETERS: 'Please check “{field}”: it is not valid.',
  INCONSISTENT_INFORMATION: 'Please check “{field}”: some contradict each other.',
  INCONSISTENT_DETAILS: 'Please check “{field}”: it does not fit the other dates.',
  BIRTH_DATE_MISMATCH: 'We could not confirm “{field}”. Please enter it exactly as on the ID.',
  ID_NUMBER_NOT_VERIFIED: 'We could not confirm “{field}”. Please check it.',
  MISSING_NAME: 'Please enter “{field}” exactly as on the ID.',
  API_DATA_REQUIREMENTS_NOT_MET: 'Please provide “{field}”.',
}

/** The same about certain fields, by the code and the name of the field. */
export const exactIssues = {
  'API_DATA_REQUIREMENTS_NOT_MET associatedPersons':
    'Please add the people who own or control the business, with their shares.',
  'API_DATA_REQUIREMENTS_NOT_MET businessDocuments': 'Please add a document of the business.',
  'INCONSISTENT_INFORMATION associatedPersons':
    'Please check the shares of the people who own the business: together at most 100 %, all as percentages or all as fractions of one.',
  'INVALID_PARAMETERS phoneNumber':
    'Please check “{field}”: its country has no such number, as far as we know. If it is right, leave it as it is.',
  'ID_DATA_MISMATCH legalFirstName': otherName,
  'ID_DATA_MISMATCH legalLastName': otherName,
  'ID_DATA_MISMATCH legalBusinessName': otherName,
}
