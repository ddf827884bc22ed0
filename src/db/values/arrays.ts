import pg from 'pg'

/** The number of the type `text[]`. */
export const textArray: number = 1009
const parseTextArray: (text: string) => (string | null)[] = pg.types.getTypeParser(textArray)

/** Reads an array of plain words at once; the driver's parser reads each character. */
export function readTextArray(text: string): (string | null)[] {
  if (/["\\]|NULL|^\{.*\{|^\[/.test(text)) return parseTextArray(text)
  return text === '{}' ? [] : text.slice(1, -1).split(',')
}

/**
 * Writes an array of texts, numbers, booleans, bytes and nulls, in less than half the time of the driver; undefined with
 * any other element, which the driver converts. A batch has about ten elements for each of its rows.
 */
export function writeArray(elements: readonly unknown[]): string | undefined {
  let text = ''
  for (const element of elements) {
    const written = writeElement(element)
    if (written === undefined) return undefined
    text += text === '' ? written : `,${written}`
  }
  return `{${text}}`
}

function writeElement(element: unknown): string | undefined {
  if (element === null || element === undefined) return 'NULL'
  if (typeof element === 'string') return quote(element)
  if (Buffer.isBuffer(element)) return `"\\\\x${element.toString('hex')}"`
  if (typeof element === 'object' || typeof element === 'symbol' || typeof element === 'function') return undefined
  return String(element)
}

/** PostgreSQL reads the escapes of JSON alike for quotes and backslashes, and differently for all others. */
function quote(text: string): string {
  if (!/["\\]/.test(text)) return `"${text}"`
  const hasOthers = /[^ -\uffff]/.test(text) || !text.isWellFormed()
  return hasOthers ? `"${text.replace(/["\\]/g, '\\$&')}"` : JSON.stringify(text)
}
