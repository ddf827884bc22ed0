import { expect, test } from 'vitest'
import { type ComparedName, differenceOf, type Item, isAged, isRecorded, listItems, nameKey } from './reconciliation.ts'

const date = '2026-11-16'

/** A name that only the ledger has, or only the bank. */
function named(kind: ComparedName['kind'], ledger: bigint, outside: bigint, day = date): ComparedName {
  return {
    kind,
    reference: `${kind} ${day}`,
    ledger,
    outside,
    ledgerDay: ledger === 0n ? null : day,
    outsideDay: outside === 0n ? null : day,
    isOfDay: day === date,
    ledgerNow: ledger,
    outsideNow: outside,
    lastDay: day,
  }
}

const shown = (items: readonly Item[]) => items.map(({ state, kind, amount }) => `${state} ${kind} ${amount}`)

test.each([
  // both sides at the end of the day                        items
  ['both sides agree', [named('PAYOUT', -100n, -100n)], ['MATCHED PAYOUT -100'], 0n],
  ['agreed on an older day', [named('PAYOUT', -100n, -100n, '2026-11-13')], [], 0n],
  ['only the ledger', [named('RETURN', 100n, 0n)], ['MISSING RETURN 100'], -100n],
  ['only the bank', [named('ENTRY', 0n, -18n)], ['UNEXPECTED ENTRY -18'], -18n],
  ['the bank has less', [named('RETURN', 100n, 95n)], ['MATCHED RETURN 95', 'MISSING RETURN 5'], -5n],
  ['the bank has more', [named('DEPOSIT', 100n, 130n)], ['MATCHED DEPOSIT 100', 'UNEXPECTED DEPOSIT 30'], 30n],
  ['opposite signs', [named('PAYOUT', -100n, 7n)], ['MISSING PAYOUT -100', 'UNEXPECTED PAYOUT 7'], 107n],
  [
    'a charge that an operator recorded',
    [named('ENTRY', 0n, -18n, '2026-11-13'), named('OWN', -18n, 0n)],
    ['MATCHED OWN -18'],
    0n,
  ],
  [
    'a charge of another amount',
    [named('ENTRY', 0n, -18n), named('OWN', -17n, 0n)],
    ['UNEXPECTED ENTRY -18', 'MISSING OWN -17'],
    -1n,
  ],
  [
    'a charge of long ago',
    [named('ENTRY', 0n, -18n, '2026-10-01'), named('OWN', -18n, 0n)],
    ['UNEXPECTED ENTRY -18', 'MISSING OWN -18'],
    0n,
  ],
  ['the opening balance', [named('OPENING', 0n, 500n, '2026-01-01'), named('OWN', 500n, 0n)], ['MATCHED OWN 500'], 0n],
  [
    'a payout that the bank has not',
    [named('PAYOUT', -500n, 0n), named('OWN', 500n, 0n)],
    ['MISSING PAYOUT -500', 'MISSING OWN 500'],
    0n,
  ],
  ['a fee of a return', [named('RETURN', 100n, 95n, '2026-11-13'), named('OWN', -5n, 0n)], ['MATCHED OWN -5'], 0n],
  [
    'two equal charges, one recorded',
    [named('ENTRY', 0n, -18n), { ...named('ENTRY', 0n, -18n), reference: 'other' }, named('OWN', -18n, 0n)],
    ['MATCHED ENTRY -18', 'UNEXPECTED ENTRY -18', 'MATCHED OWN -18'],
    -18n,
  ],
] as const)('%s', (_, names, items, difference) => {
  const listed = listItems(names, date)
  expect(shown(listed)).toEqual(items)
  expect(differenceOf(listed)).toBe(difference)
})

test('an open item tells its age, and the day on which the other side followed', () => {
  const [late] = listItems(
    [{ ...named('PAYOUT', -100n, 0n, '2026-11-13'), outsideNow: -100n, lastDay: '2026-11-17' }],
    date,
  )
  expect(late).toMatchObject({ state: 'MISSING', day: '2026-11-13', ageDays: 3, matchedOn: '2026-11-17' })
})

test.each([
  // kind, state, age                    aged
  ['PAYOUT', 'MISSING', 4, false],
  ['PAYOUT', 'MISSING', 5, true],
  ['ENTRY', 'UNEXPECTED', 0, false],
  ['GAP', 'UNEXPECTED', 0, true],
  ['SECOND_DEBIT', 'UNEXPECTED', 0, true],
  ['PAYOUT', 'MATCHED', 9, false],
] as const)('%s %s of %i days: aged is %s', (kind, state, ageDays, aged) => {
  expect(isAged({ kind, state, ageDays, reference: '', amount: 1n, day: date })).toBe(aged)
})

test('an accepted difference stays open, and explains no other one', () => {
  const names = [named('ENTRY', 0n, -30n), named('OWN', -30n, 0n)]
  const items = listItems(names, date, new Map([[nameKey(names[0] as ComparedName), -30n]]))
  expect(shown(items)).toEqual(['UNEXPECTED ENTRY -30', 'MISSING OWN -30'])
  expect(differenceOf(items)).toBe(0n)
})

test('only postings that an operator recorded explain bookings', () => {
  const recorded = ['operator:fee:1', 'deposit:0199:recovery:0200', 'transaction:0199:payout', 'deposit:0199:received']
  expect(recorded.filter(isRecorded)).toEqual(['operator:fee:1', 'deposit:0199:recovery:0200'])
})
