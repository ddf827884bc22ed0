import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { countRowsRead } from '../../support/db/rows-read.ts'
import { makePolicyWorld, setRules } from '../../support/policies/policy-world.ts'
import { openForTest } from '../../support/runner/database.ts'

const counters = 1_000
const { api, organizationId } = await makePolicyWorld()

test('a connection that has planned for few counters reads few of many', async () => {
  const ids = Array.from({ length: 2 }, () => newId())
  const limits = ids.map((ruleId) => ({ ruleId, kind: 'LIMIT', per: 'ORGANIZATION', dayMax: '500.00' }))
  await setRules(api, [...limits, { ruleId: 'customer', kind: 'LIMIT', per: 'CUSTOMER', dayMax: '500.00' }])
  const database = openDatabase({ ...api.database.app, connections: 1 })
  const weigh = () =>
    database.inTx(async (tx) => {
      // As svc.create_transactions has them.
      await tx.query({ text: 'set local plan_cache_mode = force_generic_plan' })
      await tx.query({ text: 'set local enable_seqscan = off' })
      const before = await countRowsRead(tx)
      await tx.query({
        text: `select svc.weigh_creations(array[null]::text[], $1, $2, $2, $2, '{ACH}', '{f}', '{1000}', svc.now())`,
        values: [[organizationId], [newId()]],
      })
      return (await countRowsRead(tx)) - before
    })
  const owner = openForTest({ connection: api.database.owner })
  await owner.query({ text: 'analyze' })
  const few = await weigh()
  await owner.query({
    text: `insert into svc.policy_counters (organization_id, counter_id, subject, hour_start, hour_used, day_start,
             day_used, month_start, month_used)
           select $1, gen_random_uuid(), gen_random_uuid(), svc.now(), 1, svc.now(), 1, svc.now(), 1
             from generate_series(1, $2)`,
    values: [organizationId, counters],
  })
  expect((await weigh()) - few).toBeLessThan(10)
  await database.close()
})
