import { test } from 'vitest'
import { moneyProperty, playWishes } from '../../support/money-model/runs.ts'
import { stories } from '../../support/money-model/stories.ts'
import { startModelService } from '../../support/money-model/world.ts'
import { playProperty, roundsTimeoutMs } from '../../support/runner/form.ts'

/**
 * Deposits, decisions of operators and answers of rails in random order, through the real operations and jobs. After
 * every step each customer has exactly what arrived: received outside, or kept by us.
 */
const api = await startModelService()

test.each(Object.entries(stories))('%s: every customer has what arrived', (_name, story) => playWishes(api, story))

test('random commands: every customer has what arrived, after every step', { timeout: roundsTimeoutMs }, () =>
  playProperty(moneyProperty(api), { short: 4, full: 1_000 }),
)
