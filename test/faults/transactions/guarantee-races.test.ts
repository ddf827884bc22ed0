import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { createQuote, makeAccounts, makeActive, type QuoteWish, waitForRates } from '../../support/money/quotes.ts'
import { makeDatabaseWithAddresses } from '../../support/money/wallets.ts'
import { actingWith, startApi } from '../../support/runner/api.ts'
import { playRounds, roundsTimeoutMs } from '../../support/runner/form.ts'

/** Two processes that share a database take guarantees at the same time; together they stay within the limit. */
const settings = { SVC_SANDBOX_VERIFICATION_DELAY: '0', SVC_RATE_LIMIT_SANDBOX: '0' }
const api = await startApi(settings, { database: await makeDatabaseWithAddresses() })
const other = actingWith(await startApi(settings, { database: api.database }), api.apiKey)
const worker = await api.app.startWorker()
await waitForRates(api)
const ada = await makeActive(api, 'DE')
await worker.stop()
const { bank, wallet } = await makeAccounts(api, ada, 'SEPA')
const many = 20
const turns = { short: 4, full: 60 }

// 108 dollars each
const { customerId, organizationId } = ada
const wish: QuoteWish = {
  customerId,
  from: [bank, 'EUR', 'SEPA', '100.00'],
  to: [wallet, 'USDC', 'BASE'],
  more: { guaranteeQuote: true },
}

async function readOpenCents(): Promise<string | undefined> {
  const [row] = await api.app.database.query<{ cents: string }>({
    text: `select sum(quote.guaranteed_usd_cents)::text as cents from svc.transactions as transaction
             join svc.quotes as quote using (organization_id, quote_id)
            where transaction.organization_id = $1 and transaction.status = 'AWAITING_TRANSFER'`,
    values: [organizationId],
  })
  return row?.cents
}

test(
  'of 20 concurrent transactions, exactly those that fit the limit of the organization are created',
  async () => {
    await playRounds(turns, async (round) => {
      const fitting = 1 + (round % 9)
      const limit = `${108 * fitting + 107}.99`
      await api.app.organizations.setTerms(organizationId, { guaranteedUSDAmountPerOrganization: limit })
      const quotes = await Promise.all(Array.from({ length: many }, () => createQuote(api, wish)))
      const answers = await Promise.all(
        quotes.map(({ quoteId }, at) =>
          (at % 2 === 0 ? api : other).post(
            '/transactions',
            { quoteId },
            { headers: { 'x-idempotency-key': newId() } },
          ),
        ),
      )
      const created = answers.filter(({ status }) => status === 201)
      expect(created).toHaveLength(fitting)
      const refused = answers.filter(({ status, body }) => status === 422 && body.error === 'AMOUNT_ABOVE_MAXIMUM')
      expect(refused).toHaveLength(many - fitting)
      expect(await readOpenCents()).toBe(String(10_800 * fitting))
      await Promise.all(created.map(({ body }) => api.post(`/transactions/${body.transactionId}/cancel`)))
    })
  },
  roundsTimeoutMs,
)
