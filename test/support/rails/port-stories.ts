import { afterEach } from 'vitest'
import type { Rail } from '../../../src/transactions/payouts/rail.ts'
import { createMany, type Hands, startMoney, takeOver, untilIdle } from '../money/money-stories.ts'
import { expectVerified, readTransaction, type Transaction } from '../money/transactions.ts'
import { first } from '../runner/first.ts'
import { confirmedAs, makeTestRail } from './test-rail.ts'

export const accepting = async () => ({ outcome: 'ACCEPTED' }) as const
export const paying = async ({ amount }: { amount: bigint }) => confirmedAs('bank-1', amount)

type Row = { payoutId: string; shortReference: string; status: string; amount: string; returned: string | null }

/** A deployment with 1,000.00 USD of its own, for tests of single words of a rail. */
export async function startPort() {
  const money = await startMoney({ SVC_SANDBOX_LIQUIDITY: '0' })
  const { api, rows, organizationId, offRamp } = money
  const own = { organizationId, holding: 'usd-main', asset: 'USD', amount: '1000.00', reason: 'a test' }
  await api.app.treasury.fund(own)
  const { advanceAll } = takeOver(money, {})
  afterEach(async () => {
    await expectVerified(api)
    await rows('update svc.payouts set due_at = null')
  })
  const hold = (rails: readonly Rail[], more: Pick<Hands, 'railTimeoutMs' | 'database'> = {}) =>
    takeOver(money, { rails, sandboxLiquidity: 0, ...more })
  return {
    money,
    hold,
    /** Creates transactions with a payout that waits. */
    owe: async (count = 1): Promise<Transaction[]> => {
      const made = await createMany(money, offRamp, count)
      await untilIdle(advanceAll)
      return made
    },
    payoutOf: async ({ transactionId }: Transaction): Promise<Row> =>
      first(
        await rows<Row>(`select payout_id as "payoutId", svc.short_reference(payout_id) as "shortReference", status,
                                amount, returned_amount as returned
                           from svc.payouts where transaction_id = '${transactionId}' and purpose = 'PAYOUT'`),
      ),
    readLiquidity: async () =>
      first(
        await rows<{ available: string; costs: string }>(
          `select available, costs from svc.liquidity where holding = 'usd-main'`,
        ),
      ),
    statusOf: async (made: Transaction) => (await readTransaction(api, made)).transactionStatus,
    /** Serves payouts by a bank that says nothing of its own accord, and counts what it gets. */
    holdSilent: (more: Partial<Rail> = {}) => {
      const sent: string[] = []
      const rail: Rail = { ...makeTestRail({ send: accepting, ask: async () => ({ state: 'PENDING' }) }), ...more }
      const counting: Rail = {
        ...rail,
        submit: (batch, call) => {
          sent.push(batch.batchId)
          return rail.submit(batch, call)
        },
      }
      return { ...hold([counting]), sent }
    },
  }
}
