import { expect, test } from 'vitest'
import { type Cursor, withSliceLimits } from '../../../src/db/checks/slices.ts'
import { newId } from '../../../src/lib/ids.ts'
import { transactionChecks } from '../../../src/transactions/checks/store.ts'
import { countRowsRead } from '../../support/db/rows-read.ts'
import { makeLedgerWriters } from '../../support/money/ledger-writers.ts'
import { makeDatabase, openForTest, type TestDatabase } from '../../support/runner/database.ts'

/** Each posting has a few entries, each entry an account; some checks read them more than once. */
const mostRowsPerPosting = 60

test.each([
  { wallets: 300, deposits: 1 },
  { wallets: 20, deposits: 25 },
  // The planner believes that the second organization has no postings.
  { wallets: 300, deposits: 1, isAnalyzedBefore: true },
])(
  'no check reads many rows for each posting of an organization that was never analyzed: %o',
  async ({ wallets, deposits, isAnalyzedBefore = false }) => {
    const where = await makeDatabase()
    if (isAnalyzedBefore) await fillAndAnalyze(where)
    const { database, ledger, deposit } = makeLedgerWriters(where)
    for (let number = 0; number < wallets; number += 1) {
      const wallet = newId()
      for (let times = 0; times < deposits; times += 1) await deposit(wallet, 1_000n)
    }
    const sliced = [...ledger.checks, ...transactionChecks].filter((check) => 'slice' in check)
    expect(sliced.length).toBeGreaterThan(15)
    const costly: string[] = []
    for (const { name, slice } of sliced) {
      let read = 0
      let after: Cursor | undefined
      do {
        after = await withSliceLimits(database, async (tx) => {
          const before = await countRowsRead(tx)
          const { next } = await slice(tx, after, 5_000)
          read += (await countRowsRead(tx)) - before
          return next
        })
      } while (after)
      if (read > wallets * deposits * mostRowsPerPosting) costly.push(`${name} read ${read} rows`)
    }
    expect(costly).toEqual([])
  },
)

async function fillAndAnalyze(where: TestDatabase): Promise<void> {
  const { deposit } = makeLedgerWriters(where)
  for (let number = 0; number < 300; number += 1) await deposit(newId(), 1_000n)
  const owner = openForTest({ connection: where.owner })
  await owner.query({ text: 'analyze' })
}
