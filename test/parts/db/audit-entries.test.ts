import { afterAll, expect, test } from 'vitest'
import type { EntryFilter } from '../../../src/audit/entry.ts'
import { listEntries } from '../../../src/audit/store.ts'
import { openDatabase, type Queryable, type Statement } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { makeDatabase } from '../../support/runner/database.ts'

const { owner, app } = await makeDatabase()
const database = openDatabase(app)
const asOwner = openDatabase({ connection: owner })
afterAll(() => Promise.all([database.close(), asOwner.close()]))

/** An organization with a long log, in which one actor and one act are rare. */
const organizationId = newId()
await asOwner.query({
  text: `insert into svc.audit (organization_id, audit_id, at, actor, action, subject_id, details, mac)
         select $1, gen_random_uuid(), timestamptz '2026-01-01Z' + n * interval '1 second',
                case when n % 5000 = 7 then 'worker' else 'api_key:' || n % 20 end,
                case when n % 5000 = 9 then 'webhook.created' else 'customer.notes_read' end, n::text, '{}', ''
           from generate_series(1, 20000) as n`,
  values: [organizationId],
})
await asOwner.query({ text: 'vacuum analyze svc.audit' })

async function planOf(filter: EntryFilter): Promise<string> {
  let plan = ''
  const explaining: Queryable = {
    query: async <Row extends object>({ text, values }: Statement): Promise<Row[]> => {
      const rows = await asOwner.query<{ 'QUERY PLAN': string }>({ text: `explain ${text}`, values: values ?? [] })
      plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      return []
    },
  }
  await listEntries(explaining, [organizationId], filter, { after: undefined, limit: 11 })
  return plan
}

test.each<[EntryFilter, RegExp]>([
  [{}, /audit_by_time/],
  [{ from: new Date('2026-01-01T01:00:00Z'), to: new Date('2026-01-01T02:00:00Z') }, /audit_by_time/],
  [{ actor: 'worker' }, /audit_by_actor/],
  [{ action: 'webhook.created' }, /audit_by_action/],
  [{ actor: 'worker', action: 'webhook.created' }, /audit_by_(actor|action)/],
])('the newest entries with %o come from an index', async (filter, index) => {
  const plan = await planOf(filter)
  expect(plan).toMatch(index)
  expect(plan).not.toContain('Seq Scan')
})
