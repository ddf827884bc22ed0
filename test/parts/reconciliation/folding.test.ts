import { expect, test } from 'vitest'
import { openDesk } from '../../support/bank/bank-desk.ts'
import { startMoney } from '../../support/money/money-stories.ts'
import { accountOn, today } from '../../support/reconciliation/reading.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Postings become lines of a bank account when a worker folds them. */
const { settings } = await openDesk()
const { api, organizationId } = await startMoney(settings)

test('a comparison waits for postings that a worker folds at that moment', async () => {
  const { database, treasury } = api.app
  const date = await today(api)
  const fee = { organizationId, holding: 'eur-main', asset: 'EUR', amount: '1.23' } as const
  await treasury.chargeFee({ ...fee, reason: 'a test' })
  const waiting = `select pid from pg_locks join pg_stat_activity using (pid)
                    where not granted and datname = current_database()`
  const { answer } = await database.inTx(async (tx) => {
    await tx.query({ text: 'select svc.fold_entries(5000)' })
    const compared = accountOn(api, 'eur-main', date)
    await Promise.race([
      compared,
      eventually(async () => expect(await database.query({ text: waiting })).toHaveLength(1)),
    ])
    return { answer: compared }
  })
  const found = expect.objectContaining({ state: 'MISSING', kind: 'OWN', amount: '-1.23' })
  expect((await answer).items).toContainEqual(found)
})
