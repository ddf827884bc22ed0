import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatAmount } from '../../../src/lib/money.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'
import { playProperty } from '../../support/runner/form.ts'

test('svc.format_amount writes smallest units as formatAmount does', async () => {
  const { app } = await makeDatabase()
  const database = openForTest(app)
  const amount = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 38n - 1n }), fc.integer({ min: 0, max: 18 }))
  const property = fc.asyncProperty(fc.array(amount, { minLength: 20 }), async (amounts) => {
    const [found] = await database.query<{ written: string[] }>({
      text: `select array_agg(svc.format_amount(units, decimals::text)) as written
               from unnest($1::numeric[], $2::integer[]) as amount (units, decimals)`,
      values: [amounts.map(([units]) => String(units)), amounts.map(([, decimals]) => decimals)],
    })
    expect(found?.written).toEqual(amounts.map(([units, decimals]) => formatAmount(units, decimals)))
  })
  await playProperty(property, { short: 20, full: 200 })
})
