import { expect, test } from 'vitest'
import { readIncoming } from '../../../src/adapters/bank/read.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { platformOrganizationId } from '../../../src/lib/ids.ts'
import { startApi } from '../../support/runner/api.ts'
import { form, roundsTimeoutMs } from '../../support/runner/form.ts'

/** A day with very many lines leaves as a stream: the service reads it page by page, as fast as its reader takes it. */
const count = { short: 5_000, timed: 100_000, full: 1_000_000 }[form]
const mostGrowth = 300 * 1024 * 1024
const day = '2026-01-15'
const api = await startApi()
const owner = openDatabase({ connection: api.database.owner, statementTimeoutMs: 600_000 })

await owner.query({
  text: `with written as (
         insert into svc.ledger_lines (organization_id, posting_id, entry_number, holder, asset, day, reference, fact, amount)
         select $1, lpad(to_hex(number), 32, '0')::uuid, 1, 'eur-main', 'EUR', $2::date - (number > $3::integer)::integer,
                'operator:' || number || ':treasury.funded', 'FUNDING', case when number % 3 = 0 then 1 else -1 end * number
           from generate_series(1, $3::integer + 1000) as number
         returning holder, day, posting_id, entry_number, organization_id)
         insert into svc.open_lines (bank_account_id, day, posting_id, entry_number, organization_id)
         select holder, day, posting_id, entry_number, organization_id from written`,
  values: [platformOrganizationId, day, count],
  query_timeout: 600_000,
})
await owner.close()

/** Reads an answer as a stream, and measures by how much the memory of the process grows at most. */
async function follow(path: string, read: (chunks: AsyncIterable<Buffer>) => Promise<void>): Promise<void> {
  const begun = process.memoryUsage().rss
  let most = begun
  const answer = await fetch(`${api.baseUrl}${path}?account=eur-main&date=${day}`, {
    headers: { authorization: `Bearer ${api.apiKey}` },
  })
  expect(answer.status).toBe(200)
  async function* chunks() {
    for await (const chunk of answer.body ?? []) {
      most = Math.max(most, process.memoryUsage().rss)
      yield Buffer.from(chunk)
    }
  }
  await read(chunks())
  expect(most - begun).toBeLessThan(mostGrowth)
}

test(`${count} entries leave as camt.053 in little memory: opening and entries make the closing balance`, {
  timeout: roundsTimeoutMs,
}, async () => {
  await follow('/reconciliation/statement.xml', async (chunks) => {
    let entries = 0
    // The reader compares the balances with the entries.
    for await (const record of readIncoming(chunks)) if (record.type === 'ENTRY') entries += 1
    expect(entries).toBe(count)
  })
})

test(`${count} lines leave as CSV in little memory`, { timeout: roundsTimeoutMs }, async () => {
  await follow('/reconciliation/statement.csv', async (chunks) => {
    let lines = 0
    for await (const chunk of chunks) for (const byte of chunk) if (byte === 10) lines += 1
    expect(lines).toBe(count + 3)
  })
})
