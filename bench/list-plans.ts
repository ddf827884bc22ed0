import { parseArgs } from 'node:util'
import { openDatabase, type Queryable, type Statement } from '../src/db/database.ts'
import { filledTables, fillLists, listCases, lists } from '../test/support/db/filled-lists.ts'
import { fillWithoutIndexes, withDatabase } from './support/database.ts'

/**
 * Reads a page by each filter of each list in an organization with very many rows: the index of the plan, the pages that
 * it read, and the time. Fails when a filter reads a table without its index.
 */
const { values } = parseArgs({ options: { stored: { type: 'string', default: '1000000' } } })

type Plan = {
  'Node Type': string
  'Index Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)]

await withDatabase(async ({ owner }) => {
  const database = openDatabase({ connection: owner, connections: 1, statementTimeoutMs: 600_000 })
  const started = performance.now()
  await fillWithoutIndexes(database, filledTables, () => fillLists(database, Number(values.stored)))
  console.log(`${values.stored} rows in each list, filled in ${((performance.now() - started) / 1_000).toFixed(0)} s`)
  let wrong = 0
  for (const [list, filter, index] of listCases) {
    const explain = async <Row>({ text, values: given }: Statement): Promise<Row[]> => {
      // The second time the pages are in memory, as those of a list that is read often.
      for (const isShown of [false, true]) {
        const [found] = await database.query<{ 'QUERY PLAN': [{ Plan: Plan; 'Execution Time': number }] }>({
          text: `explain (analyze, buffers, format json) ${text}`,
          values: given ?? [],
        })
        const [plan] = found?.['QUERY PLAN'] ?? []
        if (!isShown || !plan) continue
        const nodes = flatten(plan.Plan)
        const used = [...new Set(nodes.flatMap((node) => node['Index Name'] ?? []))]
        const isRead = nodes.some((node) => node['Node Type'] === 'Seq Scan')
        const isRight = !isRead && JSON.stringify(plan).includes(index)
        if (!isRight) wrong += 1
        const pages = plan.Plan['Shared Hit Blocks'] + plan.Plan['Shared Read Blocks']
        console.log(
          `${isRight ? ' ' : '!'} ${list.padEnd(18)} ${JSON.stringify(filter).padEnd(100)} ${String(used).padEnd(36)}` +
            ` ${String(pages).padStart(6)} pages ${plan['Execution Time'].toFixed(1).padStart(8)} ms`,
        )
      }
      return []
    }
    await lists[list](filter as never)({ isTx: false, query: explain } as unknown as Queryable)
  }
  await database.close()
  if (wrong > 0) throw new Error(`${wrong} filters do not use the index that they should`)
})
