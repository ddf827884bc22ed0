import { expect, test } from 'vitest'
import { joinCharges, type PayoutLine } from './charges.ts'

const payout = {
  kind: 'PAYOUT',
  reference: 'A',
  amount: -120n,
  fact: 'PAYOUT',
  bankReference: 'B-1',
  costs: 0n,
} as const
const line = (more: Partial<PayoutLine>): PayoutLine => ({ ...payout, ...more })
const paid = line({ costs: 5n })
const charge = line({ amount: -5n, fact: 'NETWORK_COST' })
const other = line({ reference: 'C', amount: -7n })
const returned = line({ kind: 'RETURN', amount: 120n })

async function* streamOf(lines: readonly PayoutLine[]) {
  yield* lines
}

test.each([
  // lines of a day                                           entries: amount and the charges in it
  ['a payout and its charges', [paid, charge], ['-120 with 5']],
  ['the charges first', [charge, other, paid], ['-7 with 0', '-120 with 5']],
  ['lines between', [paid, other, returned, charge], ['-7 with 0', '120 with 0', '-120 with 5']],
  ['charges that were never booked', [paid, other], ['-7 with 0', '-120 with 0']],
  ['charges of a payout of another day', [charge, other], ['-7 with 0', '-5 with 0']],
  ['another sum than the bank told', [paid, { ...charge, amount: -4n }], ['-120 with 4']],
  ['two lines of a payout', [paid, paid, charge], ['-120 with 0', '-120 with 5']],
  [
    'charges that no message of the bank told',
    [line({}), { ...charge, bankReference: null }],
    ['-120 with 0', '-5 with 0'],
  ],
] as const)('%s', async (_, lines, expected) => {
  const joined: string[] = []
  for await (const { amount, charges } of joinCharges(streamOf(lines))) joined.push(`${amount} with ${charges}`)
  expect(joined).toEqual(expected)
})
