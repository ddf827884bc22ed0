import { en } from './en.ts'

export const texts = en

/** The pattern of a path: indexes left out, so that one text serves every item of a list. */
export function patternOf(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]')
}

/** Finds a text by the longest end of a path that has one. */
export function byPath<Value>(table: Readonly<Record<string, Value>>, path: string): Value | undefined {
  const steps = patternOf(path).split('.')
  for (let from = 0; from < steps.length; from++) {
    const found = table[steps.slice(from).join('.')]
    if (found !== undefined) return found
  }
  return undefined
}

export function nameOf(path: string): string {
  return path.split('.').at(-1) ?? ''
}

/** Writes a code in words: SELF_EMPLOYED is "Self employed". */
export function wordsOfCode(code: string): string {
  const known = texts.codes[code]
  if (known) return known
  if (texts.acronyms.includes(code)) return code
  const [first = '', ...rest] = code
    .split('_')
    .map((word) => (texts.acronyms.includes(word) ? word : word.toLowerCase()))
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(' ')
}
