import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { readAttempts } from '../../../src/transactions/payouts/preparation-store.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

const database = await makeDatabase()

test('the attempts of a payout are read once, also when two loops ask for it at the same moment', async () => {
  const payout = { organizationId: newId(), payoutId: newId() }
  for (const attempt of [1, 2])
    await openForTest({ connection: database.owner }).query({
      text: `with batch as (
               insert into svc.payout_batches (batch_id, rail, sealed_content, not_after, created_at)
               values ($1, 'bank', '', svc.now(), svc.now()))
             insert into svc.payout_preparations (organization_id, payout_id, attempt, batch_id, key)
             values ($2, $3, $4, $1, $1)`,
      values: [`batch-${attempt}`, payout.organizationId, payout.payoutId, attempt],
    })
  const read = await readAttempts(openForTest(database.app), [payout, payout])
  expect(read.map(({ attempt }) => attempt)).toEqual([1, 2])
})
