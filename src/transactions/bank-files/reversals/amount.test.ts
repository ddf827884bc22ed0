import { expect, test } from 'vitest'
import { amountOf } from './amount.ts'

const ofDeposit = (free: string, recalled: (string | null)[], wanted: string | null) => () =>
  amountOf({ currency: 'EUR', free, left: '25000', recalled, wanted })

test('a debit takes what is certain without an operator', () => {
  expect(ofDeposit('4500', [], null)()).toBe(4500n)
  expect(ofDeposit('4500', ['4000'], '4000')()).toBe(4000n)
  expect(ofDeposit('4500', [null], null)()).toBe(4500n)
  for (const free of ['4000', '10000', '14000'])
    expect(ofDeposit(free, ['4000', '10000'], '14000')()).toBe(BigInt(free))
  expect(ofDeposit('25000', ['4000', null], null)()).toBe(25_000n)
})

test.each([
  ['a recall has what it wants', '4000', ['4000'], '0'],
  ['it is as high as none of several recalls', '4500', ['4000', '10000'], '14000'],
  ['one of several recalls wants all', '4500', ['4000', null], null],
  ['earlier debits took a part of what several recalls want', '10000', ['4000', '10000'], '8000'],
  ['it may have taken the deposit instead of the recalled part', '25000', ['4000'], '4000'],
])('an operator tells the amount of a debit when %s', (_, free, recalled, wanted) => {
  expect(ofDeposit(free, recalled, wanted)).toThrow('tell it with --amount')
})
