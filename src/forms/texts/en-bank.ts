import type { Notice } from './en.ts'

/** The texts of the form of a bank account that show before its script runs, or instead of it. */
export const bankTexts = {
  title: 'Bank account',
  sessionEnded: [
    'Open your link again',
    'For your safety this form closes after 30 minutes. Open the link that you were sent, and continue.',
  ] as Notice,
}
