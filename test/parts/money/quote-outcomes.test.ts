import { expect, test } from 'vitest'
import { createBatcher } from '../../../src/db/batcher.ts'
import type { Queryable } from '../../../src/db/database.ts'
import type { NewQuote } from '../../../src/quotes/creation/new-quote.ts'
import { insertQuotes } from '../../../src/quotes/creation/store.ts'

function makeQuote(quoteId: string): NewQuote {
  const account = { paymentAccountId: quoteId, asset: 'USD', method: 'ACH' } as const
  return {
    request: undefined,
    quoteId,
    customerId: quoteId,
    organizations: [],
    source: { ...account, amount: 1n, amountText: '0.01' },
    destination: account,
    isGuaranteed: false,
    usdCents: null,
    guarantee: undefined,
    transferInstructions: null,
    transferWindowSeconds: 60,
    allowedBy: '',
    sourceWalletType: null,
    destinationWalletType: null,
    labels: { source: 'USD', destination: 'USD' },
    own: {},
    prices: {},
  }
}

test('a statement that has committed and returned too few outcomes is not run again', async () => {
  let statements = 0
  const database: Queryable = {
    query: async () => {
      statements += 1
      return []
    },
  }
  const insert = createBatcher({
    run: (quotes: readonly NewQuote[]) => insertQuotes(database, quotes),
    batchSize: 64,
    concurrency: 1,
    collects: true,
  })
  const answers = await Promise.allSettled(['a', 'b'].map((quoteId) => insert(makeQuote(quoteId))))
  const reasons = answers.map((answer) => (answer.status === 'rejected' ? answer.reason.message : 'answered'))
  expect(reasons).toEqual(Array(2).fill('a statement for 2 requests returned 0 answers'))
  expect(statements).toBe(1)
})
