import { expect, test } from 'vitest'
import { openDesk } from '../../support/bank/bank-desk.ts'
import { startMoney } from '../../support/money/money-stories.ts'
import { accountOn, today } from '../../support/reconciliation/reading.ts'
import { openForTest } from '../../support/runner/database.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Postings become lines of a bank account when a worker folds them. */
const { settings } = await openDesk()
const { api, organizationId } = await startMoney(settings)

test.each([
  ['a worker folds', 'select svc.fold_entries(5000, false)', '1.23'],
  // So another reader held them, and neither waited for the other.
  ['another process has only locked', 'select from svc.unfolded_postings for key share', '4.56'],
])('a comparison waits for postings that %s at that moment', async (_, hold, amount) => {
  const { database, treasury } = api.app
  const owner = openForTest({ connection: api.database.owner })
  const date = await today(api)
  await treasury.chargeFee({ organizationId, holding: 'eur-main', asset: 'EUR', amount, reason: 'a test' })
  const waiting = `select pid from pg_locks join pg_stat_activity using (pid)
                    where not granted and datname = current_database()`
  const { answer } = await owner.inTx(async (tx) => {
    await tx.query({ text: hold })
    const compared = accountOn(api, 'eur-main', date)
    await Promise.race([
      compared,
      eventually(async () => expect(await database.query({ text: waiting })).not.toEqual([])),
    ])
    return { answer: compared }
  })
  const found = expect.objectContaining({ state: 'MISSING', kind: 'OWN', amount: `-${amount}` })
  expect((await answer).items).toContainEqual(found)
})
