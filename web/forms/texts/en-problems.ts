/**
 * The words for answers that break a rule, in English. {field} is the label, {demand} what the rule demands, and
 * {characters} that number of characters.
 */
export const problems = {
  /** Where the field tells more than the rule. */
  byName: {
    phoneNumber: 'Enter the phone number with its country code, such as +1 415 555 0123',
    website: 'Enter a web address such as https://example.com',
    email: 'Enter an email address such as name@example.com',
    ownershipPercentage: '{field}: enter a number, such as 25 or 12.5',
  },
  byRule: {
    REQUIRED: 'Please fill in: {field}',
    TOO_LONG: '{field}: please shorten it',
    'TOO_LONG: {demand}': '{field}: please shorten it to {characters}',
    TOO_SHORT: '{field}: please enter at least {characters}',
    DATE: '{field}: enter a real date, with day, month and a year of four digits',
    POSTAL_CODE: '{field}: in this country it looks like {demand}',
    POSTAL_CODE_LETTERS: '{field}: use up to 20 letters, digits, spaces and hyphens',
    REGION: '{field}: choose one from the list',
    NATIONAL_ID: '{field}: enter country, kind and number together, or leave all three empty',
    COUNTRY: '{field}: choose a country from the list',
    PHONE_NUMBER: 'Enter the phone number with its country code, such as +1 415 555 0123',
    WEB_ADDRESS: 'Enter a web address such as https://example.com',
    EMAIL: 'Enter an email address such as name@example.com',
    NUMBER: '{field}: enter a number, such as 25 or 12.5',
    CHOICE: '{field}: choose one from the list',
  },
  invalid: '{field}: this answer cannot be used. Please check it',
  impossibleDate: '{field}: this date cannot be right. Check the day, the month and the year',
  refused: '{field}: your last change could not be saved. Check what is here now, and enter it again if needed',
  missing: { fill: 'Please fill in: {field}', choose: 'Please choose: {field}', add: 'Please add: {field}' },
  noControlPerson:
    'One person has to control the business, for example as its director: edit that person, and answer Yes there',
}

/** The words for refused files, by the rule that they break: why, and what to do. */
export const refusedFiles = {
  FILE_SIZE: 'The file is too small or too large: it must have 100 KB to 10 MB. Choose another one.',
  FILE_TYPE: 'This kind of file cannot be used. Choose a photo (JPG, PNG, HEIC, WebP) or a PDF.',
  FILE_DAMAGED: 'The file is damaged and cannot be opened. Choose another one.',
  FILE_PIXELS: 'The picture is too small or too large. Take a new photo of the document.',
  FILE_ANIMATED: 'The picture moves. Choose a still one.',
  FILE_PASSWORD: 'The file is locked with a password. Remove the password, or take a photo of the document.',
  FILE_PAGES: 'The file has too many pages: 50 are possible. Choose a shorter one.',
  FILE_CONTENT: 'The file has parts that we cannot accept. Print it to a new PDF, or take a photo of the document.',
}
