import { expect, test } from 'vitest'
import { type PlacedItem, placeOf, readPlace, sliceItems, writePlace } from './item-page.ts'

const place = (account: string, state: 'MATCHED' | 'MISSING' | 'UNEXPECTED', reference: string): PlacedItem => ({
  account,
  item: { state, kind: 'PAYOUT', reference, amount: 1n, day: '2026-11-16', ageDays: 0 },
})
const items = [
  place('b', 'MATCHED', '1'),
  place('a', 'MATCHED', '2'),
  place('b', 'MISSING', '3'),
  place('a', 'UNEXPECTED', '4'),
  place('a', 'MISSING', '4'),
]

test('open items come first, and pages of any size list every item once', () => {
  const all = sliceItems(items, undefined, 10).map(({ account, item }) => `${account} ${item.state} ${item.reference}`)
  expect(all).toEqual(['a MISSING 4', 'a UNEXPECTED 4', 'b MISSING 3', 'a MATCHED 2', 'b MATCHED 1'])
  for (const size of [1, 2, 3, 5]) {
    const listed: string[] = []
    let token: string | undefined
    for (;;) {
      const page = sliceItems(items, token === undefined ? undefined : readPlace(token), size)
      const last = page.at(-1)
      if (!last) break
      listed.push(...page.map(({ account, item }) => `${account} ${item.state} ${item.reference}`))
      token = writePlace(placeOf(last))
    }
    expect(listed).toEqual(all)
  }
})
