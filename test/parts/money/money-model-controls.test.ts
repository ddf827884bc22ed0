import { expect, test } from 'vitest'
import { Violation } from '../../support/money-model/run.ts'
import { playWishes } from '../../support/money-model/runs.ts'
import { paidFromOthers, spentTwice, spentTwiceWithin } from '../../support/money-model/stories.ts'
import { startModelService } from '../../support/money-model/world.ts'
import { breakRule, owesRefusedReturns, paysFromAllHoldings } from '../../support/money-model/wrong-rules.ts'

/** Negative controls of the model: with a wrong rule in a database of its own, the same commands must violate it. */
const spendsTwice = await startModelService()
await breakRule(spendsTwice.database, owesRefusedReturns)
const paysFromAll = await startModelService()
await breakRule(paysFromAll.database, paysFromAllHoldings)

test.each([
  ['to another transaction', spentTwice],
  ['to its own transaction', spentTwiceWithin],
])('the model finds a deposit that is applied %s and refunded as well', async (_where, story) => {
  const found = await playWishes(spendsTwice, story).catch((error: unknown) => error)
  expect(found).toBeInstanceOf(Violation)
  expect(String(found)).toMatch(/ann was paid 10000 USD out of 0/)
})

test('the model finds a payout from money that is held for another customer', async () => {
  const found = await playWishes(paysFromAll, paidFromOthers).catch((error: unknown) => error)
  expect(found).toBeInstanceOf(Violation)
  expect(String(found)).toMatch(/ more is owed than held: .* USD/)
})
