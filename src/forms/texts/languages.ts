import { ar } from './ar.ts'
import { de } from './de.ts'
import { en, type Texts } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { disguise } from './pseudo.ts'
import { pt } from './pt.ts'

/** A language without its texts of a page does not compile. */
export type LanguageCode = 'en' | 'es' | 'fr' | 'de' | 'pt' | 'ar'

export type Language = { code: LanguageCode | 'en-XA'; name: string; direction: 'ltr' | 'rtl'; texts: Texts }

/** The languages of the hosted pages, with their own names, in the order of the links below each page. */
export const languages: readonly Language[] = [
  { code: 'en', name: 'English', direction: 'ltr', texts: en },
  { code: 'es', name: 'Español', direction: 'ltr', texts: es },
  { code: 'fr', name: 'Français', direction: 'ltr', texts: fr },
  { code: 'de', name: 'Deutsch', direction: 'ltr', texts: de },
  { code: 'pt', name: 'Português', direction: 'ltr', texts: pt },
  { code: 'ar', name: 'العربية', direction: 'rtl', texts: ar },
]

const english: Language = { code: 'en', name: 'English', direction: 'ltr', texts: en }

/** English with accents: a test of the pages, which only the sandbox shows. */
const pseudo: Language = { ...english, code: 'en-XA', texts: disguise(en) }

/** Finds a language by a tag such as pt-BR. */
export function languageOf(tag: string | undefined, isSandbox: boolean): Language | undefined {
  if (isSandbox && tag === pseudo.code) return pseudo
  // An address may have the name twice: then it is no text.
  const [primary] = String(tag ?? '')
    .toLowerCase()
    .split('-')
  return languages.find(({ code }) => code === primary)
}

/** Chooses the language of a page: the customer's choice, now or earlier, or the best that the browser asks for. */
export function chooseLanguage(
  chosen: readonly (string | undefined)[],
  accepted: string,
  isSandbox: boolean,
): Language {
  return chosen.map((tag) => languageOf(tag, isSandbox)).find(Boolean) ?? bestOf(accepted) ?? english
}

/** Reads `Accept-Language` (RFC 9110, section 12.5.4). */
function bestOf(header: string): Language | undefined {
  const ranges = header.split(',').map((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((each) => each.startsWith('q='))?.slice(2)
    return { range, weight: weight === undefined ? 1 : Number(weight) }
  })
  return ranges
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ range }) => languageOf(range, false))
    .find(Boolean)
}
