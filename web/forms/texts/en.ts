import { bank, bankHints, bankLabels, bankRules } from './en-bank.ts'
import { codes, suggestions } from './en-codes.ts'
import { exactIssues, issues, issuesAbout } from './en-issues.ts'
import { labels, postalLabels, proofLabels, regionLabels } from './en-labels.ts'
import { problems, refusedFiles } from './en-problems.ts'
import type { Forms } from './format.ts'

type Pair = readonly [title: string, text: string]

/** Every text of the forms, in English. Another language is an object of the same type. */
export const en = {
  /** Writes dates, times and numbers. */
  locale: 'en-GB',
  direction: 'ltr' as 'ltr' | 'rtl',
  languages: 'Language',
  help: 'Help',
  languageFailed: 'The language could not be changed. Check your connection and try again.',
  title: 'Verification',
  brand: 'Identity verification',
  secure: 'Encrypted and private',
  step: (at: number, of: number) => `Step ${at} of ${of}`,
  part: (at: number, of: number) => `part ${at} of ${of}`,
  back: 'Back',
  continue: 'Continue',
  optional: '(optional)',
  choose: 'Choose…',
  yes: 'Yes',
  no: 'No',
  change: 'Change',
  remove: 'Remove',
  edit: 'Edit',
  close: 'Close',
  saved: 'All answers saved',
  saving: 'Saving…',
  notSaved: 'Not saved yet – we keep trying',
  changedElsewhere: 'You changed this form on another device. The newest answers are shown.',
  lostElsewhere: {
    moved: (fields: string) =>
      `On another device you removed a person or a document. This was not saved here. Please give it again if it is still needed: ${fields}.`,
    changed: (fields: string) =>
      `On another device you changed these answers later, and those are kept. What was typed here was not saved: ${fields}.`,
    sent: (fields: string) => `The form was sent meanwhile, without what was typed here last: ${fields}.`,
  },
  removalOf: (name: string) => `the removal of ${name}`,
  given: 'Given – hidden for your safety',
  replaceGiven: 'Enter it again only to change it.',
  notGiven: 'Not given',
  errorTitle: 'Please check your answers',
  confirmTitle: 'Is this right?',
  confirmHint: 'If the answer is right, leave it as it is and continue.',
  loadFailed: 'The form could not be loaded',
  loadFailedHint: 'Check your connection and try again.',
  tryAgain: 'Try again',
  closing: 'For your safety this form closes in about two minutes.',
  closingForGood: (time: string) =>
    `For your safety this form closes at ${time}. Your answers are saved: open your link again to continue after that.`,
  stay: 'Stay',
  leave: 'Leave this form',
  sessionEnded: 'Open your link again',
  sessionEndedHint:
    'This form is closed, for your safety. Your answers are saved: open the link that you were sent, and continue.',
  endedUnsaved: 'Your last answers are not saved yet.',
  endedUnsavedHint:
    'This form is closed, for your safety. Keep this window open, and open the link that you were sent in another window of this browser: then we save your answers here by themselves.',
  saveNow: 'Save them now',
  notOpenYet: 'This did not work. Check your connection, open your link in this browser, and try again.',
  leaving: 'Leaving…',
  leaveFailed:
    'We hide your answers here, but could not close the form yet. We keep trying while this window is open. Until then someone who uses this browser could open the form, for 30 minutes at most.',
  leaveUnsaved:
    'Your last answers are not saved yet. This window keeps them until it is closed, and saves them before it closes the form.',
  cannotContinue:
    'Your last answers are not saved yet. Check your connection and try again: what you typed stays here.',
  date: { day: 'Day', month: 'Month', year: 'Year' },
  characters: { one: '{count} character', other: '{count} characters' } as Forms,
  /** Amounts without a currency, which the label names. */
  range: {
    under: (amount: string) => `Less than ${amount}`,
    between: (from: string, to: string) => `${from} to ${to}`,
    over: (amount: string) => `More than ${amount}`,
    atLeast: (amount: string) => `${amount} or more`,
  },
  /** Says of whom or what a text is. */
  about: (owner: string, text: string) => `${owner}: ${text}`,

  steps: {
    country: ['Where do you live?', 'The rest of the form follows your country.'],
    about: ['About you', 'Exactly as on your identity document.'],
    contact: ['Contact and home address', 'Where you actually live – not a post office box.'],
    number: ['Tax or national ID number', 'If your country has given you one. It speeds up the check.'],
    money: ['Work and money', 'The law asks us to understand what you use the service for.'],
    document: ['Identity document', 'A passport, or both sides of a card. All four corners must be visible.'],
    check: ['Check your answers', 'You can change everything until you submit.'],
    place: ['Where is the business registered?', 'The rest of the form follows this country.'],
    business: ['About the business', 'As in its official registration.'],
    addresses: ['Business address', 'The registered address, and the place of work if it is another one.'],
    activity: ['Activity and money', 'The law asks us to understand what the business does.'],
    people: ['Owners and managers', 'Everyone who owns a quarter or more, and one person who controls the business.'],
    papers: ['Business documents', 'A document that shows the business is registered, such as its articles.'],
    'person-about': ['Details', 'Exactly as on the identity document.'],
    'person-address': ['Home address', 'Where this person actually lives.'],
    'person-document': ['Identity document', 'A passport, or both sides of a card. All four corners must be visible.'],
  } satisfies Record<string, Pair>,

  labels,
  proofLabels,
  regionLabels,
  postalLabels,
  /** A field without a label of its own. */
  unnamed: 'This answer',

  postalHint: (example: string) => `For example ${example}.`,
  hints: {
    phoneNumber: 'With the country code, for example +1 415 555 0123.',
    dateOfBirth: 'For example 17 May 1990.',
    frontIdImage: 'The side with the photo, or the photo page of a passport.',
    proofOfAddressImage: 'Not older than three months, with your name and your address.',
    ownershipPercentage: 'For example 25. Enter 0 for a person without a share.',
    website: 'For example https://example.com.',
    highRiskActivities: 'Leave everything empty if none applies.',
    'documents[].expirationDate': 'The document must still be valid.',
  },

  problems,
  codes,
  suggestions,
  issues,
  issuesAbout,
  exactIssues,
  issueOther: 'Something in your answers needs another look. Please check them.',
  contactSupport: 'Please contact support to continue with this verification.',

  refusals: {
    CONFLICT: 'The form was changed in another window or on another device. Check the answers, and submit again.',
    PATCH_NOT_ALLOWED: 'The answers are being reviewed, and cannot be changed now.',
    RATE_LIMITED: 'There were too many requests from your network. Try again in a minute.',
    UNAUTHORIZED: 'This form is closed, for your safety. Open your link again, and continue.',
    FORBIDDEN: 'This form is closed, for your safety. Open your link again, and continue.',
    OTHER: 'This did not work, and it is not your fault. Try again in a minute: your answers are saved.',
  },
  refusedFields: (fields: string) => `These answers cannot be used as they are: ${fields}. Please check them.`,

  files: {
    add: 'Choose a file',
    camera: 'Take a photo',
    drop: 'or drop it here',
    replace: 'Replace',
    remove: 'Remove',
    rules: 'JPG, PNG, PDF, HEIC or WebP. We make photos of phones fit by themselves.',
    preparing: 'Preparing the picture…',
    uploading: (percent: string) => `Uploading: ${percent}`,
    checking: 'Checking the file…',
    done: 'Uploaded',
    given: 'Uploaded earlier',
    retrying: 'The connection was lost. Trying again…',
    failed: 'The upload did not finish.',
    tryAgain: 'Try again',
    look: 'Is everything readable?',
    lookHint: 'All four corners, no glare, nothing cut off.',
    use: 'Use this picture',
    another: 'Choose another',
    discard: 'Discard it',
    cancel: 'Cancel',
    notLoaded:
      'A part of this form could not be loaded. Check your connection and try again. If it happens again, reload this page: your answers are saved.',
    unsent: {
      looking: '{field}: press “Use this picture” to send it, or choose another one',
      failed: '{field}: the file was not sent. Try again, choose another one, or discard it',
    },
    stillBusy: 'A file is still on its way',
    leaveWithout: 'A file is not sent yet, and leaving loses it. Leave all the same?',
    converted: 'We turned your file into a picture that we can check.',
    pages: (from: number, to: number, of: number) =>
      from === to ? `This is page ${from} of ${of}.` : `These are pages ${from} to ${to} of ${of}.`,
    choosePages: 'Pages to send',
    pageRange: (from: number, to: number) => (from === to ? `Page ${from}` : `Pages ${from} to ${to}`),
    wrongType: 'This kind of file cannot be used. Choose a photo (JPG, PNG, HEIC, WebP) or a PDF.',
    tooLarge: 'The file is larger than 10 MB. Choose a smaller one.',
    tooSmall: 'The picture is too small to be read. Take a new photo, closer to the document.',
    blank: 'The page looks empty. Choose another file, or take a photo of the document.',
    unreadable: 'The file cannot be opened. Choose another one.',
    refused: refusedFiles,
    alt: (label: string) => `Your picture: ${label}`,
  },
  phone: {
    offer: 'Take the photos with your phone instead',
    title: 'Continue on your phone',
    text: 'Scan this code with the camera of your phone. This page follows by itself: files that you add there appear here.',
    alt: 'QR code with the address of this form',
    private: 'Keep this code private: it opens your form.',
    window: 'Open the form in a window of its own',
  },
  people: {
    add: 'Add a person',
    none: 'No person added yet.',
    person: (at: number) => `Person ${at}`,
    /** The heading of a page about a person. */
    page: (person: string, title: string) => `${person}: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    incomplete: 'Incomplete',
    complete: 'Complete',
    confirmRemove: (name: string) => `Remove ${name}, with all answers and files?`,
  },
  proof: {
    add: 'Add a proof of address (optional)',
    remove: 'Remove the proof of address',
  },
  papers: {
    add: 'Add a document',
    remove: 'Remove this document',
    none: 'No document added yet.',
    paper: (at: number) => `Document ${at}`,
    paperOf: (owner: string, at: number) => `${owner}, document ${at}`,
  },
  operating: 'The business works at another address',
  check: {
    submit: 'Submit for verification',
    submitting: 'Submitting…',
    declare: 'By submitting you confirm that your answers are true and complete.',
    fileGiven: 'File uploaded',
    problems: 'Some answers are missing or need a correction:',
    beside: 'The company that sent you the link has to correct this.',
  },
  refill: {
    title: 'A few things need your attention',
    text: 'Please correct the following. Everything else stays as you sent it.',
    submit: 'Send the corrections',
    support: 'Please contact support',
    supportText: 'There is nothing to correct in this form. The company that sent you the link can help you.',
    people: 'Check the people and their documents',
    papers: 'Check the business documents',
    newFile: (field: string) => `${field}: please upload a new file.`,
  },
  status: {
    UNDER_REVIEW: [
      'We are checking your answers',
      'Most checks take less than 10 minutes. You can close this page: nothing more is needed from you now.',
    ],
    ACTIVE: ['You are verified', 'Everything is in order. You can close this page.'],
    REJECTED: ['We could not verify you', 'Please contact the company that sent you this link if you have questions.'],
    DEACTIVATED: [
      'This account is closed',
      'Please contact the company that sent you this link if you have questions.',
    ],
  } satisfies Record<string, Pair>,
  review: (day: string) => `A person looks at your answers. You get the result by ${day} at the latest.`,
  live: 'This page updates by itself.',
  notLive: 'This page no longer updates by itself. Open your link again to see the newest status.',
  sandbox: {
    ribbon: 'Sandbox',
    fill: 'Fill with sample data',
    filling: 'Filling…',
    approve: 'Approve',
    reject: 'Reject',
    ask: 'Ask for',
    decide: 'Ask',
    hint: 'These tools do not exist in production.',
    failed: 'That did not work. Try it again.',
  },
  bank: { ...bank, labels: bankLabels, hints: bankHints, rules: bankRules },
}

export type Texts = typeof en
