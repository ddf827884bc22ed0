import { en, type PayTexts } from './en.ts'

const languages: Readonly<Record<string, PayTexts>> = { en }

/** The texts of a locale such as `de-AT`; English when there are none. */
export function payTextsOf(locale: string): PayTexts {
  return languages[locale.split('-')[0] ?? ''] ?? en
}
