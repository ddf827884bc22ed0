import { expect, test } from 'vitest'
import { startPaying } from '../../support/chains/paying-world.ts'
import { tellPayouts } from '../../support/chains/payout-stories.ts'
import { createMany } from '../../support/money/money-stories.ts'
import { expectVerified } from '../../support/money/transactions.ts'
import { eventually } from '../../support/runner/eventually.ts'

/** Many payouts at once on one network, by two workers. */
const world = await startPaying()
const { api, rows, customerId, makeExternal, chains } = world
const network = 'POLYGON'
const { wallet, transfersTo } = await tellPayouts(world, network)

test('200 concurrent payouts use 200 consecutive nonces, and each pays once', async () => {
  const { external, address } = await makeExternal(network)
  const second = await api.app.startWorker()
  // A fault in the middle leaves no gap either.
  await chains.control.fault(network, { kind: 'drop_transaction', calls: 3 })
  const wish = { customerId, from: [wallet, 'USDC', network, '1'], to: [external, 'USDC', network] } as const
  const transactions: unknown[] = []
  while (transactions.length < 200) transactions.push(...(await createMany({ api } as never, wish, 20)))
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
  const [nonces] = await rows<{ count: number; span: number; failed: number }>(
    `select count(*)::int as count, (max(nonce) - min(nonce) + 1)::int as span,
            count(*) filter (where not is_successful)::int as failed
       from svc.relay_nonces where network = $1 and state = 'MINED'`,
    [network],
  )
  expect(nonces).toEqual({ count: 200, span: 200, failed: 0 })
  await second.stop()
  await expectVerified(api)
})
