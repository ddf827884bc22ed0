import type { Item } from './reconciliation.ts'

/** An item with its account. */
export type PlacedItem = { account: string; item: Item }

/** The place of an item in the list of a day: open items come first, then those of each account. */
export type ItemPlace = { isMatched: boolean; account: string; kind: string; reference: string; rest: string }

export function placeOf({ account, item: { state, kind, reference, amount } }: PlacedItem): ItemPlace {
  return { isMatched: state === 'MATCHED', account, kind, reference, rest: `${state} ${amount}` }
}

/** Writes a place as the sort key of a page token. */
export function writePlace({ isMatched, account, kind, reference, rest }: ItemPlace): string {
  return JSON.stringify([isMatched, account, kind, reference, rest])
}

export function readPlace(text: string): ItemPlace {
  const [isMatched, account, kind, reference, rest] = JSON.parse(text) as [boolean, string, string, string, string]
  return { isMatched, account, kind, reference, rest }
}

/** Compares places. PostgreSQL compares the same texts as bytes. */
export function comparePlaces(one: ItemPlace, two: ItemPlace): number {
  if (one.isMatched !== two.isMatched) return one.isMatched ? 1 : -1
  for (const part of ['account', 'kind', 'reference', 'rest'] as const)
    if (one[part] !== two[part]) return one[part] < two[part] ? -1 : 1
  return 0
}

/** The names that agree and may be on a page of so many items after a place. */
export function matchedSliceOf(account: string, after: ItemPlace | undefined, limit: number) {
  const start = { kind: '', reference: '', limit }
  if (!after?.isMatched || account > after.account) return start
  // One name has one item that agrees, so the next page begins with the next name.
  return account === after.account ? { kind: after.kind, reference: after.reference, limit } : { ...start, limit: 0 }
}

/** Takes the items after a place, in order, up to a limit. */
export function sliceItems(items: readonly PlacedItem[], after: ItemPlace | undefined, limit: number): PlacedItem[] {
  return items
    .map((each) => ({ each, place: placeOf(each) }))
    .filter(({ place }) => after === undefined || comparePlaces(place, after) > 0)
    .toSorted((one, two) => comparePlaces(one.place, two.place))
    .slice(0, limit)
    .map(({ each }) => each)
}
