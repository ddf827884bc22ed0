import type { Texts } from './en.ts'
import { formatNumber } from './format.ts'
import { properNameOf } from './proper-names.ts'
import { texts } from './spoken.ts'

export { speak, texts } from './spoken.ts'

/** Finds a text by a key that comes from the service: undefined for one that is new to the pages. */
export function textAt<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}

/** The pattern of a path: indexes left out, so that one text serves every item of a list. */
export function patternOf(path: string): string {
  return path.replaceAll(/\[\d+\]/g, '[]')
}

/** Finds a text by the longest end of a path that has one. */
export function byPath<Value>(table: Readonly<Record<string, Value>>, path: string): Value | undefined {
  const steps = patternOf(path).split('.')
  for (let from = 0; from < steps.length; from++) {
    const found = textAt(table, steps.slice(from).join('.'))
    if (found !== undefined) return found
  }
  return undefined
}

export function nameOf(path: string): string {
  return path.split('.').at(-1) ?? ''
}

/** Writes a code of the catalog in words. */
export function wordsOfCode(code: string): string {
  return wordsOfRange(code) ?? textAt(texts.codes, code) ?? properNameOf(code)
}

type RangeKind = keyof Texts['range']

/** Ranges of amounts as the codes write them. */
const ranges: readonly (readonly [pattern: RegExp, kind: RangeKind])[] = [
  [/^(?:UNDER|LESS_THAN)_(\d+K?)$/, 'under'],
  [/^(?:BETWEEN_)?(\d+K?)_(?:TO_)?(\d+K?)$/, 'between'],
  [/^OVER_(\d+K)$/, 'over'],
  [/^OVER_(\d+)$/, 'atLeast'],
]

function wordsOfRange(code: string): string | undefined {
  for (const [pattern, kind] of ranges) {
    const [, from, to = ''] = pattern.exec(code) ?? []
    if (from === undefined) continue
    const [first, last] = [from, to].map((amount) => formatNumber(BigInt(amount.replace('K', '000'))))
    return texts.range[kind](first ?? '', last ?? '')
  }
  return undefined
}

/** Suggested words, saved in English so that they mean the same in every language; other words are saved as typed. */
export function suggestionOf(saved: string): string {
  return textAt(texts.suggestions, saved.toUpperCase().replaceAll(' ', '_')) ?? saved
}

export function savedSuggestion(typed: string): string {
  const known = Object.entries(texts.suggestions).find(([, words]) => words === typed)
  return known ? known[0].replaceAll('_', ' ').toLowerCase() : typed
}
