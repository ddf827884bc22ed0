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

/** Tells why a name that banks compare cannot be written: it has no letters, or one of them has no spelling in this set. */
export function nameProblem(name: string, charset: Charset): string | undefined {
  const { lost } = transliterate(name, charsets[charset])
  return wholeNameProblem(name, charset) ?? (lost > 0 ? 'has letters that the format cannot carry' : undefined)
}

/** Tells why nothing of a name can be written: none of its letters has a spelling in this set. */
export function wholeNameProblem(name: string, charset: Charset): string | undefined {
  const { text } = transliterate(name, charsets[charset])
  return /[A-Za-z0-9]/.test(text) ? undefined : 'has no letter that the format can carry'
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
