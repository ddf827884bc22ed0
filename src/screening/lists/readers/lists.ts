import { ofacReader } from './ofac.ts'
import type { ListReader } from './reader.ts'
import { unReader } from './un.ts'

/** The lists that Svc can import, by the names that operators and matches use. */
export const lists = {
  'ofac-sdn': ofacReader({ 'sdn.csv': 'sdn.csv', 'alt.csv': 'alt.csv', 'sdn_comments.csv': 'sdn_comments.csv' }),
  'ofac-consolidated': ofacReader({
    'sdn.csv': 'cons_prim.csv',
    'alt.csv': 'cons_alt.csv',
    'sdn_comments.csv': 'cons_comments.csv',
  }),
  un: unReader,
} as const satisfies Record<string, ListReader>

export type ListName = keyof typeof lists
export const listNames = Object.keys(lists) as ListName[]

export function isListName(text: string): text is ListName {
  return Object.hasOwn(lists, text)
}

/** Finds the list that these files are; undefined when they are none, or could be several. */
export function recognizeList(names: readonly string[]): ListName | undefined {
  const [found, ...others] = listNames.filter((name) => lists[name].recognizes(names))
  return others.length === 0 ? found : undefined
}
