import { transliterate } from './transliterate.ts'

/** The Latin characters that every bank of the SEPA area accepts: EPC217-08, "SEPA requirements for character sets". */
const sepaSet = /^[A-Za-z0-9/\-?:().,'+ ]*$/
/** Printable ASCII: Nacha Operating Rules, appendix three, "alphameric". */
const nachaSet = /^[\x20-\x7e]*$/

/** Tells whether a text has only characters of the set. */
export const charsets = {
  sepa: (text: string) => sepaSet.test(text),
  nacha: (text: string) => nachaSet.test(text),
} as const
export type Charset = keyof typeof charsets

/** Writes free text in a character set and cuts it to a length. Identifiers are checked instead: identifierProblem. */
export function fitText(text: string, charset: Charset, length: number): string {
  const written = transliterate(text, charsets[charset]).text
  return written.length <= length ? written : written.slice(0, length).trimEnd()
}

/** Tells why a name cannot be written: it has no letters, or one of them has no spelling in this set. */
export function nameProblem(name: string, charset: Charset): string | undefined {
  const { text, lost } = transliterate(name, charsets[charset])
  const known = text.replace(/[^A-Za-z0-9]/g, '').length
  if (known === 0) return 'has no letter that the format can carry'
  return lost > 0 ? 'has letters that the format cannot carry' : undefined
}

/** Tells why an identifier cannot be written exactly as it is. Identifiers are never cut or respelled. */
export function identifierProblem(text: string, charset: Charset, length: number): string | undefined {
  if (text === '') return 'is missing'
  if (text.length > length) return `has more than ${length} characters`
  if (!charsets[charset](text) || text.trim() !== text) return 'has characters that the format cannot carry'
  // EPC217-08: a reference neither begins nor ends with a slash, and has no two in a row.
  const hasSlashes = charset === 'sepa' && (/^\/|\/$/.test(text) || text.includes('//'))
  return hasSlashes ? 'has slashes where the format allows none' : undefined
}
