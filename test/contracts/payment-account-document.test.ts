import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fiatCurrencies, fiatLabels, fiatRails, tokenAssets, tokens } from '../../src/catalog/currencies.ts'
import { paymentMethodNames, paymentMethods } from '../../src/catalog/payment-methods.ts'
import { railLimits } from '../../src/catalog/rail-limits.ts'
import { railFields } from '../../src/payment-accounts/bank-accounts/bank-coordinates.ts'
import { paymentAccountMoves, paymentAccountTypes } from '../../src/payment-accounts/payment-account.ts'

/** Compares docs/payment-accounts.md with the code. */
// The column widths of a table do not matter.
const page = readFileSync('docs/payment-accounts.md', 'utf8').replace(/(?<=\S) {2,}(?=\|)/g, ' ')
const rowOf = (first: string) => page.split('\n').find((line) => line.startsWith(`| ${first} |`)) ?? ''

test.each(tokenAssets)('the page shows the contracts of %s', (asset) => {
  const { scale, contract, testContract } = tokens[asset]
  expect(rowOf(`\`${asset}\``)).toBe(`| \`${asset}\` | ${scale} | \`${contract}\` | \`${testContract}\` |`)
})

test.each(paymentMethodNames)('the page shows the limits of %s', (method) => {
  const { minimum, maximum, source, asOf } = railLimits[method]
  expect(rowOf(method)).toBe(`| ${method} | ${minimum} | ${maximum} | ${source} | ${asOf} |`)
})

test.each(fiatRails)('the page shows the required fields of %s', (rail) => {
  const row = rowOf(`\`${rail}\``)
  const { alternatives, optional, accountDigits } = railFields[rail]
  for (const name of [...alternatives.flat(), ...optional]) expect(row).toContain(`\`${name}\``)
  if (alternatives.flat().includes('accountNumber')) expect(row).toContain(`of ${accountDigits.join(' to ')} digits`)
  expect(row).toContain(`| ${paymentMethods[rail].currencies[0]} |`)
})

test('the page names every type, every transition and every currency', () => {
  for (const type of paymentAccountTypes) expect(rowOf(`\`${type}\``)).not.toBe('')
  const arrows = [...page.matchAll(/^ {2}(\w+) --> (\w+): (\w+)$/gm)].map(([, from, to, move]) => [move, from, to])
  const moves = Object.entries(paymentAccountMoves).flatMap(([move, { from, to }]) =>
    from.map((each) => [move, each, to]),
  )
  expect(arrows).toEqual(moves)
  for (const label of fiatLabels) expect(page).toContain(`${label} (${fiatCurrencies[label].rails.join(', ')})`)
})
