import { expect, test } from 'vitest'
import type { Statement } from '../../../src/db/database.ts'
import { newId } from '../../../src/lib/ids.ts'
import { isAccountNeeded } from '../../../src/transactions/check-store.ts'
import { makeDatabase, openForTest } from '../../support/runner/database.ts'

const organizationId = newId()
const busy = newId()
const customerId = newId()

/** Open transactions of many customers, and as many finished ones of one busy account, with their payouts. */
const fill = `
  with made as (
    insert into svc.transactions (organization_id, transaction_id, customer_id, quote_id, status,
           source_payment_account_id, is_from_wallet, source_asset, source_method, source_amount,
           destination_payment_account_id, is_to_wallet, destination_asset, destination_method, destination_amount,
           exchange_rate, svc_fee, developer_fee, is_guaranteed, quote_expires_at, parts, status_history,
           status_written_at, step, created_at, updated_at)
    select $1::uuid, gen_random_uuid(), case when number % 2 = 0 then gen_random_uuid() else $3::uuid end, gen_random_uuid(),
           case when number % 2 = 0 then 'PROCESSING' else 'COMPLETED' end,
           case when number % 2 = 0 then gen_random_uuid() else $2::uuid end, true, 'USDC/BASE', 'BASE', 1,
           gen_random_uuid(), false, 'USD', 'ACH', 1, '1', 0, 0, false, svc.now(), '{}', '{}', '{}', 'PAYOUT',
           svc.now(), svc.now()
      from generate_series(1, 20000) as number
 returning organization_id, transaction_id, customer_id, destination_payment_account_id, status)
  insert into svc.payouts (organization_id, payout_id, transaction_id, customer_id, purpose, method, asset, amount,
         payment_account_id, status, created_at, pays_from)
  select organization_id, gen_random_uuid(), transaction_id, customer_id, 'PAYOUT', 'ACH', 'USD', 1,
         destination_payment_account_id, 'SENT', svc.now(), 'usd-main'
    from made where status = 'PROCESSING'`

test('whether an account is in use is read from open rows alone', async () => {
  const { owner } = await makeDatabase()
  const database = openForTest({ connection: owner, connections: 1 })
  await database.query({ text: fill, values: [organizationId, busy, customerId] })
  for (const table of ['transactions', 'payouts']) await database.query({ text: `analyze svc.${table}` })
  const plans: string[] = []
  const explain = async <Row>({ text, values }: Statement): Promise<Row[]> => {
    // Literals, as the planner sees the values in a custom plan.
    const explained = text.replaceAll(/\$(\d)/g, (_, number) => `'${values?.[number - 1]}'`)
    const lines = await database.query<{ 'QUERY PLAN': string }>({ text: `explain ${explained}` })
    plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'))
    return []
  }
  await isAccountNeeded({ isTx: true, query: explain }, { organizationId, customerId, paymentAccountId: busy })
  expect(plans).toEqual([expect.not.stringContaining('Seq Scan')])
  const scans = [...(plans[0] ?? '').matchAll(/using (\w+) on (\w+)/g)].map(([, index]) => index)
  expect(scans).toEqual(['transactions_open_by_customer', 'payouts_open_by_account', 'deposits_held_by_account'])
})

test('an open transaction uses its source and its destination, and no other account of its customer', async () => {
  const { owner } = await makeDatabase()
  const database = openForTest({ connection: owner, connections: 1 })
  await database.query({ text: fill, values: [organizationId, busy, customerId] })
  const [open] = await database.query<{ customerId: string; accounts: string[] }>({
    text: `select customer_id as "customerId", array[source_payment_account_id, destination_payment_account_id] as accounts
             from svc.transactions where status = 'PROCESSING' limit 1`,
  })
  if (!open) throw new Error('it was made')
  const isNeeded = (account: { customerId: string; paymentAccountId: string }) =>
    database.inTx((tx) => isAccountNeeded(tx, { organizationId, ...account }))
  for (const paymentAccountId of open.accounts) {
    expect(await isNeeded({ customerId: open.customerId, paymentAccountId })).toBe(true)
  }
  expect(await isNeeded({ customerId: open.customerId, paymentAccountId: newId() })).toBe(false)
  // All of its transactions are finished.
  expect(await isNeeded({ customerId, paymentAccountId: busy })).toBe(false)
})
