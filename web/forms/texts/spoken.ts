import type { Texts } from './en.ts'

/** The catalogs. A page loads the one of its language. */
const catalogs: Readonly<Record<string, () => Promise<Texts>>> = {
  en: async () => (await import('./en.ts')).en,
  es: async () => (await import('./es/es.ts')).es,
  fr: async () => (await import('./fr/fr.ts')).fr,
  de: async () => (await import('./de/de.ts')).de,
  pt: async () => (await import('./pt/pt.ts')).pt,
  ar: async () => (await import('./ar/ar.ts')).ar,
  'en-XA': async () => (await import('./pseudo.ts')).pseudo,
}

/** The texts of the page, once its language is loaded. */
export let texts: Texts

/** Loads the texts of a language; English for one that the pages do not have. */
export async function speak(language: string): Promise<void> {
  const load = (Object.hasOwn(catalogs, language) && catalogs[language]) || catalogs.en
  if (load) texts = await load()
}
