import type { Language, LanguageCode } from '../../texts/languages.ts'
import { disguise } from '../../texts/pseudo.ts'
import { ar } from './ar.ts'
import { de } from './de.ts'
import { en, type PayTexts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { pt } from './pt.ts'

const catalogs: Readonly<Record<LanguageCode | 'en-XA', PayTexts>> = { en, es, fr, de, pt, ar, 'en-XA': disguise(en) }

/** Payers compare digits with those of their bank or wallet, which are Latin in every language. */
export function payLocaleOf({ code }: Language): string {
  return `${code}-u-nu-latn`
}

/** The texts of a locale such as `de-u-nu-latn`; English when there are none. */
export function payTextsOf(locale: string): PayTexts {
  const code = locale.replace(/-u-.*$/, '')
  return Object.hasOwn(catalogs, code) ? catalogs[code as LanguageCode] : en
}
