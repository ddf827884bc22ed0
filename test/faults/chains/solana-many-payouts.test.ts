import { expect, test } from 'vitest'
import { startSolana } from '../../support/chains/solana-world.ts'
import { createMany } from '../../support/money/money-stories.ts'
import { expectVerified } from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Many payouts at once on Solana, by two workers. */
const world = await startSolana({ settings: { SVC_LEASE_MS: '30000' } })
const { api, rows, customerId, makeExternal, control, transfersTo } = world
const { wallet } = await world.fundWallet(10n ** 12n)

test('200 concurrent payouts are 200 transactions, each of which pays once', async () => {
  const { external, address } = await makeExternal()
  const second = await api.app.startWorker()
  await control.fault('SOLANA', { kind: 'drop_transaction', calls: 3 })
  const wish = { customerId, from: [wallet, 'USDC', 'SOLANA', '1'], to: [external, 'USDC', 'SOLANA'] } as const
  const transactions: unknown[] = []
  while (transactions.length < 200) transactions.push(...(await createMany({ api } as never, wish as never, 20)))
  await eventually(
    async () => {
      const [count] = await rows<{ done: number }>(
        `select count(*)::int as done from svc.payouts where purpose = 'PAYOUT' and status = 'CONFIRMED'`,
      )
      expect(count?.done).toBe(200)
    },
    { timeout: 280_000 },
  )
  expect(await transfersTo(address)).toHaveLength(200)
  const [signed] = await rows<{ count: number; paid: number; payouts: number }>(
    `select count(*)::int as count, count(*) filter (where is_successful)::int as paid,
            count(distinct payout_id)::int as payouts
       from svc.solana_transfers where raw is not null`,
  )
  expect(signed).toEqual({ count: 200, paid: 200, payouts: 200 })
  await second.stop()
  await expectVerified(api)
})
