import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Violation } from '../../support/money-model/run.ts'
import { moneyProperty, playWishes } from '../../support/money-model/runs.ts'
import { paidFromOthers, spentTwice, spentTwiceWithin } from '../../support/money-model/stories.ts'
import { startModelService } from '../../support/money-model/world.ts'
import { breakRule, owesRefusedReturns, paysFromAllHoldings } from '../../support/money-model/wrong-rules.ts'
import { form, propertyRuns, roundsTimeoutMs } from '../../support/runner/form.ts'

/** Negative controls of the model: with a wrong rule in the database, the same commands must violate it. */
const api = await startModelService()

test('the model finds a payout from money that is held for another customer', {
  timeout: roundsTimeoutMs,
}, async () => {
  await breakRule(api.database, paysFromAllHoldings)
  const found = await playWishes(api, paidFromOthers).catch((error: unknown) => error)
  expect(found).toBeInstanceOf(Violation)
  expect(String(found)).toMatch(/ more is owed than held: .* USD/)
  // The longer forms also search: about every fourth run finds it.
  if (form === 'short') return
  const { failed } = await fc.check(moneyProperty(api), {
    ...propertyRuns({ short: 1, full: 100 }),
    endOnFailure: true,
  })
  expect(failed).toBe(true)
})

test.each([
  ['to another transaction', spentTwice],
  ['to its own transaction', spentTwiceWithin],
])('the model finds a deposit that is applied %s and refunded as well', async (_where, story) => {
  await breakRule(api.database, owesRefusedReturns)
  const found = await playWishes(api, story).catch((error: unknown) => error)
  expect(found).toBeInstanceOf(Violation)
  expect(String(found)).toMatch(/ann was paid 10000 USD out of 0/)
})
