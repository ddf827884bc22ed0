export type Notice = readonly [title: string, text: string]

/**
 * The texts of pages that show before the script runs, or instead of it, in English. The others are in web/forms/texts.
 * Another language is an object of the same type.
 */
export const en = {
  title: 'Verification',
  languages: 'Language',
  loading: 'Loading your form…',
  loadFailed: 'The form could not be loaded. Check your connection, and reload this page.',
  noScript: [
    'JavaScript is off',
    'This form needs JavaScript. Switch it on in your browser and open your link again.',
  ] as Notice,
  sessionEnded: [
    'Open your link again',
    'For your safety this form closes after 30 minutes. Your answers are saved: open the link that you were sent, and continue.',
  ] as Notice,
  tooMany: ['Please wait a moment', 'There were too many requests from your network. Try again in a minute.'] as Notice,
  unavailable: ['The form is not available', 'Please try again in a few minutes.'] as Notice,
  notBuilt: [
    'The form is not available',
    'Please try again in a few minutes. The operator has to build the pages first.',
  ] as Notice,
  badLink: [
    'This link does not work',
    'It may be incomplete, or it was replaced by a newer one. Ask the company that sent it to you for a new link.',
  ] as Notice,
  notHere: [
    'This form cannot be shown here',
    'The page around it is not known to the company that sent you the link. Open the link in a window of its own.',
  ] as Notice,
  noCookies: [
    'Open this page in a window of its own',
    'Your browser keeps no cookies for a page inside of another page, and without them it cannot be shown here safely.',
  ] as Notice,
  openWindow: 'Open in a new window',
  help: 'Help',
  noFile: ['No such file', 'This file does not exist.'] as Notice,
  /** The texts of the form of a bank account that differ. */
  bank: {
    title: 'Bank account',
    sessionEnded: [
      'Open your link again',
      'For your safety this form closes after 30 minutes. Open the link that you were sent, and continue.',
    ] as Notice,
  },
}

export type Texts = typeof en
