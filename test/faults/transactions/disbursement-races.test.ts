import { expect, test } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { makePayer, type Payer, resolve } from '../../support/money/blocked-payers.ts'
import { createDisbursementStories } from '../../support/money/disbursement-stories.ts'
import { startHeard } from '../../support/money/money-listener.ts'
import { createQuote } from '../../support/money/quotes.ts'
import { expectVerified, type Transaction } from '../../support/money/transactions.ts'
import { first } from '../../support/runner/first.ts'

/** Operators and integrators spend the same returned funds at the same time. */
const { api } = await startHeard()
const { shown, bodyOf, kept, order, ...stories } = createDisbursementStories(api, api)
const { creditedRefund, creditedDeposit, returnedPayout } = stories

test('32 concurrent disbursements take each cent of two deposits once', async () => {
  const ada = await makePayer(api)
  await creditedDeposit(ada, '9.00')
  await creditedDeposit(ada, '6.00')
  const body = { ...(await bodyOf(ada)), destinationPaymentAccountId: ada.bank, amount: '2.00' }
  const answers = await Promise.all(Array.from({ length: 32 }, () => order(ada, body)))
  expect(answers.map(({ status }) => status).sort()).toEqual([
    ...Array.from({ length: 7 }, () => 201),
    ...Array.from({ length: 25 }, () => 422),
  ])
  expect(await shown(ada)).toEqual([['USD', '1.00', '']])
  await expectVerified(api)
})

/** Quotes a conversion; its transaction is created later, at the same time as others. */
async function quoteConversion(ada: Payer, amount: string): Promise<() => Promise<{ status: number }>> {
  const from = [first(await kept(ada)).paymentAccountId, 'USD', 'ACH', amount] as const
  const { quoteId } = await createQuote(api, { customerId: ada.customerId, from, to: [ada.wallet, 'USDC', 'BASE'] })
  return () => api.post('/transactions', { quoteId }, { headers: { 'x-idempotency-key': newId() } })
}

test('concurrent conversions, disbursements and repayments never pay more than the balance', async () => {
  const ada = await makePayer(api)
  await creditedRefund(ada)
  const failed = [await returnedPayout(ada), await returnedPayout(ada)]
  const { paymentAccountId } = first(await kept(ada))
  const body = { paymentAccountId, currency: 'USD', destinationPaymentAccountId: ada.bank, amount: '7.00' }
  const conversions = await Promise.all(Array.from({ length: 8 }, () => quoteConversion(ada, '7.00')))
  const orders = Array.from({ length: 24 }, (_, at) => {
    if (at % 3 === 0) return resolve(api, failed[at % 2] as Transaction, { action: 'PAY_AGAIN' })
    return at % 3 === 1 ? order(ada, body) : conversions[Math.floor(at / 3)]?.()
  })
  const answers = await Promise.all(orders)
  expect(answers.filter((answer) => ![200, 201, 409, 422].includes(answer?.status ?? 0))).toEqual([])
  const rows = await api.app.database.query<{ amount: string }>({
    text: `select sum(amount)::text as amount
             from (select amount from svc.payouts
                    where customer_id = $1 and purpose in ('REPAYMENT', 'DISBURSEMENT') and status <> 'REFUSED'
                    union all
                   select source_amount from svc.transactions where customer_id = $1 and is_from_returned_funds) as spent`,
    values: [ada.customerId],
  })
  const paid = BigInt(first(rows).amount)
  expect(paid <= 1266n + 995n + 995n).toBe(true)
  expect(paid > 1266n + 995n + 995n - 700n).toBe(true)
  await expectVerified(api)
})

test('a repayment and conversions of one return take it once, although the balance would cover all', async () => {
  const payers = await Promise.all(Array.from({ length: 6 }, () => makePayer(api)))
  await Promise.all(
    payers.map(async (ada) => {
      const failed = await returnedPayout(ada)
      await creditedDeposit(ada, '50.00')
      const convert = [await quoteConversion(ada, '9.95'), await quoteConversion(ada, '9.95')]
      const answers = await Promise.all([
        resolve(api, failed, { action: 'PAY_AGAIN' }),
        ...convert.map((start) => start()),
      ])
      // The oldest cause is taken first: a conversion that comes after the repayment takes the deposit.
      const [repaid, ...converted] = answers.map(({ status }) => status)
      expect(converted).toEqual([201, 201])
      const left = (await kept(ada)).map(({ balance, depositId }) => [balance, depositId !== undefined])
      expect(left).toEqual([[repaid === 200 ? '30.10' : '40.05', true]])
    }),
  )
  await expectVerified(api)
})
