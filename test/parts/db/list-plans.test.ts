import { afterAll, expect, test } from 'vitest'
import { measuredIndexes } from '../../../bench/support/list-writes.ts'
import { openDatabase, type Queryable, type Statement } from '../../../src/db/database.ts'
import { fillLists, listCases, lists } from '../../support/db/filled-lists.ts'
import { makeDatabase } from '../../support/runner/database.ts'

/** Each filter of a list is answered from an index. `npm run bench -- list-plans` reads a million rows. */
const { owner: connection } = await makeDatabase()
const database = openDatabase({ connection, connections: 1 })
afterAll(() => database.close())
await fillLists(database, 20_000)

/** Shows the plan of the statement that a list runs: the indexes it reads, and whether it reads a table. */
async function planOf(list: (explaining: Queryable) => Promise<unknown>): Promise<string> {
  const plans: string[] = []
  const query = async <Row>({ text, values }: Statement): Promise<Row[]> => {
    const lines = await database.query<{ 'QUERY PLAN': string }>({ text: `explain ${text}`, values: values ?? [] })
    plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'))
    return []
  }
  await list({ isTx: false, query } as unknown as Queryable)
  return plans.join('\n')
}

test.each(listCases)('%s by %o are read through %s', async (list, filter, index) => {
  const plan = await planOf(lists[list](filter as never))
  expect(plan).not.toContain('Seq Scan')
  expect(plan).toContain(index)
})

test('npm run bench -- list-indexes measures what each of these indexes costs a write', async () => {
  const named = listCases.map(([, , index]) => index as string)
  const used = named.filter((index) => /_(by_\w+|external_id|pkey)$/.test(index))
  // Each list also reads its table by its primary key, which is there for other reasons.
  const own = used.filter((index) => !index.endsWith('_pkey') || index === 'customer_search_pkey')
  expect([...measuredIndexes]).toEqual(expect.arrayContaining(own))
  const found = await database.query<{ name: string }>({
    text: `select indexname as name from pg_indexes where schemaname = 'svc' and indexname = any($1)`,
    values: [measuredIndexes],
  })
  expect(found.map(({ name }) => name).sort()).toEqual([...measuredIndexes].sort())
})
